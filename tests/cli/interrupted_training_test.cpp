// A run that is killed or interrupted, then resumed, ends with the bytes of one that was not.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/tiny_model.h"

namespace headroom {
namespace {
using namespace testing;
namespace fs = std::filesystem;

class InterruptedTraining : public TrainingHalf {
 protected:
  fs::path out() const { return folder_.path() / "out"; }
  fs::path state() const { return folder_.path() / "out.training" / "state"; }

  // 40 + 40 + 20 steps; a state saved after every step makes that slow enough to be caught.
  Arguments training(const fs::path& target, const Arguments& more) const {
    return joined(
        joined(tiny_model().training(target), {"--method", "budgeted", "--epochs", "8",
                                               "--soft-epochs", "8", "--hard-epochs", "4"}),
        more);
  }

  // Starts the run and sends `signal` once a state of `stage` is on disk.
  Outcome stopped_in(const std::string& stage, int signal, const Arguments& more) const {
    Process process(training(out(), joined({"--save-seconds", "0"}, more)));
    const std::string mark = "\"name\":\"" + stage + "\"";
    const bool reached = process.wait_until([&] {
      return fs::exists(state() / "state.json") &&
             bytes_of(state() / "state.json").find(mark) != std::string::npos;
    });
    EXPECT_TRUE(reached) << "it ended before the " << stage << " stage was saved";
    process.send(signal);
    return process.wait();
  }

  // The weights that an uninterrupted run leaves; trained once for the suite.
  std::string uninterrupted() const {
    static const std::string weights = [this] {
      const fs::path whole = folder_.path() / "whole";
      expect_success(run(training(whole, {})));
      return bytes_of(whole / "model.safetensors");
    }();
    return weights;
  }

  TemporaryFolder folder_;
};

TEST_F(InterruptedTraining, KilledInTwoStagesAndResumedEndsWithTheSameBytes) {
  EXPECT_EQ(stopped_in("dense", SIGKILL, {}).signal, SIGKILL);
  EXPECT_FALSE(fs::exists(out())) << "a checkpoint is whole or not there";
  EXPECT_EQ(stopped_in("soft", SIGKILL, {"--resume"}).signal, SIGKILL);
  const Outcome resumed = run(training(out(), {"--resume"}));
  expect_success(resumed);
  expect_holds(resumed.err, "resumed at step");
  EXPECT_EQ(bytes_of(out() / "model.safetensors"), uninterrupted());
  EXPECT_FALSE(fs::exists(state().parent_path())) << "the state is gone once the run is done";
}

TEST_F(InterruptedTraining, ControlCSavesAndExitsWith130) {
  expect_failure(stopped_in("dense", SIGINT, {}), 130, "--resume goes on from here");
  EXPECT_FALSE(fs::exists(out()));
  expect_success(run(training(out(), {"--resume"})));
  EXPECT_EQ(bytes_of(out() / "model.safetensors"), uninterrupted());
}

TEST_F(InterruptedTraining, AnUnfinishedRunIsNeitherOverwrittenNorContinuedUnasked) {
  const Outcome stopped = stopped_in("dense", SIGTERM, {"--json"});
  EXPECT_EQ(stopped.exit_code, 130) << transcript(stopped);
  EXPECT_EQ(only_json_line(stopped)["error"]["code"], "interrupted");
  const std::string saved = bytes_of(state() / "state.json");
  expect_failure(run(training(out(), {})), 2, "--resume goes on with it, --restart discards it");
  expect_failure(run(training(out(), {"--resume", "--seed", "9"})), 2, "other data or options");
  EXPECT_EQ(bytes_of(state() / "state.json"), saved);
  expect_success(run(training(out(), {"--restart"})));
  EXPECT_EQ(bytes_of(out() / "model.safetensors"), uninterrupted());
}

}  // namespace
}  // namespace headroom
