#include "server/keys/key_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace headroom::server {
namespace {

// The key of "Bearer KEY"; nothing for another field.
std::optional<std::string_view> bearer(std::string_view authorization) {
  constexpr std::string_view scheme = "bearer ";
  const std::string_view given = authorization.substr(0, scheme.size());
  const bool same =
      std::equal(given.begin(), given.end(), scheme.begin(), scheme.end(),
                 [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
  if (!same) return std::nullopt;
  return authorization.substr(scheme.size());
}

// Takes the same time wherever the first wrong byte is, so that timing tells nothing about the key
// but the length of what was sent. volatile: a compiler may not notice that one difference decides.
bool same_key(std::string_view given, const std::string& key) {
  volatile unsigned char difference = given.size() == key.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    const auto unequal = static_cast<unsigned char>(given[i] ^ key[i % key.size()]);
    difference = static_cast<unsigned char>(difference | unequal);
  }
  return difference == 0;
}

[[noreturn]] void quota_used(const KeyHolder& key, double limit, const char* what, double wait) {
  HttpError error(HttpErrorCode::quota_exceeded,
                  fmt::format("key \"{}\" has used its {} {} a minute", key.name(), limit, what));
  error.retry_after_seconds = wait;
  throw error;
}

std::optional<QuotaState> state_of(SharedQuota* shared, double now_seconds) {
  if (shared == nullptr) return std::nullopt;
  const std::lock_guard lock(shared->mutex);
  return shared->quota.state(now_seconds);
}

}  // namespace

void Quota::refill(double now_seconds) {
  if (filled_at_ > 0) {
    const double passed = std::max(0.0, now_seconds - filled_at_);
    left_ = std::min(per_minute_, left_ + per_minute_ * passed / 60);
  }
  filled_at_ = now_seconds;
}

double Quota::wait_seconds(double amount, double now_seconds) {
  refill(now_seconds);
  // Less than one a minute is saved up too, as one.
  const double wanted = std::min(amount, std::max(per_minute_, 1e-9));
  return left_ >= wanted ? 0 : 60 * (wanted - left_) / per_minute_;
}

void Quota::take(double amount, double now_seconds) {
  refill(now_seconds);
  left_ -= amount;
}

QuotaState Quota::state(double now_seconds) {
  refill(now_seconds);
  return {per_minute_, left_};
}

KeyHolder::KeyHolder(KeyRules rules) : rules_(std::move(rules)) {
  const auto quota_of = [](const std::optional<double>& per_minute) {
    return per_minute ? std::make_shared<SharedQuota>(*per_minute) : nullptr;
  };
  requests_ = quota_of(rules_.requests_per_minute);
  compute_ = quota_of(rules_.compute_seconds_per_minute);
}

void KeyHolder::inherit(const KeyHolder& former) {
  if (rules_.requests_per_minute == former.rules_.requests_per_minute) {
    requests_ = former.requests_;
  }
  if (rules_.compute_seconds_per_minute == former.rules_.compute_seconds_per_minute) {
    compute_ = former.compute_;
  }
}

void KeyHolder::require_asking() const {
  if (!rules_.read_only) return;
  throw HttpError(HttpErrorCode::forbidden,
                  fmt::format("key \"{}\" may look (GET), not ask: it is read-only", name()));
}

bool KeyHolder::may_use(const std::string& model) const {
  const std::string name = model.substr(0, model.find('@'));
  return rules_.models.empty() ||
         std::find(rules_.models.begin(), rules_.models.end(), name) != rules_.models.end();
}

void KeyHolder::require_admin() const {
  if (rules_.admin) return;
  throw HttpError(HttpErrorCode::forbidden,
                  fmt::format("key \"{}\" may not load models: it is no admin's", name()));
}

void KeyHolder::require_priority(Priority asked) const {
  if (asked >= rules_.priority) return;
  throw HttpError(HttpErrorCode::forbidden,
                  fmt::format("key \"{}\" may not ask with priority {}, only up to {}", name(),
                              priority_table.name(asked), priority_table.name(rules_.priority)));
}

void KeyHolder::require_model(const std::string& model) const {
  if (may_use(model)) return;
  throw HttpError(HttpErrorCode::forbidden,
                  fmt::format("key \"{}\" is not for model \"{}\"", name(), model));
}

void KeyHolder::take_request(double now_seconds) {
  if (compute_) {
    const std::lock_guard lock(compute_->mutex);
    const double wait = compute_->quota.wait_seconds(1e-9, now_seconds);  // in debt no more
    if (wait > 0) {
      quota_used(*this, *rules_.compute_seconds_per_minute, "compute-seconds", wait);
    }
  }
  if (!requests_) return;
  const std::lock_guard lock(requests_->mutex);
  const double wait = requests_->quota.wait_seconds(1, now_seconds);
  if (wait > 0) quota_used(*this, *rules_.requests_per_minute, "requests", wait);
  requests_->quota.take(1, now_seconds);
}

void KeyHolder::spend(double compute_seconds, double now_seconds) {
  if (!compute_) return;
  const std::lock_guard lock(compute_->mutex);
  compute_->quota.take(compute_seconds, now_seconds);
}

std::optional<QuotaState> KeyHolder::requests(double now_seconds) {
  return state_of(requests_.get(), now_seconds);
}

std::optional<QuotaState> KeyHolder::compute_seconds(double now_seconds) {
  return state_of(compute_.get(), now_seconds);
}

KeyRing::KeyRing(std::filesystem::path file) : file_(std::move(file)) {
  reload();
}

void KeyRing::reload() {
  if (file_.empty()) return;
  auto fresh = std::make_shared<Holders>();
  for (KeyRules& rules : read_key_file(file_)) {
    const std::string hash = rules.sha256;
    fresh->emplace(hash, std::make_shared<KeyHolder>(std::move(rules)));
  }
  const std::lock_guard lock(mutex_);
  if (holders_) {
    for (const auto& [hash, holder] : *fresh) {
      const auto former = holders_->find(hash);
      if (former != holders_->end()) holder->inherit(*former->second);
    }
  }
  holders_ = std::move(fresh);
}

std::shared_ptr<KeyHolder> KeyRing::admit(std::string_view authorization) const {
  std::shared_ptr<const Holders> holders;
  {
    const std::lock_guard lock(mutex_);
    holders = holders_;
  }
  if (!holders && one_key_.empty()) return nullptr;
  const std::optional<std::string_view> key = bearer(authorization);
  if (!key) {
    throw HttpError(HttpErrorCode::unauthorized,
                    "this server needs an API key: Authorization: Bearer KEY");
  }
  if (holders) {
    const auto found = holders->find(sha256_hex(*key));
    if (found != holders->end()) return found->second;
  } else if (same_key(*key, one_key_)) {
    return nullptr;
  }
  throw HttpError(HttpErrorCode::unauthorized, "this server does not know that API key");
}

}  // namespace headroom::server
