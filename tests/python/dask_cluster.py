"""Dask for real, by `make test-dask`: a scheduler and workers as processes of their own score files; a worker is
killed and another joins; then what Dask costs beside the same work in one plain process per core."""

import multiprocessing
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Iterator

ROOT = Path(__file__).parents[2]
MODEL = str(ROOT / "models" / "news-mini")
sys.path.insert(0, str(ROOT / "docs" / "examples"))

import dask_score  # noqa: E402
from distributed import Client  # noqa: E402

FILES = 24
LINES = int(os.environ.get("LINES_A_FILE", "1000"))
ROUNDS = 5
CORES = len(os.sched_getaffinity(0))
TOPICS = ["Oil prices", "The champions", "Astronomers", "Ministers", "Shares of the bank", "The goalkeeper"]


def texts_of(file: int) -> Iterator[str]:
    for line in range(LINES):
        topic = TOPICS[(file + line) % len(TOPICS)]
        yield f"{topic} made news for the {line}th time in {file + 1900}, said {'those who know ' * (line % 7)}today"


class Cluster:
    """A scheduler and workers on the loopback address, all ended with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes: "list[subprocess.Popen[bytes]]" = []
        self.start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")

    def start(self, program: str, *options: str) -> "subprocess.Popen[bytes]":
        log = open(self.folder / f"{program}-{len(self.processes)}.log", "wb")
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{program}", "--scheduler-file", str(self.file)]
            + list(options),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        log.close()
        self.processes.append(process)
        return process

    def start_worker(self, name: str) -> "subprocess.Popen[bytes]":
        place = ["--host", "127.0.0.1", "--local-directory", str(self.folder / name)]
        return self.start("dask_worker", "--name", name, "--nthreads", "1", "--no-nanny", "--no-dashboard", *place)

    def end(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()


def killed_and_joined(client: Client, cluster: Cluster, files: "list[str]", folder: Path) -> None:
    """Byte-equal output after a worker was killed in the middle and another joined."""
    expected = folder / "expected"
    expected.mkdir()
    for file in files:
        dask_score.score_file(file, MODEL, str(expected), budget=0.25)
    victim = cluster.start_worker("victim")
    client.wait_for_workers(CORES + 1)
    out = folder / "answers"
    out.mkdir()
    futures = client.map(dask_score.score_file, files, model=MODEL, out=str(out), budget=0.25, pure=False)
    while sum(future.done() for future in futures) < FILES // 6:
        time.sleep(0.02)
    running = {address for address, keys in client.processing().items() if keys}
    assert len(running) == CORES + 1, f"not all workers were busy: {running}"
    victim.send_signal(signal.SIGKILL)
    cluster.start_worker("joined")
    done = dict(client.gather(futures))
    joined = [each for each in client.scheduler_info()["workers"].values() if each["name"] == "joined"]
    # Only what was renamed counts: the killed worker's unfinished file lies beside, under a name of its own.
    answers = sorted(out.glob("*.jsonl"))
    assert [str(each) for each in answers] == sorted(done), "files are missing or doubled"
    assert sum(done.values()) == FILES * LINES
    for each in answers:
        assert each.read_bytes() == (expected / each.name).read_bytes(), f"{each.name} differs"
    print(f"{FILES} files, {FILES * LINES} texts: worker {victim.pid} killed, {len(joined)} joined; byte-equal")
    assert joined, "the new worker did not join"


def score_share(share: "list[str]", out: str) -> int:
    return sum(dask_score.score_file(file, MODEL, out, budget=0.25)[1] for file in share)


def seconds(run: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def overhead(client: Client, files: "list[str]", folder: Path) -> float:
    """Time of Dask over that of one plain process per core, in turns; both have loaded their models."""
    out = str(folder / "timed")
    os.makedirs(out)
    shares = [(files[core::CORES], out) for core in range(CORES)]
    options = {"model": MODEL, "out": out, "budget": 0.25, "pure": False}
    with multiprocessing.get_context("spawn").Pool(CORES) as pool:

        def plain() -> None:
            pool.starmap(score_share, shares, chunksize=1)

        def dask() -> None:
            client.gather(client.map(dask_score.score_file, files, **options))

        plain()
        dask()
        ratios = []
        for turn in range(ROUNDS):
            order = [plain, dask] if turn % 2 == 0 else [dask, plain]
            times = {run.__name__: seconds(run) for run in order}
            ratios.append(times["dask"] / times["plain"])
            print(f"round {turn + 1}: plain {times['plain']:.2f} s, Dask {times['dask']:.2f} s")
    return statistics.median(ratios)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = []
        for file in range(FILES):
            source = folder / f"texts-{file:02}.txt"
            source.write_text("".join(text + "\n" for text in texts_of(file)), encoding="utf-8")
            files.append(str(source))
        cluster = Cluster(folder)
        try:
            for core in range(CORES):
                cluster.start_worker(f"core-{core}")
            while not cluster.file.exists():
                time.sleep(0.05)
            with Client(scheduler_file=str(cluster.file)) as client:
                killed_and_joined(client, cluster, files, folder)
                client.retire_workers(names=["joined"])
                cost = overhead(client, files, folder)
        finally:
            cluster.end()
    print(f"Dask took {cost:.3f} times as long as {CORES} plain process(es), median of {ROUNDS} rounds")
    if cost > 1.05:
        sys.exit("more than 5 % over plain processes")


if __name__ == "__main__":
    main()
