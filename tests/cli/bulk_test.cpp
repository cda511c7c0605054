// `predict` over many lines: batches, threads, files that a killed run is resumed into, shards,
// rows that cannot be answered. With the model in the box, so without the training half.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "base/files/file.h"
#include "cli/contract.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

// A fast model in two threads; flags win.
ProcessInput given(const std::string& input = "") {
  return {input,
          {{"HEADROOM_MODEL", HEADROOM_SOURCE_DIR "/models/news-mini"},
           {"HEADROOM_BUDGET", "0.125"},
           {"HEADROOM_THREADS", "2"}}};
}

Arguments predict(Arguments more) {
  more.insert(more.begin(), "predict");
  return more;
}

Arguments predict_json(Arguments more) {
  more.insert(more.begin(), {"--input", "jsonl", "--json", "--no-timing"});
  return predict(std::move(more));
}

// Rows of different lengths, so that threads finish them out of order.
std::string json_rows(int count) {
  std::string rows;
  for (int i = 0; i < count; ++i) {
    rows += "{\"id\":" + std::to_string(i) + ",\"text\":\"";
    for (int word = 0; word < 1 + i * 7 % 20; ++word) rows += word % 2 == 0 ? "oil " : "goal ";
    rows += "\"}\n";
  }
  return rows;
}

std::string output(const Arguments& arguments, const std::string& input = "") {
  const Outcome outcome = run(arguments, given(input));
  expect_success(outcome);
  return outcome.out;
}

std::string content(const std::filesystem::path& file) {
  return read_file(file, ErrorCode::runtime);
}

// A file that is written while it is read.
class NamedPipe {
 public:
  explicit NamedPipe(std::filesystem::path path) : path_(std::move(path)) {
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    // For reading too: opening does not wait for the other end then.
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  }
  ~NamedPipe() { end(); }
  NamedPipe(const NamedPipe&) = delete;
  NamedPipe& operator=(const NamedPipe&) = delete;

  void write(std::string_view text) const { write_all(descriptor_, text, path_); }
  void end() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

TEST(Bulk, ABatchGivesTheBytesOfOneTextAtATime) {
  const std::string rows = json_rows(40);
  std::string first;
  for (size_t begin = 0, end = 0; first.empty() || begin < rows.size() / 10; begin = end) {
    end = rows.find('\n', begin) + 1;
    first += output(predict_json({}), rows.substr(begin, end - begin));
  }
  const std::string batch = output(predict_json({}), rows);
  EXPECT_EQ(batch.substr(0, first.size()), first);
  EXPECT_EQ(batch, output(predict_json({"--threads", "1"}), rows));
  const std::vector<Json> lines = json_lines({0, 0, batch, ""});
  ASSERT_EQ(lines.size(), 40U);
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i]["id"], i);
}

TEST(Bulk, ALineFedAloneIsAnsweredBeforeTheNextComes) {
  const TemporaryFolder folder;
  NamedPipe pipe(folder.path() / "lines");
  Process process(predict({folder.path() / "lines"}), given());
  const auto answered = [&](std::ptrdiff_t lines) {
    return [&process, lines] {
      const std::string so_far = process.output_so_far();
      return std::count(so_far.begin(), so_far.end(), '\n') == lines;
    };
  };
  pipe.write("oil prices fell\n");
  EXPECT_TRUE(process.wait_until(answered(1)));
  pipe.write("\n");
  EXPECT_TRUE(process.wait_until(answered(2))) << "one byte is a line too";
  pipe.write("half a line");
  pipe.end();
  const Outcome outcome = process.wait();
  expect_success(outcome);
  EXPECT_TRUE(answered(3)()) << transcript(outcome);
}

TEST(Bulk, AKilledRunIsResumedToTheSameBytes) {
  const TemporaryFolder folder;
  const std::string rows = folder.write("rows.jsonl", json_rows(3000));
  const std::string out = folder.path() / "answers.jsonl";
  const std::string expected = output(predict_json({rows}));
  const auto saved = [&] {
    const std::filesystem::path progress = out + ".progress";
    return std::filesystem::exists(progress) &&
           Json::parse(content(progress), nullptr, false).value("answers", 0) > 0;
  };
  Process killed(predict_json({rows, "--out", out}), given());
  EXPECT_TRUE(killed.wait_until(saved));
  killed.send(SIGKILL);
  killed.wait();
  const std::string half = content(out);
  EXPECT_EQ(half, expected.substr(0, half.size()));
  folder.write("answers.jsonl", half + "{\"id\":17,\"la");  // killed in the middle of a write
  expect_json_error(run(predict_json({rows, "--out", out}), given()), 2, "usage",
                    "--resume goes on with it");
  expect_json_error(run(predict_json({rows, "--out", out, "--resume", "--budget", "1"}), given()),
                    2, "usage", "was begun with budget \"0.125\", not \"1\"");
  EXPECT_EQ(output(predict_json({rows, "--out", out, "--resume"})), "");
  EXPECT_EQ(content(out), expected);
  const Outcome again = run(predict_json({rows, "--out", out, "--resume"}), given());
  expect_success(again);
  expect_holds(again.err, "is complete");
  expect_holds(run(predict_json({rows, "--out", out}), given()).err,
               "had answers, which are replaced");
}

TEST(Bulk, AnInterruptedRunSaysHowToGoOn) {
  const TemporaryFolder folder;
  const std::string rows = json_rows(5);
  const std::string file = folder.write("file", rows);
  NamedPipe pipe(folder.path() / "pipe");
  Process process(predict_json({folder.path() / "pipe"}), given());
  pipe.write(rows.substr(0, rows.size() / 2));
  EXPECT_TRUE(process.wait_until([&] { return !process.output_so_far().empty(); }));
  process.send(SIGINT);
  const Outcome stopped = process.wait();
  EXPECT_EQ(stopped.exit_code, 130);
  const std::string message = json_lines(stopped).back()["error"].value("message", "");
  const std::string option = "--from-byte ";
  ASSERT_NE(message.find(option), std::string::npos) << message;
  const std::string byte =
      std::to_string(std::stoul(message.substr(message.find(option) + option.size())));
  const std::string answered = stopped.out.substr(0, stopped.out.find("{\"error\""));
  EXPECT_EQ(answered + output(predict_json({file, "--from-byte", byte})),
            output(predict_json({file})));
}

TEST(Bulk, ShardsTogetherAreTheWhole) {
  const TemporaryFolder folder;
  const std::string rows = folder.write("rows.jsonl", json_rows(20));
  std::string joined;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    joined += output(predict_json({rows, "--shard", shard}));
  }
  EXPECT_EQ(joined, output(predict_json({rows})));
  expect_failure(run(predict({rows, "--shard", "4/3"}), given()), 2, "is not a part of a whole");
  expect_failure(run(predict({rows, rows, "--shard", "1/3"}), given()), 2, "one file");
}

// A folder of shards, each answered by a process of its own.
class Shards : public ::testing::Test {
 protected:
  Arguments shard(const std::string& name, Arguments more = {}) const {
    more.insert(more.begin(), {rows_, "--shard", name, "--out-dir", answers_});
    return predict_json(std::move(more));
  }
  void answer_all() const {
    for (const char* name : {"1/3", "2/3", "3/3"}) expect_success(run(shard(name), given()));
  }
  // The file of the folder whose name begins and ends so.
  std::filesystem::path file(const std::string& begin, const std::string& end) const {
    for (const auto& entry : std::filesystem::directory_iterator(answers_)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(begin) && name.ends_with(end)) return entry.path();
    }
    ADD_FAILURE() << "no " << begin << "*" << end;
    return {};
  }
  void expect_refused(const std::string& reason) const {
    expect_json_error(run({"collect", answers_, "--json"}), 3, "bad_data", reason);
  }

  TemporaryFolder folder_;
  std::string text_ = json_rows(3000);
  std::string rows_ = folder_.write("rows.jsonl", text_);
  std::string answers_ = folder_.path() / "answers";
};

TEST_F(Shards, KilledAndRepeatedOnesAreTheWholeOnce) {
  Process killed(shard("2/3"), given());
  const std::filesystem::path progress = answers_ + "/shard-2-of-3.part.progress";
  EXPECT_TRUE(killed.wait_until([&] {
    return std::filesystem::exists(progress) &&
           Json::parse(content(progress), nullptr, false).value("answers", 0) > 0;
  }));
  killed.send(SIGKILL);
  killed.wait();
  expect_success(run(shard("1/3"), given()));
  expect_success(run(shard("3/3"), given()));
  expect_refused("1 of 3 shards are missing: 2/3 (begun)");
  const Outcome resumed = run(shard("2/3"), given());
  expect_success(resumed);
  expect_holds(resumed.err, "answers, goes on");
  const Outcome repeated = run(shard("1/3"), given());
  expect_success(repeated);
  expect_holds(repeated.err, "shard 1/3 is complete");

  const std::string joined = folder_.path() / "joined.jsonl";
  const Json told = only_json_line(run({"collect", answers_, "--out", joined, "--json"}));
  EXPECT_EQ(told["rows"], 3000);
  EXPECT_EQ(content(joined), output(predict_json({rows_})));
  const Json manifest = Json::parse(content(answers_ + "/manifest.json"));
  EXPECT_EQ(manifest["input"]["bytes"], text_.size());
  EXPECT_EQ(manifest["answers"]["bytes"], content(joined).size());
  ASSERT_EQ(manifest["shards"].size(), 3U);
  EXPECT_EQ(manifest["shards"][0]["begin"], 0);
  EXPECT_EQ(manifest["shards"][1]["begin"], manifest["shards"][0]["end"]);
  EXPECT_EQ(manifest["shards"][2]["end"], text_.size());
}

TEST_F(Shards, AProcessKilledBeforeItNamedItsAnswersLeavesThatToTheNext) {
  answer_all();
  const std::filesystem::path named = file("shard-3-of-3-", ".jsonl");
  std::filesystem::rename(named, answers_ + "/shard-3-of-3.part");
  expect_refused("run the predict command of shard 3/3 again");
  expect_success(run(shard("3/3"), given()));
  EXPECT_TRUE(std::filesystem::exists(named));
  expect_success(run({"collect", answers_}));
}

TEST_F(Shards, WhatIsDoubledChangedOrOfAnotherJobIsRefused) {
  answer_all();
  expect_json_error(run(shard("1/3", {"--budget", "1"}), given()), 2, "usage",
                    "was answered with budget \"0.125\", not \"1\"");
  const std::filesystem::path second = file("shard-2-of-3-", ".jsonl");
  const std::string twin = answers_ + "/shard-2-of-3-0123456789abcdef.jsonl";
  std::filesystem::copy_file(second, twin);
  expect_refused("belongs to no record");
  std::filesystem::remove(twin);

  const std::string good = content(second);
  std::ofstream(second) << good << good;
  expect_refused("was changed or damaged");
  std::ofstream(second) << good;
  expect_success(run({"collect", answers_}));

  folder_.write("rows.jsonl", text_ + "{\"text\":\"one more\"}\n");
  expect_refused("is not what shard 3/3 answered");
  const std::string moved = folder_.write("moved.jsonl", text_);
  std::filesystem::remove(rows_);
  expect_json_error(run({"collect", answers_, "--json"}), 2, "usage", "--texts says where");
  expect_success(run({"collect", answers_, "--texts", moved}));
}

TEST(Bulk, BadRowsAreMarkedInTheirPlace) {
  const std::string rows =
      "{\"id\":1,\"text\":\"oil\"}\n"
      "{\"id\":2}\n"
      "no json\n"
      "{\"id\":4,\"text\":\"goal\"}\n";
  const Outcome outcome = run(predict_json({"--bad-rows", "mark"}), given(rows));
  expect_success(outcome);
  expect_holds(outcome.err, "2 of 4 rows could not be answered");
  const std::vector<Json> lines = json_lines(outcome);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1]["id"], 2);
  EXPECT_EQ(lines[1]["error"]["code"], "bad_data");
  EXPECT_EQ(lines[1]["byte"], 22);
  EXPECT_TRUE(lines[2].contains("error"));
  EXPECT_EQ(lines[3]["id"], 4);
  EXPECT_TRUE(lines[3].contains("label"));
  const Outcome plain = run(predict({"--bad-rows", "mark"}), given("oil\ncaf\xe9\n"));
  expect_success(plain);
  expect_holds(plain.out, "\n\tbyte 0xE9");
}

TEST(Bulk, AFileLargerThanTheMemoryItTakesIsAnswered) {
  const TemporaryFolder folder;
  const std::string blank = std::string(100'000, ' ') + "\n";  // no row, but memory if it were kept
  const std::string rows = json_rows(100);
  const std::string file = folder.write("rows.jsonl", rows);
  // In pieces: what this process holds would count as its children's.
  std::ofstream more(file, std::ios::app);
  for (int i = 0; i < 1280; ++i) more << blank;
  more << rows;
  more.close();
  const std::string once = output(predict_json({}), rows);
  EXPECT_EQ(output(predict_json({file})), once + once);
  rusage children = {};
  ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &children), 0);
  EXPECT_LT(children.ru_maxrss, 100'000) << "kB, of 128 MB of input";
}

TEST(Bulk, AReaderThatLeavesEndsItQuietly) {
  ProcessInput piped = given(json_rows(2000));
  piped.program = "bash";
  const std::string program = bin_directory() / "headroom";
  const Outcome outcome = run({"-c", "\"$0\" predict | head -n 1", program}, piped);
  expect_success(outcome);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
}

}  // namespace
}  // namespace headroom
