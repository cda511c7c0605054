#include "server/service/answer_cache.h"

#include <cstring>
#include <utility>

namespace headroom::server {
namespace {

template <typename Number>
void append(std::string& key, Number number) {
  char bytes[sizeof(number)];
  std::memcpy(bytes, &number, sizeof(number));
  key.append(bytes, sizeof(number));
}

void append(std::string& key, const std::vector<int32_t>& numbers) {
  append(key, numbers.size());
  for (const int32_t number : numbers) append(key, number);
}

template <typename Value>
uint64_t bytes_of(const std::vector<Value>& values) {
  return values.capacity() * sizeof(Value);
}

}  // namespace

std::string AnswerCache::key(uint64_t model, double budget, std::optional<size_t> ladder,
                             const Tokens& tokens) {
  std::string key;
  key.reserve(48 + sizeof(int32_t) * (tokens.ids.size() + tokens.types.size()));
  append(key, model);
  append(key, ladder.has_value());
  if (ladder) {
    append(key, *ladder);
  } else {
    append(key, budget);
  }
  append(key, tokens.truncated);
  append(key, tokens.ids);
  append(key, tokens.types);
  return key;
}

std::optional<Answer> AnswerCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_.find(key);
  if (found == by_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->answer;
}

void AnswerCache::store(std::string key, const Answer& answer) {
  constexpr uint64_t bookkeeping = 128;  // nodes of the list and the map, and what malloc adds
  const uint64_t bytes = sizeof(Entry) + bookkeeping + key.size() + bytes_of(answer.scores) +
                         bytes_of(answer.labels) + bytes_of(answer.embedding) +
                         bytes_of(answer.rungs);
  if (bytes > limit_) return;
  Entries fresh;
  fresh.push_front({std::move(key), answer, bytes});
  const std::lock_guard lock(mutex_);
  // Where memory ends here, nothing has changed yet.
  if (!by_.emplace(fresh.front().key, fresh.begin()).second) return;
  entries_.splice(entries_.begin(), fresh);
  bytes_ += bytes;
  while (bytes_ > limit_) {
    bytes_ -= entries_.back().bytes;
    by_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

uint64_t AnswerCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace headroom::server
