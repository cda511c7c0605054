// Layers point one way: who may include whom, read from the #include lines of src/. Also what every
// file owes its reader: a first line that says what a header is for, and a length one can read.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"

namespace headroom {
namespace {

constexpr size_t max_lines = 800;

using Layers = std::set<std::string>;

// Which other layers each layer may know. cli/ may know all of them.
const std::map<std::string, Layers>& allowed_layers() {
  static const std::map<std::string, Layers> allowed = {
      {"base", {}},
      {"text", {"base"}},
      {"data", {"base", "text"}},
      {"budget", {"base"}},
      {"families", {"base", "budget"}},
      {"checkpoint", {"base", "budget", "families", "text"}},
      {"model", {"base", "budget", "families", "checkpoint"}},
      {"train", {"base", "text", "data", "budget", "families", "checkpoint", "model", "tune"}},
      {"engine", {"base", "text", "budget", "families", "checkpoint"}},
      {"tune", {"base", "text", "budget", "checkpoint", "engine"}},
      {"server", {"base", "text", "budget", "checkpoint", "engine"}},
      {"report", {"base", "budget"}},
      {"experiments",
       {"base", "text", "data", "budget", "families", "checkpoint", "model", "train", "engine",
        "report"}},
      {"cli",
       {"base", "text", "data", "budget", "families", "checkpoint", "model", "train", "engine",
        "tune", "server", "report", "experiments"}},
  };
  return allowed;
}

struct Include {
  std::string target;
  bool quoted = false;  // "ours", not <the system's>
};

std::vector<std::string> lines_of(const std::string& content) {
  std::vector<std::string> lines;
  std::istringstream stream(content);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Reads `#include "x"` and `#include <x>` with any spacing the preprocessor would accept.
std::vector<Include> includes_of(const std::vector<std::string>& lines) {
  std::vector<Include> includes;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    char hash = 0;
    char opening = 0;
    std::string directive(7, '\0');
    if (!(words >> hash) || hash != '#') continue;
    words >> std::ws;
    if (!words.read(directive.data(), 7) || directive != "include") continue;
    if (!(words >> opening) || (opening != '"' && opening != '<')) continue;
    std::string target;
    std::getline(words, target, opening == '"' ? '"' : '>');
    includes.push_back({target, opening == '"'});
  }
  return includes;
}

std::string first_folder(const std::string& path) {
  const size_t slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool starts_with_any(const std::string& text, const std::vector<std::string_view>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

// Why `layer` may not include this, or nothing.
std::string include_complaint(const std::string& layer, const Include& include) {
  const std::string to = first_folder(include.target);
  if (starts_with_any(include.target, {"torch/", "ATen/", "c10/"})) {
    const bool trains = layer == "model" || layer == "train" || layer == "experiments";
    return trains ? "" : "torch belongs in model/, train/ and experiments/";
  }
  if (layer == "budget" && starts_with_any(include.target, {"dnnl", "oneapi/dnnl"})) {
    return "budget/ does not know oneDNN";
  }
  if (!include.quoted || to == layer) return "";
  if (include.target == "headroom/error.h" || include.target == "headroom/types.h") return "";
  if (to == "headroom") {  // the public face of the engine
    return layer == "engine" || layer == "cli" ? "" : "headroom.h is for those who link us";
  }
  if (!allowed_layers().contains(to)) return "quoted includes start with a layer's folder";
  return allowed_layers().at(layer).contains(to) ? "" : layer + "/ may not know " + to + "/";
}

// A file that includes Boost's networking takes 15 s to compile: these do, and no others.
bool may_include_boost(const std::string& path) {
  return starts_with_any(
      path, {"server/http/session.", "server/http/server.cpp", "server/http/reply_gate.h"});
}

// gRPC is in a module that is loaded when it is asked for.
bool may_include_grpc(const std::string& path) {
  return path.starts_with("server/grpc/");
}

// Of cli/, the verbs of headroom-train alone know experiments: users of `headroom` need not link
// them.
bool may_include_experiments(const std::string& path) {
  return starts_with_any(
      path, {"experiments/", "cli/verbs/reproduce.cpp", "cli/verbs/report_results.cpp"});
}

// Everything wrong with one source file, `path` being relative to src/.
std::vector<std::string> violations(const std::string& path, const std::string& content) {
  std::vector<std::string> found;
  const auto complain = [&](const std::string& what) { found.push_back(path + ": " + what); };
  const std::vector<std::string> lines = lines_of(content);
  const std::string layer = first_folder(path);
  if (!allowed_layers().contains(layer)) {
    complain("is in no known layer");
    return found;
  }
  for (const Include& include : includes_of(lines)) {
    const std::string complaint = include_complaint(layer, include);
    if (!complaint.empty()) complain("includes " + include.target + ": " + complaint);
    if (include.target.starts_with("boost/") && !may_include_boost(path)) {
      complain("includes " + include.target + ": Boost belongs in the sessions of server/");
    }
    if (starts_with_any(include.target, {"grpc/", "grpcpp/"}) && !may_include_grpc(path)) {
      complain("includes " + include.target + ": gRPC belongs in its module");
    }
    if (include.target.starts_with("experiments/") && !may_include_experiments(path)) {
      complain("includes " + include.target + ": experiments belong in headroom-train");
    }
  }
  if (path.ends_with(".h")) {
    constexpr size_t shortest_purpose = 15;  // "// " and two words
    if (lines.empty() || !lines[0].starts_with("// ") || lines[0].size() < shortest_purpose) {
      complain("its first line does not say what it is for");
    }
    if (std::find(lines.begin(), lines.end(), "#pragma once") == lines.end()) {
      complain("has no #pragma once");
    }
  }
  if (lines.size() > max_lines) {
    complain("has " + std::to_string(lines.size()) + " lines, more than " +
             std::to_string(max_lines));
  }
  return found;
}

using Complaints = std::vector<std::string>;

TEST(Layers, SourceTreeKeepsTheRules) {
  const std::filesystem::path root = HEADROOM_SOURCE_DIR "/src";
  size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const auto& path = entry.path();
    if (path.extension() != ".h" && path.extension() != ".cpp") continue;
    ++files;
    const std::string relative = path.lexically_relative(root).generic_string();
    for (const std::string& violation :
         violations(relative, read_file(path, ErrorCode::bad_data))) {
      ADD_FAILURE() << violation;
    }
  }
  EXPECT_GT(files, 10U) << "the walk found next to nothing: is " << root << " the source tree?";
}

TEST(Layers, TheTableHasNoCycle) {
  for (const auto& [layer, others] : allowed_layers()) {
    for (const std::string& other : others) {
      ASSERT_TRUE(allowed_layers().contains(other)) << other;
      EXPECT_FALSE(allowed_layers().at(other).contains(layer)) << layer << " and " << other;
    }
  }
}

TEST(LayerRules, AllowedIncludesPass) {
  EXPECT_EQ(
      violations("engine/kernels/gemm.cpp",
                 "#include <vector>\n#include \"engine/plan.h\"\n#include \"base/error.h\"\n"),
      Complaints{});
  EXPECT_EQ(violations("train/loop.cpp", "#include <torch/torch.h>\n"), Complaints{});
  EXPECT_EQ(violations("cli/main.cpp", "#include \"server/server.h\"\n"), Complaints{});
}

TEST(LayerRules, LookingUpwardsIsFound) {
  EXPECT_EQ(violations("base/bad.cpp", "#include \"text/utf8.h\"\n"),
            Complaints{"base/bad.cpp: includes text/utf8.h: base/ may not know text/"});
  EXPECT_EQ(violations("engine/bad.cpp", "  #  include \"train/loop.h\"  // why not\n"),
            Complaints{"engine/bad.cpp: includes train/loop.h: engine/ may not know train/"});
}

TEST(LayerRules, TorchOutsideTrainingIsFoundInEitherSpelling) {
  for (const std::string layer : {"engine", "cli", "budget", "checkpoint"}) {
    for (const std::string include : {"<torch/torch.h>", "<ATen/ATen.h>", "\"c10/util/Half.h\""}) {
      EXPECT_EQ(violations(layer + "/bad.cpp", "#include " + include + "\n").size(), 1U)
          << layer << " " << include;
    }
  }
}

TEST(LayerRules, OneDnnInBudgetIsFound) {
  EXPECT_EQ(violations("budget/bad.cpp", "#include <dnnl.hpp>\n").size(), 1U);
  EXPECT_EQ(violations("budget/bad.cpp", "#include <oneapi/dnnl/dnnl.h>\n").size(), 1U);
  EXPECT_EQ(violations("engine/good.cpp", "#include <dnnl.hpp>\n"), Complaints{});
}

TEST(LayerRules, BoostOutsideTheSessionsIsFound) {
  const std::string include = "#include <boost/asio/ip/tcp.hpp>\n";
  EXPECT_EQ(violations("server/http/session.cpp", include), Complaints{});
  EXPECT_EQ(violations("server/api/router.cpp", include).size(), 1U);
  EXPECT_EQ(violations("cli/serve.cpp", include).size(), 1U);
}

TEST(LayerRules, GrpcOutsideItsModuleIsFound) {
  const std::string include = "#include <grpcpp/server.h>\n";
  EXPECT_EQ(violations("server/grpc/server.cpp", include), Complaints{});
  EXPECT_EQ(violations("server/http/server.cpp", include).size(), 1U);
}

TEST(LayerRules, ExperimentsInWhatUsersRunAreFound) {
  const std::string include = "#include \"experiments/summary/chapter.h\"\n";
  EXPECT_EQ(violations("cli/verbs/report_results.cpp", include), Complaints{});
  EXPECT_EQ(violations("cli/report.cpp", include).size(), 1U);
  EXPECT_EQ(violations("report/model_report.cpp", include).size(), 2U) << "by the table, too";
}

TEST(LayerRules, DetoursAroundTheTableAreFound) {
  EXPECT_EQ(violations("base/bad.cpp", "#include \"../train/loop.h\"\n").size(), 1U);
  EXPECT_EQ(violations("base/bad.cpp", "#include \"loop.h\"\n").size(), 1U);
  EXPECT_EQ(violations("stray.cpp", "").size(), 1U) << "a file outside every layer";
  EXPECT_EQ(violations("extra/new.cpp", "").size(), 1U) << "a layer nobody declared";
}

TEST(LayerRules, AHeaderSaysWhatItIsForAndIsReadOnce) {
  const std::string purpose = "// Fractions of a budget.\n";
  EXPECT_EQ(violations("budget/good.h", purpose + "#pragma once\n"), Complaints{});
  EXPECT_EQ(violations("budget/bad.h", "#pragma once\n" + purpose),
            Complaints{"budget/bad.h: its first line does not say what it is for"});
  EXPECT_EQ(violations("budget/bad.h", "// x\n#pragma once\n").size(), 1U);
  EXPECT_EQ(violations("budget/bad.h", purpose), Complaints{"budget/bad.h: has no #pragma once"});
  EXPECT_EQ(violations("budget/bad.h", "").size(), 2U);
}

TEST(LayerRules, AFileTooLongToReadIsFound) {
  EXPECT_EQ(violations("base/long.cpp", std::string(max_lines, '\n')), Complaints{});
  EXPECT_EQ(violations("base/long.cpp", std::string(max_lines + 1, '\n')),
            Complaints{"base/long.cpp: has 801 lines, more than 800"});
}

}  // namespace
}  // namespace headroom
