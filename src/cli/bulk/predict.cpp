#include "cli/bulk/predict.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "cli/bulk/answer_file.h"
#include "cli/bulk/progress.h"
#include "cli/bulk/shard_folder.h"
#include "data/catalog/spec.h"
#include "data/sources.h"
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
  job["files"] = request.inputs.files;
  job["input"] = request.inputs.format;
  if (!request.inputs.texts.empty()) job["texts"] = request.inputs.texts;
  job["json"] = request.form.json;
  job["timing"] = request.form.timing;
  job["from_byte"] = request.from_byte;
  if (request.shard) {
    // Of a file that has grown, the shards are others.
    job["shard"] = request.shard->name();
    job["file_bytes"] = bytes_on_disk(request.inputs.all().front().path);
  }
  return job;
}

// Whose bytes say how far a run is: none where some input has rows instead.
std::vector<std::string> sized_files(const std::vector<TextInput>& inputs) {
  std::vector<std::string> paths;
  for (const TextInput& input : inputs) {
    if (input.kind == InputKind::rows) return {};
    paths.push_back(input.path);
  }
  return paths;
}

class BulkRun {
 public:
  BulkRun(const TextEngine& engine, const ModelConfig& config, const BulkRequest& request)
      : engine_(engine),
        config_(config),
        request_(request),
        inputs_(request.inputs.all()),
        threads_(engine.threads),
        limits_{lines_a_thread * static_cast<size_t>(engine.threads),
                bytes_a_thread * static_cast<size_t>(engine.threads)},
        progress_(sized_files(inputs_), request.out.empty() && request.out_dir.empty()) {
    state_.input_byte = request.from_byte;
  }

  void run() {
    if (!request_.out_dir.empty()) {
      run_shard(ShardFolder(request_.out_dir, *request_.shard));
    } else if (request_.out.empty()) {
      answer_inputs();
    } else {
      answer_into(request_.out, request_.resume);
    }
  }

 private:
  void run_shard(const ShardFolder& folder) {
    Json job = job_of(request_);
    job.erase("shard");
    if (folder.complete(job)) {
      progress_.note(fmt::format("headroom: shard {} is complete", request_.shard->name()));
      return;
    }
    answer_into(folder.part(), true);
    folder.commit(job, inputs_.front(), file_->state());
  }

  void answer_into(const std::string& path, bool resume) {
    file_ = std::make_unique<AnswerFile>(path, job_of(request_), resume);
    if (file_->replaces()) {
      progress_.note(fmt::format("headroom: {} had answers, which are replaced", path));
    }
    if (file_->state().answers > 0) state_ = file_->state();
    if (file_->state().complete) {
      progress_.note(fmt::format("headroom: {} is complete", path));
      return;
    }
    if (state_.answers > 0) {
      progress_.note(fmt::format("headroom: {} has {} answers, goes on", path, state_.answers));
    }
    first_answers_ = state_.answers;
    answer_inputs();
  }

  void answer_inputs() {
    try {
      if (!request_.inputs.texts.empty()) predict_texts(request_.inputs.texts);
      for (; state_.file < inputs_.size(); ++state_.file, state_.input_byte = 0) {
        kind_ = inputs_[state_.file].kind;
        if (kind_ == InputKind::rows) {
          predict_rows(inputs_[state_.file].path);
        } else {
          predict_file(inputs_[state_.file].path);
        }
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
    if (truncated_ > 0) {
      progress_.note(fmt::format("headroom: {} of {} texts were cut: this model reads {} tokens",
                                 truncated_, state_.answers - first_answers_,
                                 config_.longest_input()));
    }
  }

  void predict_texts(const std::vector<std::string>& texts) {
    name_ = "--text";
    std::vector<InputLine> batch;
    batch.reserve(texts.size());
    for (const std::string& text : texts) {
      batch.push_back({text, static_cast<int64_t>(batch.size()) + 1, batch.size()});
    }
    answer_batch(batch, batch.size());
  }

  // Rows are counted where lines have bytes.
  void predict_rows(const std::string& spec) {
    std::vector<InputLine> batch;
    size_t bytes = 0;
    uint64_t rows = 0;
    const uint64_t answered = state_.input_byte;
    const auto answer = [&] {
      if (!batch.empty()) answer_batch(batch, rows);
      progress_.update(state_.answers - first_answers_, state_.marked);
      batch.clear();
      bytes = 0;
    };
    counted_ = true;
    const auto columns = read_texts(
        parse_data_spec(spec), request_.data_dir, config_.task,
        [&](RawRow& row, const RowOrigin& origin) {
          if (origin.file != name_ || batch.size() == limits_.lines || bytes > limits_.bytes) {
            answer();
            name_ = origin.file;
          }
          if (rows++ < answered) return;
          bytes += row.text.size() + row.text_pair.size();
          batch.push_back({std::move(row.text), origin.line, rows - 1});
          if (row.has_pair) batch.back().pair = std::move(row.text_pair);
        });
    answer();
    for (const std::string& read : columns) {
      progress_.note(fmt::format("headroom: {}; labels are not read", read));
    }
  }

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
      answer_lines(engine_, config_, request_.form, kind_, lines.subspan(begin, stop - begin),
                   results.subspan(begin, stop - begin));
    });
    std::string answers;
    size_t done = 0;
    for (; done < outcomes.size() && outcomes[done].text; ++done) {
      answers += *outcomes[done].text;
      state_.answers += outcomes[done].text->empty() ? 0 : 1;
      state_.marked += outcomes[done].problem ? 1 : 0;
      truncated_ += outcomes[done].truncated ? 1 : 0;
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
    const std::string position = !counted_          ? fmt::format(" line at byte {}", line.begin)
                                 : line.number == 0 ? ""  // the file is the row
                                                    : fmt::format(" line {}", line.number);
    return {problem.code(), "predict", fmt::format("{}{}: {}", name_, position, problem.message())};
  }

  Error stopped() const {
    const bool rows = kind_ == InputKind::rows;
    const std::string advice =
        !request_.out_dir.empty() ? "the same command goes on from there"
        : file_                   ? "--resume goes on from there"
        : rows                    ? "with --out, --resume can go on from there"
               : fmt::format("--from-byte {} goes on from there", state_.input_byte);
    return {ErrorCode::interrupted, "predict",
            fmt::format("stopped {} {} of {}; {}", rows ? "before row" : "before byte",
                        state_.input_byte + (rows ? 1 : 0), name_, advice)};
  }

  const TextEngine& engine_;
  const ModelConfig& config_;
  const BulkRequest& request_;
  std::vector<TextInput> inputs_;
  ThreadPool threads_;
  BatchLimits limits_;
  BulkProgress progress_;
  std::unique_ptr<AnswerFile> file_;  // none: standard output
  AnswerState state_;
  int64_t first_answers_ = 0;  // of earlier runs
  int64_t truncated_ = 0;      // texts of this run
  InputKind kind_ = InputKind::lines;
  std::string name_;     // of the file being read
  bool counted_ = true;  // its lines, from the first one
};

}  // namespace

void check_bulk_request(const BulkRequest& request) {
  const auto refuse = [](const char* fact) { throw Error(ErrorCode::usage, "read options", fact); };
  if (request.resume && request.out.empty()) refuse("--resume goes on with a file: give --out");
  if (request.resume && request.inputs.files.empty())
    refuse("--resume is for FILES, not for --text");
  if (!request.out_dir.empty() && (!request.out.empty() || !request.shard)) {
    refuse("--out-dir is a folder for --shard I/N, in place of --out");
  }
  if (request.from_byte > 0 && request.shard) refuse("give --from-byte or --shard, not both");
  if (request.from_byte == 0 && !request.shard) return;
  const std::vector<TextInput> inputs = request.inputs.all();
  if (inputs.size() != 1 || inputs[0].kind == InputKind::rows) {
    refuse("--from-byte and --shard are for one file of lines or JSON lines");
  }
}

void predict_bulk(const TextEngine& engine, const ModelConfig& config, const BulkRequest& request) {
  BulkRun(engine, config, request).run();
}

}  // namespace headroom
