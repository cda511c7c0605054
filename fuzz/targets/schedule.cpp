// The server's queues under any sequence of calls, workers and leaving clients: no text is lost,
// none runs twice, and limits hold.
#include "server/schedule/schedule.h"

#include <deque>

#include "input.h"
#include "server/simulated_time.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

using namespace server;

class Scene {
 public:
  explicit Scene(Numbers& numbers) : numbers_(numbers) {
    settings_.workers = static_cast<int>(numbers.between(1, 4));
    settings_.queue_limit = numbers.between(1, 20);
    settings_.max_batch_tokens = numbers.between(1, 600);
    std::vector<CostLevels> models;
    models_ = static_cast<size_t>(numbers.between(1, 2));
    static const CostLevels levels = testing::linear_levels();  // takes a tenth of a second
    models.assign(models_, levels);
    schedule_.emplace(std::move(models), settings_);
  }

  void play() {
    while (!numbers_.empty()) {
      now_ += static_cast<double>(numbers_.between(0, 255)) / 8;
      const int64_t event = numbers_.between(0, 7);
      if (event < 4) {
        arrive();
      } else if (event < 6) {
        start();
      } else if (event < 7) {
        end();
      } else {
        dropped_ += static_cast<int64_t>(schedule_->drop_all().size());
      }
      check();
    }
    while (!schedule_->idle()) {
      now_ += 1;
      start();
      end();
    }
    require(taken_ == run_ + dropped_, "every text that was taken ran or was dropped");
  }

 private:
  static constexpr int64_t clients = 3;

  void arrive() {
    const std::string client(1, static_cast<char>('a' + numbers_.between(0, clients - 1)));
    std::vector<WaitingText> texts;
    for (int64_t left = numbers_.between(1, 5); left > 0; --left) {
      const int64_t tokens = numbers_.between(1, 1000);
      const auto allowed = static_cast<double>(numbers_.between(1, 1000));
      const bool exact = numbers_.flag();
      texts.push_back(exact ? testing::exact_text(tokens, std::max(0.01, numbers_.fraction()), now_)
                            : testing::text_of(tokens, now_, allowed));
      texts.back().client = client;
    }
    const auto count = static_cast<int64_t>(texts.size());
    const Admission admission = schedule_->offer(pick_model(), std::move(texts), now_);
    dropped_ += static_cast<int64_t>(admission.displaced.size());
    if (admission.refused) {
      require(admission.refused->retry_after_seconds >= 0, "a time to wait is a time");
    } else {
      taken_ += count;
      require(admission.predicted_ms > 0, "an answer takes time");
    }
  }

  void start() {
    if (running_.size() == static_cast<size_t>(settings_.workers)) return;
    std::optional<Batch> batch = schedule_->take(now_);
    if (!batch) return;
    require(!batch->texts.empty(), "a batch has a text");
    require(batch->texts.size() == 1 || batch->tokens <= settings_.max_batch_tokens,
            "a batch of several texts is within its limit");
    require(batch->choice.budget > 0 && batch->choice.budget <= 1, "a budget is a budget");
    running_.push_back(std::move(*batch));
  }

  void end() {
    if (running_.empty()) return;
    run_ += static_cast<int64_t>(running_.front().texts.size());
    schedule_->finished(running_.front(), now_);
    running_.pop_front();
  }

  void check() {
    for (size_t model = 0; model < models_; ++model) {
      // Beyond the limit goes only who holds less than an equal share: 1 + 1/2 + 1/3 of it.
      require(schedule_->waiting(model) <= 2 * settings_.queue_limit,
              "a queue is within its limit");
      const double budget = schedule_->budget(model, now_);
      require(budget >= 0.125 && budget <= 1, "the controller stays within its budgets");
    }
  }

  size_t pick_model() {
    return static_cast<size_t>(numbers_.between(0, static_cast<int64_t>(models_) - 1));
  }

  Numbers& numbers_;
  ScheduleSettings settings_;
  size_t models_ = 1;
  std::optional<Schedule> schedule_;
  std::deque<Batch> running_;
  double now_ = 0;
  int64_t taken_ = 0;
  int64_t run_ = 0;
  int64_t dropped_ = 0;
};

const Target schedule_target("schedule", [](std::string_view input) {
  Numbers numbers(input);
  Scene(numbers).play();
});

}  // namespace
}  // namespace headroom::fuzz
