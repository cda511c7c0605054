#include "experiments/claims/claims.h"

#include <algorithm>

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
  Json margins;
  std::vector<DataNote> notes;
  std::vector<ChosenAfterwards> afterwards;
  std::vector<Claim> claims;
};

Direction parse_direction(const std::string& text) {
  if (text == "above") return Direction::above;
  if (text == "below") return Direction::below;
  if (text == "within") return Direction::within;
  throw Error(ErrorCode::bad_data, "read claims.json", "\"is\" is " + text);
}

Criterion parse_criterion(const Json& entry, const std::string& origin) {
  const JsonFields fields(entry, ErrorCode::bad_data, origin);
  const bool in_margins = fields.has("margins");
  return {fields.text("test"), parse_direction(fields.text("is")),
          entry.at(in_margins ? "margins" : "threshold").get<double>(), in_margins};
}

Claim parse_claim(const Json& entry, const std::string& origin) {
  const JsonFields fields(entry, ErrorCode::bad_data, origin);
  Claim claim{static_cast<int>(fields.integer("number", 1, 1000)),
              fields.text("paper"),
              fields.text("claim"),
              fields.text("data"),
              fields.text("published"),
              fields.text("rule"),
              fields.text_or("experiment", ""),
              fields.has("tasks") ? fields.array("tasks").get<std::vector<std::string>>()
                                  : std::vector<std::string>(),
              fields.text_or("combination", "all") == "any" ? Combination::any : Combination::all,
              {}};
  for (const Json& test : fields.array("tests")) {
    claim.tests.push_back(parse_criterion(test, origin));
  }
  return claim;
}

Claims read_claims() {
  const std::string origin = "claims.json";
  const Json json = parse_json(claims_json, ErrorCode::bad_data, origin);
  const JsonFields fields(json, ErrorCode::bad_data, origin);
  Claims read;
  for (const Json& entry : fields.array("papers")) {
    const JsonFields paper(entry, ErrorCode::bad_data, origin);
    read.papers.push_back({paper.text("id"), paper.text("title")});
  }
  read.margins = json.at("margins");
  for (const Json& entry : fields.array("data_sets")) {
    const JsonFields note(entry, ErrorCode::bad_data, origin);
    read.notes.push_back({note.text("task"), note.text("what")});
  }
  for (const Json& entry : fields.array("chosen_afterwards")) {
    const JsonFields chosen(entry, ErrorCode::bad_data, origin);
    read.afterwards.push_back({chosen.text("folder"), chosen.text("why")});
  }
  for (const Json& entry : fields.array("claims")) {
    read.claims.push_back(parse_claim(entry, origin));
  }
  return read;
}

const Claims& all_claims() {
  static const Claims all = read_claims();
  return all;
}

}  // namespace

const std::vector<Paper>& papers() {
  return all_claims().papers;
}

const std::vector<DataNote>& data_notes() {
  return all_claims().notes;
}

const DataNote* data_note(const std::string& task) {
  for (const DataNote& note : data_notes()) {
    if (note.task == task) return &note;
  }
  return nullptr;
}

const std::vector<Claim>& published_claims() {
  return all_claims().claims;
}

const Claim& claim_numbered(int number) {
  return published_claims().at(static_cast<size_t>(number - 1));
}

double margin_of_unit(const std::string& unit) {
  return all_claims().margins.at(unit).get<double>();
}

const ChosenAfterwards* chosen_afterwards(const std::string& folder) {
  for (const ChosenAfterwards& chosen : all_claims().afterwards) {
    if (chosen.folder == folder) return &chosen;
  }
  return nullptr;
}

Json to_json(const std::vector<Finding>& findings) {
  Json json = Json::array();
  for (const Finding& finding : findings) {
    Json evidence = Json::array();
    for (const Evidence& each : finding.evidence) {
      evidence.push_back({{"test", each.test},
                          {"mean", each.effect.mean},
                          {"standard_error", each.effect.error},
                          {"unit", each.effect.unit}});
      if (!each.open.empty()) evidence.back()["open"] = each.open;
    }
    json.push_back({{"claim", finding.claim},
                    {"statement", claim_numbered(finding.claim).claim},
                    {"found", finding.evidence.empty() ? "not run" : finding.found},
                    {"evidence", evidence}});
  }
  return json;
}

double threshold_for(const Criterion& criterion, const std::string& unit) {
  return criterion.threshold * (criterion.in_margins ? margin_of_unit(unit) : 1);
}

std::vector<std::vector<Tails>> corrected_tails(const Claim& claim,
                                                std::span<const Finding* const> findings) {
  std::vector<std::vector<Tails>> all(findings.size(), std::vector<Tails>(claim.tests.size()));
  std::vector<std::vector<Tails*>> families(
      claim.combination == Combination::any ? 1 : claim.tests.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    for (size_t test = 0; test < claim.tests.size(); ++test) {
      const Criterion& criterion = claim.tests[test];
      const auto found =
          std::find_if(findings[i]->evidence.begin(), findings[i]->evidence.end(),
                       [&](const Evidence& each) { return each.test == criterion.test; });
      if (found == findings[i]->evidence.end() || !found->effect.was_run()) continue;
      if (!found->open.empty()) continue;
      all[i][test] = found->tails ? *found->tails
                                  : tails_of(found->effect, criterion.direction,
                                             threshold_for(criterion, found->effect.unit));
      families[families.size() == 1 ? 0 : test].push_back(&all[i][test]);
    }
  }
  for (const std::vector<Tails*>& family : families) {
    for (double Tails::*side : {&Tails::supports, &Tails::refutes}) {
      std::vector<double> p;
      for (const Tails* tails : family) p.push_back(tails->*side);
      const std::vector<double> corrected = holm(p);
      for (size_t i = 0; i < family.size(); ++i) family[i]->*side = corrected[i];
    }
  }
  return all;
}

std::span<const ClaimSource> claim_sources() {
  return readers;
}

}  // namespace headroom::experiments
