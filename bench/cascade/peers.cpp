#include "cascade/peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <sstream>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/scratch_folder.h"
#include "checkpoint/onnx/writer.h"
#include "cli/engines/peer.h"
#include "fasttext.h"

namespace headroom {
namespace {

class OnnxRuntime {
 public:
  explicit OnnxRuntime(const PeerTask& task) : process_(task.directory) {
    for (const size_t row : task.timed) timed_.push_back(task.test_inputs[row]);
  }

  int load(const PeerTask& task, OnnxPrecision precision) {
    const std::filesystem::path file = folder_.path() / "model.onnx";
    write_file_atomically(file, onnx_model(task.model, 1, precision));
    return process_.load(file, 1);
  }

  double accuracy(int session, const PeerTask& task) {
    constexpr size_t rows_at_once = 32;
    size_t right = 0;
    for (size_t begin = 0; begin < task.test_inputs.size(); begin += rows_at_once) {
      const size_t count = std::min(rows_at_once, task.test_inputs.size() - begin);
      const std::span inputs = std::span(task.test_inputs).subspan(begin, count);
      const std::vector<float> logits = process_.run(session, process_.add_batch(inputs)).logits;
      const auto labels = static_cast<ptrdiff_t>(logits.size() / count);
      for (size_t row = 0; row < count; ++row) {
        const auto first = logits.begin() + static_cast<ptrdiff_t>(row) * labels;
        const auto best = std::max_element(first, first + labels) - first;
        right += best == task.test.rows[begin + row].label ? 1 : 0;
      }
    }
    return static_cast<double>(right) / static_cast<double>(task.test_inputs.size());
  }

  double time_ms(int session, size_t batch) {
    double sum = 0;
    for (const int id : batches_of(batch)) sum += process_.run(session, id).milliseconds;
    return sum;
  }

 private:
  const std::vector<int>& batches_of(size_t batch) {
    std::vector<int>& ids = batches_[batch];
    for (size_t begin = ids.size() * batch; begin < timed_.size(); begin += batch) {
      const size_t count = std::min(batch, timed_.size() - begin);
      ids.push_back(process_.add_batch(std::span(timed_).subspan(begin, count)));
    }
    return ids;
  }

  OnnxRuntimePeer process_;
  ScratchFolder folder_;
  std::vector<Tokens> timed_;
  std::map<size_t, std::vector<int>> batches_;
};

// The answers of the last predict() that are right.
double share_right(const FastText& fasttext, const TextDataset& test) {
  std::istringstream answers(fasttext.answers());
  std::string answer;
  size_t right = 0;
  for (const TextRow& row : test.rows) {
    std::getline(answers, answer);
    right += answer == fmt::format("__label__{}", row.label) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(test.rows.size());
}

Peer fasttext_peer(const PeerTask& task) {
  constexpr int copies = 100;  // of the texts, so that they take longer than loading does
  const auto fasttext = std::make_shared<FastText>(task.train, 1, 1);
  std::vector<TextRow> timed;
  for (const size_t row : task.timed) timed.push_back(task.test.rows[row]);
  const std::string all = fasttext->write_texts("all", timed, copies);
  const std::string none = fasttext->write_texts("none", {});
  const auto time_of = [fasttext](const std::string& file) {
    const auto started = std::chrono::steady_clock::now();
    fasttext->predict(file);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started)
        .count();
  };
  fasttext->predict(fasttext->write_texts("test", task.test.rows));
  return {"fastText", share_right(*fasttext, task.test),
          [=](size_t) { return (time_of(all) - time_of(none)) / copies; }};
}

}  // namespace

std::vector<Peer> find_peers(const PeerTask& task) {
  std::vector<Peer> peers;
  try {
    const auto runtime = std::make_shared<OnnxRuntime>(task);
    for (const auto& [name, precision] : {std::pair{"ONNX Runtime fp32", OnnxPrecision::fp32},
                                          {"ONNX Runtime int8", OnnxPrecision::int8}}) {
      const int session = runtime->load(task, precision);
      peers.push_back({name, runtime->accuracy(session, task),
                       [=](size_t batch) { return runtime->time_ms(session, batch); }});
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    fmt::print(stderr, "without ONNX Runtime: {}\n", error.what());
  }
  if (FastText::installed()) {
    peers.push_back(fasttext_peer(task));
  } else {
    fmt::print(stderr, "without fastText: scripts/install-packages peers installs it\n");
  }
  return peers;
}

}  // namespace headroom
