// Processes that train together: the model of one process, whatever their number, and an end with a
// reason when one of them dies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>

#include "checkpoint/tensors/safetensors.h"
#include "cli/tiny_model.h"
#include "train/parallel/reserved_port.h"

namespace headroom {
namespace {
using namespace testing;
namespace fs = std::filesystem;

class ParallelTraining : public TrainingHalf {
 protected:
  // 20 steps of each stage; dropout is drawn per process and would differ.
  Arguments training(const std::string& name, const Arguments& more) const {
    return joined(joined(tiny_model().training(folder_.path() / name),
                         {"--method", "budgeted", "--batch", "27", "--epochs", "4", "--soft-epochs",
                          "4", "--hard-epochs", "4", "--dropout", "0", "--validate-every", "20"}),
                  more);
  }

  std::vector<float> weights(const std::string& name) const {
    std::vector<float> all;
    const SafetensorsFile file(folder_.path() / name / "model.safetensors");
    for (const TensorInfo& tensor : file.tensors()) {
      // It changes no answer, and its gradient is rounding that AdamW enlarges.
      if (tensor.name.find("key.bias") != std::string::npos) continue;
      const std::vector<float> values = file.read_f32(tensor.name);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  void expect_same_model(const std::string& a, const std::string& b) const {
    const std::vector<float> left = weights(a);
    const std::vector<float> right = weights(b);
    ASSERT_EQ(left.size(), right.size());
    float worst = 0;
    for (size_t i = 0; i < left.size(); ++i) worst = std::max(worst, std::abs(left[i] - right[i]));
    EXPECT_LT(worst, 1e-5F);
  }

  fs::path state(const std::string& name) const {
    return folder_.path() / (name + ".training") / "state" / "state.json";
  }

  TemporaryFolder folder_;
};

// The processes that `parent` started.
std::vector<pid_t> children_of(pid_t parent) {
  const std::string own = std::to_string(parent);
  std::ifstream list("/proc/" + own + "/task/" + own + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

void signal_all(const std::vector<pid_t>& processes, int signal) {
  for (const pid_t process : processes) kill(process, signal);
}

TEST_F(ParallelTraining, TwoAndFourProcessesEndWithTheModelOfOne) {
  expect_success(run(training("one", {})));
  for (const std::string count : {"2", "4"}) {
    const Outcome outcome = run(training(count, {"--nproc", count, "--json"}));
    expect_success(outcome);
    EXPECT_EQ(json_lines(outcome).size(), 4U) << "one process tells the scores of four budgets";
    expect_same_model(count, "one");
  }
}

TEST_F(ParallelTraining, AKilledProcessEndsTheJobWhichOthersGoOnWith) {
  expect_success(run(training("whole", {})));
  Process job(training("out", {"--nproc", "2", "--save-seconds", "0"}));
  ASSERT_TRUE(job.wait_until([&] { return fs::exists(state("out")); }));
  const std::vector<pid_t> ranks = children_of(job.id());
  ASSERT_EQ(ranks.size(), 2U);
  kill(ranks[1], SIGKILL);
  const Outcome outcome = job.wait();
  expect_failure(outcome, 1, "rank 1 of 2 was killed by signal 9");
  expect_holds(outcome.err, "rank 0 of 2 lost the others");
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
  expect_success(run(training("out", {"--nproc", "3", "--resume"})));
  expect_same_model("out", "whole");
}

TEST_F(ParallelTraining, AnElasticJobGoesOnWithFewer) {
  expect_success(run(training("whole", {})));
  Process job(training("out", {"--nproc", "3", "--max-restarts", "1", "--save-seconds", "0"}));
  std::vector<pid_t> ranks;
  const auto start_anew = [&](size_t count) {
    const std::vector<pid_t> former = ranks;
    return job.wait_until([&] {
      ranks = children_of(job.id());
      const auto found =
          std::find_first_of(ranks.begin(), ranks.end(), former.begin(), former.end());
      return ranks.size() == count && found == ranks.end() && fs::exists(state("out"));
    });
  };
  ASSERT_TRUE(start_anew(3));
  signal_all(ranks, SIGSTOP);  // so that they cannot end before what is to happen to them
  kill(ranks[1], SIGKILL);
  signal_all(ranks, SIGCONT);
  ASSERT_TRUE(start_anew(2));
  const Outcome outcome = job.wait();
  expect_success(outcome);
  expect_holds(outcome.err, "was killed by signal 9 (Killed)");
  expect_holds(outcome.err, "2 process(es) go on");
  expect_same_model("out", "whole");
}

TEST_F(ParallelTraining, ControlCSavesOnceAndExitsWith130) {
  Process job(training("out", {"--nproc", "2", "--save-seconds", "0"}));
  ASSERT_TRUE(job.wait_until([&] { return fs::exists(state("out")); }));
  job.send(SIGTERM);
  expect_failure(job.wait(), 130, "--resume goes on from here");
}

TEST_F(ParallelTraining, AJobOfAnotherLauncherIsJoined) {
  const ReservedPort port;
  const auto rank = [&](const std::string& number) {
    ProcessInput given;
    given.environment = {
        {"RANK", number}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", std::to_string(port.number())}};
    return given;
  };
  Process first(training("joined", {}), rank("0"));
  Process second(training("joined", {}), rank("1"));
  EXPECT_EQ(second.wait().out, "");
  expect_success(first.wait());
  EXPECT_TRUE(fs::exists(folder_.path() / "joined" / "model.safetensors"));
}

TEST_F(ParallelTraining, AnErrorOfAllProcessesIsToldOnce) {
  const Outcome outcome = run({"train", "--data", "csv:/none.csv", "--out",
                               (folder_.path() / "out").string(), "--nproc", "3"});
  EXPECT_EQ(outcome.exit_code, 2) << transcript(outcome);
  const size_t first = outcome.err.find("/none.csv");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(outcome.err.find("/none.csv", first + 1), std::string::npos) << outcome.err;
  expect_holds(outcome.err, "ended with code 2");
}

}  // namespace
}  // namespace headroom
