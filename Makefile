# Entry points for people and for CI; the build itself is CMake (CMakePresets.json).
BUILD := build
JOBS ?= 2
HEADROOM := $(BUILD)/bin/headroom
SEEDS ?= 1,2,3
DEVICE ?= cpu
# The one that the Debian packages of NumPy and pybind11 are for.
PYTHON ?= /usr/bin/python3

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: with-bench $(shell sed -nE 's/^([a-z0-9-]+):.*\#\# .*/\1/p' $(firstword $(MAKEFILE_LIST)))

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-22s %s\n", $$1, $$2 }' Makefile

packages: ## install missing Debian packages needed to build and run
	@scripts/install-packages build

check-packages: ## the same, and those needed by the tests and linters
	@scripts/install-packages check

# A configured tree stays as it is: `make build` then neither adds tests nor takes them away.
build-inference: ## build build/bin/headroom without the training half, for those who never train
	@scripts/install-packages inference
	@[ -e $(BUILD)/build.ninja ] || cmake --preset release -DHEADROOM_TESTS=OFF -DHEADROOM_TRAINING=OFF
	cmake --build $(BUILD) -j $(JOBS) --target headroom

build: packages ## build build/bin/headroom and build/bin/headroom-train (release)
	@[ -e $(BUILD)/build.ninja ] || cmake --preset release -DHEADROOM_TESTS=OFF
	@cmake -S . -B $(BUILD) -DHEADROOM_TRAINING=ON >/dev/null
	cmake --build $(BUILD) -j $(JOBS) --target headroom headroom-train

# The programs that measure, which `make test` leaves out of the build folder.
with-bench: build
	@cmake -S . -B $(BUILD) -DHEADROOM_BENCH=ON >/dev/null

# The training half is built second: the first answers need not wait for it.
demo: build-inference ## classify headlines, then build the training half, train on tickets, write a report
	@scripts/demo answers
	@$(MAKE) --no-print-directory build
	@scripts/demo train

PREFIX ?= /usr/local
install: build ## install programs, library, headers and man pages below PREFIX (/usr/local)
	cmake --install $(BUILD) --prefix $(PREFIX)

configure: check-packages ## configure the release build with tests
	cmake --preset release -DHEADROOM_TRAINING=ON -DHEADROOM_TESTS=ON -DHEADROOM_PLAIN_TESTS=ON -DHEADROOM_UNITY=OFF \
	  -DHEADROOM_BENCH=ON

# Tests of plain layers are compiled once, under the sanitizers; the release build tests what is fast
# or needs libtorch. `make configure` builds all of them for release too.
test: check-packages format-check ## everything CI does: format, build, tidy, sanitizers, tests
	@scripts/check-page
	@scripts/check-links
	cmake --preset release -DHEADROOM_TRAINING=ON -DHEADROOM_TESTS=ON -DHEADROOM_PLAIN_TESTS=OFF -DHEADROOM_UNITY=ON \
	  -DHEADROOM_BENCH=OFF \
	  -DHEADROOM_PYTHON=ON -DPython_EXECUTABLE=$(PYTHON)
	cmake --build $(BUILD) -j $(JOBS)
	JOBS=$(JOBS) scripts/tidy --quick
	$(MAKE) --no-print-directory asan
	ctest --preset release -j $(JOBS)
	@scripts/count-tests $(BUILD)
	@scripts/count-tests $(BUILD)/asan-ubsan

format: ## format all C++ files in place
	@scripts/format apply

format-check: ## fail if a C++ file is not formatted
	@scripts/format check

tidy: configure ## clang-tidy over all sources; `make test` runs a few checks, on the layers without libtorch
	JOBS=$(JOBS) scripts/tidy

# Without optimisation sanitized code compiles five times faster, and several files at once twice as
# fast again; the tests are short.
ASAN_FLAGS := -O0 -g0

asan: ## address and undefined-behaviour sanitizers over the half without libtorch
	cmake --preset asan-ubsan -DCMAKE_UNITY_BUILD=ON -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='$(ASAN_FLAGS)'
	cmake --build --preset asan-ubsan -j $(JOBS)
	ctest --preset asan-ubsan -j $(JOBS)

KILLS ?= 50
test-kill: build ## kill a training KILLS (50) times and interrupt one half as often, resume, compare the bits; full disks where root
	@scripts/test-kill $(KILLS)

test-rank-kill: build ## kill one of four training processes 20 times: the others must notice and end
	@scripts/test-rank-kill

test-elastic: build ## one job loses a process 20 times and gets some back: the model of one process
	@PYTHON=$(PYTHON) scripts/test-elastic

LINES ?= 10000000
test-bulk: build-inference ## LINES (10 million) over 4 workers, 3 of them killed: the bytes of one run
	@scripts/test-bulk $(LINES)

THREADED_TESTS := engine_test server_test http_test
test-threads: check-packages ## the tests of the engine and the server under the thread sanitizer
	cmake --preset tsan -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g1' -DCMAKE_UNITY_BUILD=ON
	cmake --build --preset tsan -j $(JOBS) --target $(THREADED_TESTS)
	set -e; export TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan-suppressions.txt; \
	for test in $(THREADED_TESTS); do $(BUILD)/tsan/bin/$$test --gtest_brief=1; done

# Every kernel of every instruction set beside its reference, and the choice among them on CPUs with fewer. Times of an
# emulated CPU say nothing.
EMULATED_ARM64 := qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu
test-arm64: ## the kernels of 64-bit ARM CPUs, on an emulated one
	@scripts/install-packages arm64
	cmake --preset arm64
	cmake --build --preset arm64 -j $(JOBS) --target kernels_test
	$(EMULATED_ARM64) max $(BUILD)/arm64/bin/kernels_test --gtest_brief=1
	set -e; for cpu in cortex-a57 neoverse-n1; do \
	  $(EMULATED_ARM64) $$cpu $(BUILD)/arm64/bin/kernels_test --gtest_brief=1 --gtest_filter=IsaChoice.*; done

# Valgrind 3.19 knows no AVX-512 and says so to programs: the tests then end with AVX2. One of them
# counts allocations with operators of its own, of which valgrind would replace new and miss delete.
test-valgrind: configure ## the engine's tests under valgrind, which sees reads of memory that nobody set
	@scripts/install-packages valgrind
	cmake --build $(BUILD) -j $(JOBS) --target engine_test
	valgrind -q --soname-synonyms=somalloc=nouserintercepts --error-exitcode=9 \
	  --leak-check=full --errors-for-leak-kinds=definite $(BUILD)/bin/engine_test --gtest_brief=1

coverage: ## lines that the tests reach, as a table; build/coverage/html/index.html has every line
	@scripts/install-packages coverage
	@JOBS=$(JOBS) scripts/coverage

FUZZ_SECONDS ?= 60
fuzz: ## every parser for FUZZ_SECONDS (60) under libFuzzer, then the kernels on random models
	@scripts/install-packages fuzz
	cmake --preset fuzz
	cmake --build --preset fuzz -j $(JOBS) --target fuzz-targets differential_test
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz
	HEADROOM_ROUNDS=$$((2 * $(FUZZ_SECONDS))) $(BUILD)/fuzz/bin/differential_test --gtest_brief=1

bench-parallel: build ## how much more two processes train than one; needs HEADROOM_DATA (minutes)
	@scripts/bench-parallel

measure-limits: build ## what texts, requests, rows and models that are too large get, and the memory that takes
	@scripts/measure-limits

bench-hardening: with-bench ## what the hardened flags cost the engine, in turns with a build without them
	@JOBS=$(JOBS) scripts/bench-hardening

compare-engine: with-bench ## the engine beside that of another commit, in turns in one process: make compare-engine BASE=main~5
	@JOBS=$(JOBS) scripts/compare-engine $(BASE)

bench-attention: with-bench ## whole models of each kind of attention in our engine, one thread (claim 20; 4 minutes)
	cmake --build $(BUILD) -j $(JOBS) --target bench-attention
	@$(BUILD)/bin/bench-attention --commit $$(git rev-parse --short HEAD)

bench-training: with-bench ## training throughput of this machine, in samples per second
	@scripts/bench-training

peers: ## install ONNX Runtime (npm) into build/peers, for `headroom bench --peer`
	@scripts/install-peers

bench-engine: with-bench peers ## the engine beside ONNX Runtime, one thread; texts found under $HEADROOM_DATA
	@scripts/bench-engine

bench-goals: with-bench peers ## the engine beside ONNX Runtime on three sizes of model, with the goals, as JSON (minutes)
	cmake --build $(BUILD) -j $(JOBS) --target bench-random-model
	@scripts/bench-engine --goals

# Programs of bench/ are built on their own: `make build` leaves them out.
bench-serving: with-bench ## what a server sustains, with and without the controller; texts under $$HEADROOM_DATA
	cmake --build $(BUILD) -j $(JOBS) --target bench-load
	@scripts/bench-serving

bench-overload: with-bench peers ## goodput, accuracy and refusals at 1 to 5 times capacity, beside ONNX Runtime (10 minutes)
	cmake --build $(BUILD) -j $(JOBS) --target bench-overload
	@scripts/bench-overload

bench-overhead: check-packages with-bench ## what HTTP with JSON, and TLS, cost a request on a kept connection (30 seconds)
	cmake --build $(BUILD) -j $(JOBS) --target bench-overhead
	@scripts/bench-overhead

bench-bulk: with-bench ## texts a second of predict beside its engine and fastText; texts under $$HEADROOM_DATA
	@scripts/install-packages peers
	cmake --build $(BUILD) -j $(JOBS) --target bench-bulk
	@scripts/bench-bulk

bench-cascade: with-bench peers ## accuracy and time of --budget auto on AG News, found under $$HEADROOM_DATA, and of peers
	@scripts/install-packages peers
	cmake --build $(BUILD) -j $(JOBS) --target bench-cascade
	@scripts/bench-cascade --precision bf16

bench-rung-zero: with-bench ## settings of rung zero's training on seven data sets, found under $$HEADROOM_DATA (15 minutes)
	cmake --build $(BUILD) -j $(JOBS) --target bench-rung-zero
	@$(BUILD)/bin/bench-rung-zero --commit $$(git rev-parse --short HEAD)

test-clients: build ## OpenAI's and gRPC's clients for Node (npm), over TLS too, curl, TEI's and Triton's requests against a server
	@scripts/test-clients $(BUILD)

SOAK_SECONDS ?= 600
soak: check-packages with-bench ## a server with TLS under twice its load and faulty clients, reloaded every minute, for SOAK_SECONDS (600)
	cmake --build $(BUILD) -j $(JOBS) --target bench-load
	@scripts/soak-serving $(SOAK_SECONDS)

attack: with-bench ## every attack of SECURITY.md's table on a server of this build (about 3 minutes)
	cmake --build $(BUILD) -j $(JOBS) --target bench-attack
	@scripts/attack

bench-families: with-bench peers ## every family beside Transformers (MODELS) and ONNX Runtime; texts under $HEADROOM_DATA
	cmake --build $(BUILD) -j $(JOBS) --target bench-families
	@scripts/bench-families

bench-tokenizer: with-bench ## WordPiece speed of this machine on AG News, found under $HEADROOM_DATA
	@scripts/bench-tokenizer

simulate-serving: with-bench ## the server's deadline controller in simulated time, 1,000 replicas (minutes)
	@scripts/simulate-serving

reproduce-synthetic: build ## the budgeted experiment on the synthetic task, all arms and seeds (slow)
	$(HEADROOM) reproduce budgeted --task synthetic --seeds $(SEEDS) --device $(DEVICE) --out out/budgeted-synthetic

reproduce-nested: build ## nested heads+FFN on AG News from models/base-mini, with fastText (hours; DEVICE=cuda helps)
	@scripts/install-packages peers
	$(HEADROOM) reproduce nested --task agnews --init models/base-mini --seeds $(SEEDS) --device $(DEVICE) --out out/nested-agnews

reproduce-agnews: build ## the same on AG News, found under $HEADROOM_DATA (slower; DEVICE=cuda helps)
	$(HEADROOM) reproduce budgeted --task agnews --seeds $(SEEDS) --device $(DEVICE) --out out/budgeted-agnews

reproduce-adaptive: build ## heads chosen per input on AG News against their controls (hours; DEVICE=cuda helps)
	$(HEADROOM) reproduce adaptive --task agnews --seeds $(SEEDS) --device $(DEVICE) --out out/adaptive-agnews

api-docs: ## the C++ API as pages in build/api-docs/html, by Doxygen; fails where something is undocumented
	@scripts/install-packages api-docs
	@mkdir -p $(BUILD)/api-docs
	doxygen docs/Doxyfile

reference: build ## make docs/cli-reference.md, man/ and completions/ from the parser
	cmake --build $(BUILD) -j $(JOBS) --target headroom-reference
	@scripts/reference apply $(BUILD)

python: ## build the Python package into build/python, where PYTHONPATH finds it (docs/python.md)
	@scripts/install-packages python
	@[ -e $(BUILD)/build.ninja ] || cmake --preset release -DHEADROOM_TESTS=OFF
	cmake -S . -B $(BUILD) -DHEADROOM_PYTHON=ON -DPython_EXECUTABLE=$(PYTHON)
	cmake --build $(BUILD) -j $(JOBS) --target headroom_python

test-python: python build ## `pip wheel .` with and without training, installed without a network, and tested (minutes)
	@scripts/install-packages python-tests
	@scripts/check-python-package

test-dask: python build ## Dask for real: scheduler and workers, one killed, one joining; what it costs (a minute)
	@scripts/install-packages dask
	PYTHONPATH=$(BUILD)/python timeout 600 $(PYTHON) tests/python/dask_cluster.py

test-mpi: build ## Open MPI for real: mpirun over two hosts, both this machine, trains the model of one process
	@scripts/install-packages mpi
	@PYTHON=$(PYTHON) scripts/test-mpi $(BUILD)

test-slurm: build ## Slurm for real, as root: two nodes train, one fails; an array scores, one task is killed (two minutes)
	@scripts/install-packages slurm
	@PYTHON=$(PYTHON) scripts/test-slurm $(BUILD)

# Packages hold three targets; CMake would build the tests and benchmarks before it packs them.
deb: build ## build Debian packages into build/packages (packaging/README.md)
	@scripts/install-packages deb
	cmake -S . -B $(BUILD) -DCMAKE_INSTALL_LIBDIR=lib/$$(dpkg-architecture -qDEB_HOST_MULTIARCH) \
	  -DCMAKE_SKIP_INSTALL_ALL_DEPENDENCY=ON
	cmake --build $(BUILD) -j $(JOBS) --target headroom headroom-train headroom_shared
	rm -rf $(BUILD)/packages
	cd $(BUILD) && cpack

release: deb ## what a release page offers, in build/packages: Debian packages and a tarball that needs nothing installed
	@scripts/make-tarball $(BUILD)
	@cd $(BUILD)/packages && sha256sum *.deb *.tar.gz >SHA256SUMS && cat SHA256SUMS

test-deb: deb ## check the packages, and as root install them on a fresh Debian 12 (minutes)
	@scripts/check-deb $$([ $$(id -u) = 0 ] && echo --root) $(BUILD)

# Node from wherever it is: Debian's npm cannot be installed beside another vendor's Node.
web/node_modules/.package-lock.json: web/package-lock.json
	@which node npm chromium >/dev/null || scripts/install-packages page
	cd web && npm ci --no-audit --no-fund

# What it builds is in the repository, so that building the server needs no Node.
page: web/node_modules/.package-lock.json ## build the server's page from web/ into src/server/api/page (installs Node)
	cd web && npm run build

test-page: web/node_modules/.package-lock.json ## drive the page in headless Chromium; screenshots in build/page-screenshots
	scripts/check-page --rebuild
	cd web && npm test

clean: ## remove everything that was built
	rm -rf $(BUILD)
