#include "cli/bulk/predict.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "cli/bulk/answer_file.h"
#include "cli/bulk/progress.h"
#include "engine/thread_pool.h"

namespace headroom {
namespace {

// A batch is what a thread computes in about half a second at a text of 60 tokens and budget 1,
// times the threads: large enough that waiting for its last texts costs a percent, small enough for
// Ctrl-C and progress.
constexpr size_t lines_a_thread = 128;
constexpr size_t bytes_a_thread = size_t{512} << 10;

void print_answers(const std::string& answers) {
  // Flushed: whoever feeds us line by line waits for the answer.
  if (std::fwrite(answers.data(), 1, answers.size(), stdout) != answers.size() ||
      std::fflush(stdout) != 0) {
    throw Error(ErrorCode::runtime, "write answers", std::strerror(errno));
  }
}

Json job_of(const BulkRequest& request) {
  Json job = request.job;
  job["files"] = request.files;
  job["input"] = request.form.jsonl ? "jsonl" : "text";
  job["json"] = request.form.json;
  job["timing"] = request.form.timing;
  job["from_byte"] = request.from_byte;
  if (request.shard) {
    // Of a file that has grown, the shards are others.
    job["shard"] = fmt::format("{}/{}", request.shard->index, request.shard->count);
    job["file_bytes"] = bytes_on_disk(request.files.front());
  }
  return job;
}

// Goes to the shard's first line; returns its bytes.
LineRange enter_shard(InputStream& input, const Shard& shard) {
  if (input.peek().empty()) return {0, 0};
  if (input.compressed() || !input.stored_size()) {
    throw Error(ErrorCode::usage, "predict",
                fmt::format("--shard needs a plain file, and {} is {}: every shard would have to "
                            "read it from the beginning",
                            input.name(), input.compressed() ? "compressed" : "a pipe"));
  }
  const LineRange range = shard_range(*input.stored_size(), shard.index, shard.count);
  start_within(input, range.begin);
  return range;
}

class BulkRun {
 public:
  BulkRun(const TextEngine& engine, const ModelConfig& config, const BulkRequest& request)
      : engine_(engine),
        config_(config),
        request_(request),
        threads_(engine.threads),
        limits_{lines_a_thread * static_cast<size_t>(engine.threads),
                bytes_a_thread * static_cast<size_t>(engine.threads)},
        progress_(request.files, request.out.empty()) {
    state_.input_byte = request.from_byte;
    if (request.out.empty()) return;
    file_ = std::make_unique<AnswerFile>(request.out, job_of(request), request.resume);
    if (file_->state().answers > 0) state_ = file_->state();
  }

  void run() {
    if (file_ && file_->state().complete) {
      progress_.note(fmt::format("headroom: {} is complete", request_.out));
      return;
    }
    first_answers_ = state_.answers;
    try {
      for (; state_.file < request_.files.size(); ++state_.file, state_.input_byte = 0) {
        predict_file(request_.files[state_.file]);
      }
    } catch (const Error& error) {
      if (file_) file_->save();
      if (error.code() == ErrorCode::interrupted) throw stopped();
      throw;
    }
    if (file_) file_->finish();
    if (state_.marked > 0) {
      progress_.note(fmt::format("headroom: {} of {} rows could not be answered and are marked",
                                 state_.marked, state_.answers));
    }
  }

 private:
  void predict_file(const std::string& path) {
    InputStream input(path);
    name_ = input.name();
    LineRange range;
    if (request_.shard) {
      range = enter_shard(input, *request_.shard);
      progress_.set_range(range);
    }
    if (state_.input_byte > input.offset()) start_at_line(input, state_.input_byte);
    counted_ = input.offset() == 0;
    LineBatches batches(input, range.end, limits_);
    progress_.update(state_.file, input, 0, state_.marked);
    for (std::vector<InputLine> batch; batches.next(batch);) {
      answer_batch(batch, input.offset());
      progress_.update(state_.file, input, state_.answers - first_answers_, state_.marked);
    }
  }

  // `end` is the first byte behind the batch.
  void answer_batch(const std::vector<InputLine>& batch, uint64_t end) {
    std::vector<LineOutcome> outcomes(batch.size());
    const std::span<const InputLine> lines = batch;
    const std::span<LineOutcome> results = outcomes;
    threads_.share(batch.size(), engine_.batch, [&](size_t begin, size_t stop) {
      if (interrupt_requested()) return;
      answer_lines(engine_, config_, request_.form, lines.subspan(begin, stop - begin),
                   results.subspan(begin, stop - begin));
    });
    std::string answers;
    size_t done = 0;
    for (; done < outcomes.size() && outcomes[done].text; ++done) {
      answers += *outcomes[done].text;
      state_.answers += outcomes[done].text->empty() ? 0 : 1;
      state_.marked += outcomes[done].problem ? 1 : 0;
    }
    state_.input_byte = done < batch.size() ? batch[done].begin : end;
    if (file_) {
      file_->append(answers, state_);
    } else {
      print_answers(answers);
    }
    if (done == batch.size()) return;
    if (outcomes[done].problem) throw refused(batch[done], *outcomes[done].problem);
    throw Error(ErrorCode::interrupted, "predict", "stopped");
  }

  Error refused(const InputLine& line, const Error& problem) const {
    const std::string position =
        counted_ ? fmt::format("line {}", line.number) : fmt::format("line at byte {}", line.begin);
    return {problem.code(), "predict",
            fmt::format("{} {}: {}", name_, position, problem.message())};
  }

  Error stopped() const {
    return {
        ErrorCode::interrupted, "predict",
        fmt::format("stopped before byte {} of {}; {} goes on from there", state_.input_byte, name_,
                    file_ ? "--resume" : fmt::format("--from-byte {}", state_.input_byte))};
  }

  const TextEngine& engine_;
  const ModelConfig& config_;
  const BulkRequest& request_;
  ThreadPool threads_;
  BatchLimits limits_;
  BulkProgress progress_;
  std::unique_ptr<AnswerFile> file_;  // none: standard output
  AnswerState state_;
  int64_t first_answers_ = 0;  // of earlier runs
  std::string name_;           // of the file being read
  bool counted_ = true;        // its lines, from the first one
};

}  // namespace

Shard parse_shard(const std::string& text) {
  const auto number = [](const char* begin, const char* end, uint64_t& value) {
    const auto [stop, error] = std::from_chars(begin, end, value);
    return error == std::errc() && stop == end;
  };
  Shard shard;
  const char* const end = text.data() + text.size();
  const size_t slash = text.find('/');
  if (slash == std::string::npos || !number(text.data(), text.data() + slash, shard.index) ||
      !number(text.data() + slash + 1, end, shard.count) || shard.index < 1 ||
      shard.index > shard.count) {
    throw Error(ErrorCode::usage, "read options",
                fmt::format("--shard \"{}\" is not a part of a whole such as 1/16 to 16/16", text));
  }
  return shard;
}

void check_bulk_request(const BulkRequest& request) {
  const auto refuse = [](const char* fact) { throw Error(ErrorCode::usage, "read options", fact); };
  if (request.resume && request.out.empty()) refuse("--resume goes on with a file: give --out");
  if (request.from_byte > 0 && request.shard) refuse("give --from-byte or --shard, not both");
  if ((request.from_byte > 0 || request.shard) && request.files.size() != 1) {
    refuse("--from-byte and --shard are for one file");
  }
}

void predict_bulk(const TextEngine& engine, const ModelConfig& config, const BulkRequest& request) {
  BulkRun(engine, config, request).run();
}

}  // namespace headroom
