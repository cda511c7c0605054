// Answers that were given before, for texts that come again: bounded, the least used go first. What
// is kept are the bits that the engine gave for exactly these tokens at exactly what ran.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "headroom/types.h"

namespace headroom::server {

class AnswerCache {
 public:
  // So many bytes of keys and answers, their bookkeeping included.
  explicit AnswerCache(uint64_t limit) : limit_(limit) {}
  AnswerCache(const AnswerCache&) = delete;
  AnswerCache& operator=(const AnswerCache&) = delete;

  // All that an answer depends on: the model as it was loaded (ServedModel::id), its tokens, and
  // the budget that runs or, of one that climbs, the level of its thresholds.
  static std::string key(uint64_t model, double budget, std::optional<size_t> ladder,
                         const Tokens& tokens);

  // Each for any thread.
  std::optional<Answer> find(const std::string& key);
  void store(std::string key, const Answer& answer);
  uint64_t bytes() const;

 private:
  struct Entry {
    std::string key;
    Answer answer;
    uint64_t bytes = 0;
  };
  using Entries = std::list<Entry>;

  const uint64_t limit_;
  mutable std::mutex mutex_;                          // guards what follows
  Entries entries_;                                   // the last used first
  std::map<std::string_view, Entries::iterator> by_;  // keys of the entries
  uint64_t bytes_ = 0;
};

}  // namespace headroom::server
