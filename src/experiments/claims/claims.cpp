#include "experiments/claims/claims.h"

#include "base/error.h"
#include "base/json.h"

namespace headroom::experiments {

extern const std::string_view claims_json;  // claims.json, made into source by CMake

namespace {

constexpr ClaimSource readers[] = {{"budgeted", budgeted::findings},
                                   {"adaptive", adaptive::findings},
                                   {"variants", variants::findings}};

struct Claims {
  std::vector<Paper> papers;
  std::vector<Claim> claims;
};

Claims read_claims() {
  const std::string origin = "claims.json";
  const Json json = parse_json(claims_json, ErrorCode::bad_data, origin);
  const JsonFields fields(json, ErrorCode::bad_data, origin);
  Claims read;
  for (const Json& entry : fields.array("papers")) {
    const JsonFields paper(entry, ErrorCode::bad_data, origin);
    read.papers.push_back({paper.text("id"), paper.text("title")});
  }
  for (const Json& entry : fields.array("claims")) {
    const JsonFields claim(entry, ErrorCode::bad_data, origin);
    read.claims.push_back({static_cast<int>(claim.integer("number", 1, 1000)), claim.text("paper"),
                           claim.text("claim"), claim.text("data"), claim.text("published"),
                           claim.text("rule"), claim.text_or("experiment", ""),
                           claim.has("tasks") ? claim.array("tasks").get<std::vector<std::string>>()
                                              : std::vector<std::string>()});
  }
  return read;
}

const Claims& all_claims() {
  static const Claims all = read_claims();
  return all;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::reproduced:
      return "reproduced";
    case Verdict::partly:
      return "partly";
    case Verdict::not_reproduced:
      return "not reproduced";
    case Verdict::inconclusive:
      return "inconclusive";
  }
  return "";
}

const std::vector<Paper>& papers() {
  return all_claims().papers;
}

const std::vector<Claim>& published_claims() {
  return all_claims().claims;
}

const Claim& claim_numbered(int number) {
  return published_claims().at(static_cast<size_t>(number - 1));
}

Json to_json(const std::vector<Finding>& findings) {
  Json json = Json::array();
  for (const Finding& finding : findings) {
    json.push_back({{"claim", finding.claim},
                    {"statement", claim_numbered(finding.claim).claim},
                    {"found", finding.verdict ? finding.found : finding.words},
                    {"verdict", finding.words}});
  }
  return json;
}

std::span<const ClaimSource> claim_sources() {
  return readers;
}

}  // namespace headroom::experiments
