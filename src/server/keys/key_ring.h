// Who may ask: everybody, whoever sends the one key of --api-key, or the keys of a file with what
// each may do and how much. Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "server/http/error.h"
#include "server/keys/key_file.h"

namespace headroom::server {

// One of a key's quotas, for its holder to see.
struct QuotaState {
  double per_minute = 0;
  double left = 0;  // below 0: in debt
};

// So much a minute, saved up for one minute at most.
class Quota {
 public:
  explicit Quota(double per_minute) : per_minute_(per_minute), left_(per_minute) {}

  // Seconds until `amount` is there; 0: it is.
  double wait_seconds(double amount, double now_seconds);
  // May take more than there is: what is to come then pays for it.
  void take(double amount, double now_seconds);
  QuotaState state(double now_seconds);

 private:
  void refill(double now_seconds);

  double per_minute_;
  double left_;
  double filled_at_ = 0;  // 0: never yet
};

// A quota that several threads draw on, and a key's holders before and after a change of the file.
struct SharedQuota {
  explicit SharedQuota(double per_minute) : quota(per_minute) {}

  std::mutex mutex;
  Quota quota;
};

// A key of the file, and what is left of its quotas.
class KeyHolder {
 public:
  explicit KeyHolder(KeyRules rules);

  const std::string& name() const { return rules_.name; }

  // Each throws what the client is told: HttpErrorCode::forbidden, or quota_exceeded with the time
  // until there is some again.
  void require_asking() const;
  void require_model(const std::string& model) const;
  void require_admin() const;
  void require_priority(Priority asked) const;
  void take_request(double now_seconds);

  bool may_use(const std::string& model) const;  // or a version of it
  void spend(double compute_seconds, double now_seconds);

  // Nothing where there is no such quota.
  std::optional<QuotaState> requests(double now_seconds);
  std::optional<QuotaState> compute_seconds(double now_seconds);

  // Draws on the quotas of `former`, the same key before a change of the file, where they have not
  // changed: what is under way is still paid by that one.
  void inherit(const KeyHolder& former);
  const KeyRules& rules() const { return rules_; }

 private:
  KeyRules rules_;
  std::shared_ptr<SharedQuota> requests_;  // none: unlimited
  std::shared_ptr<SharedQuota> compute_;
};

class KeyRing {
 public:
  // Empty: everybody may ask.
  explicit KeyRing(std::string one_key) : one_key_(std::move(one_key)) {}
  // Throws what read_key_file() does.
  explicit KeyRing(std::filesystem::path file);

  // The file as it is now; when it is wrong, throws and keeps the keys that were.
  void reload();

  // Whose Authorization field this is; nobody in particular without a file. Throws
  // HttpErrorCode::unauthorized.
  std::shared_ptr<KeyHolder> admit(std::string_view authorization) const;

 private:
  using Holders = std::unordered_map<std::string, std::shared_ptr<KeyHolder>>;  // by hash

  const std::string one_key_;
  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Holders> holders_;  // none without a file
};

}  // namespace headroom::server
