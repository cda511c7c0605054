// headroom-train report: chapters about results, or the pages of claims. `headroom report` parses
// what people type and starts this with what is left to do.
#include <filesystem>

#include "base/files/file.h"
#include "cli/app.h"
#include "cli/report_page.h"
#include "cli/verb.h"
#include "experiments/claims/page.h"
#include "experiments/summary/chapter.h"

namespace headroom {
namespace {

std::vector<report::Chapter> read_chapters(const std::string& file) {
  return parse_chapters(parse_json(read_file(file, ErrorCode::bad_data), ErrorCode::bad_data, file),
                        file);
}

// The matrix goes to `out`, the page of each claim to a folder beside it.
void write_claims(const std::string& results, const std::filesystem::path& out, bool json) {
  const experiments::ClaimPages pages = experiments::claim_pages(results);
  const std::filesystem::path folder = out.parent_path();
  std::filesystem::create_directories(folder / "claims");
  for (const auto& [file, text] : pages.claims) write_file_atomically(folder / file, text);
  write_file_atomically(out, pages.matrix);
  tell_report(out.string(), pages.matrix.size(), Json::array(), json);
}

}  // namespace

int run_report(int argc, char** argv) {
  CLI::App app("The part of headroom report that reads results.", "headroom-train report");
  std::vector<std::string> results;
  std::string claims;
  std::string chapters_file;
  std::string command;
  std::string out;
  app.add_option("--results", results, "folder that reproduce wrote; repeatable")
      ->allow_extra_args(false);
  app.add_option("--claims", claims, "folder of such folders");
  app.add_option("--chapters", chapters_file, "JSON of the chapters that come before");
  app.add_option("--command", command, "what was typed");
  app.add_option("--out", out, "file to write")->required();
  return run_app(app, argc, argv, [&](bool json) {
    if (!claims.empty()) return write_claims(claims, out, json);
    std::vector<report::Chapter> chapters;
    if (!chapters_file.empty()) chapters = read_chapters(chapters_file);
    for (const std::string& folder : results) {
      chapters.push_back(results_chapter(experiments::read_results(folder)));
    }
    write_report(out, chapters, command, json);
  });
}

}  // namespace headroom
