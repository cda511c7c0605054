#include "experiments/claims/claims.h"

#include "experiments/variants/kind_budgets_summary.h"

namespace headroom {
namespace {

constexpr ClaimSource readers[] = {{"budgeted", budgeted_findings},
                                   {"adaptive", adaptive_findings},
                                   {"variants", variants_findings}};

std::vector<Claim> budgeted_claims() {
  return {
      {1,
       "P1",
       "one checkpoint keeps its accuracy at low cost",
       "synthetic",
       "99.7 % at cost 0.303; 100.0 % at 0.504",
       "budgeted minus dense at hard budgets 0.3 and 0.5: no interval reaches below -1 point",
       "budgeted",
       {"synthetic"}},
      {2,
       "P1",
       "a dense warm start is needed",
       "synthetic",
       "one failed seed without it",
       "more seeds fail (end below 90 % of dense) without it than with it, at equal steps",
       "budgeted",
       {"synthetic", "agnews"}},
      {3,
       "P1",
       "the cost follows the request",
       "all",
       "0.303 for 0.3; 0.504 for 0.5",
       "the gate mass rises with the budget and is within 0.03 of it on average (0.1: partly)",
       "budgeted",
       {"synthetic", "agnews"}},
      {4,
       "P1",
       "hard adaptation turns cost into speed",
       "AG News, word level",
       "82.1 %, 1.28x at 0.5",
       "at 0.5 adaptation gains accuracy (interval above 0) and the speed-up is at least 90 % of "
       "its cap (one of "
       "both: partly)",
       "budgeted",
       {"agnews"}},
      {5,
       "P1",
       "better than zero-shot pruning, worse than a recovered specialist",
       "AG News, BERT-Mini",
       "87.6 % against 86.1 % and 87.9 %",
       "paired intervals at 0.5 above 0 and below 0 (one of both: partly)",
       "budgeted",
       {"agnews"}},
      {6,
       "P1",
       "half the heads beat dense",
       "DBpedia14, BERT-Mini",
       "97.4 % against 96.6 %",
       "budgeted at 0.5 minus a dense model of as many steps: interval above 0",
       "budgeted",
       {"dbpedia"}},
      {7,
       "P1",
       "one checkpoint does not dominate specialists",
       "AG News, DBpedia14",
       "no number",
       "not better than both kinds of specialist, interval above 0, at every budget",
       "budgeted",
       {"agnews", "dbpedia"}},
  };
}

// Each of them is asked of every set that the experiment knows.
std::vector<Claim> chosen_heads_claims() {
  const std::vector<std::string_view> adaptive_tasks = {"agnews", "imdb", "dbpedia",
                                                        "sick",   "snli", "yelp"};
  return {
      {8, "P2", "as accurate as standard attention, or more", "DBpedia, AG News, IMDB, SNLI, Yelp",
       "+0.29, -0.77, +0.02, +2.71, +3.80 points (reported)",
       "paired differences at equal tuning, with fixed-head and head-dropout controls", "adaptive",
       adaptive_tasks},
      {9, "P2", "few heads are used", "the same",
       "mean s 0.085, 0.212, 0.601, 0.364, 0.198 (reported)", "mean s and mean k / H per layer",
       "adaptive", adaptive_tasks},
      {10, "P2", "FLOPs fall", "the same", "3.2, 2.7, 10.0, 2.1, 20.1 % (reported)",
       "the paper's way of counting, whole-model MACs with whole heads, and measured time",
       "adaptive", adaptive_tasks},
      {11, "P2", "memory and carbon fall", "Yelp, IMDB",
       "1.075 to 0.859 g; 0.54 to 0.48 g (reported)",
       "peak memory of a real executor; energy only where it is measured", "adaptive",
       adaptive_tasks},
      {12, "P2", "both the budget and the choice of heads matter", "DBpedia, SNLI, Yelp",
       "ablation tables (reported)",
       "each replaced at test time and in training; refuted if retrained fixed k is as good",
       "adaptive", adaptive_tasks},
      {13, "P2", "harder inputs get more heads", "SNLI, Yelp", "a figure, no numbers",
       "rank correlation with a difficulty defined beforehand, controlled for length", "adaptive",
       adaptive_tasks},
      {14, "P2", "q becomes sharp and s falls in training", "DBpedia", "figures",
       "entropy of q and s per epoch and layer, also at a constant temperature", "adaptive",
       adaptive_tasks},
      {15, "P2", "bigger models and more data use a lower s", "not stated",
       "0.105 with 12 layers of 12 heads (reported)", "two sizes, three shares of the data",
       "adaptive", adaptive_tasks},
  };
}

std::vector<Claim> variant_claims() {
  const std::vector<std::string_view> scored_variants = {
      "imdb32", "imdb-large", "agnews", "sick", "mnist", "cifar10", "shakespeare", "multi30k"};
  return {
      {16, "P3", "Optimized and Efficient match Standard with 25 % and 50 % fewer parameters",
       "IMDB, AG News, CIFAR100", "negligible loss",
       "equivalence within 1 point, fixed beforehand; beside a Standard of as many parameters",
       "variants", scored_variants},
      {17, "P3", "Super beats Standard", "IMDB, Amazon, CIFAR100",
       "up to 10 % (version 2: 17 %); about 78 % on IMDB (reported)",
       "paired seeds; against Standard with the same mixing matrix, and against Efficient",
       "variants", scored_variants},
      {18,
       "P3",
       "Super gains more in bigger models",
       "Amazon Reviews",
       "a figure, 5 to 25 million parameters",
       "three sizes, equal tuning",
       "variants",
       {"imdb-small", "imdb-medium", "imdb-large"}},
      {19,
       "P3",
       "parameters and operations saved",
       "any",
       "-25, -50, -25 % of attention's matrices",
       "counted by the cost model that the engine is tested against, at length = width",
       "",
       {}},
      {20,
       "P3",
       "faster inference",
       "Apple M2",
       "figures",
       "medians on one CPU with the same kernels for all, at several lengths",
       "variants",
       {"imdb32"}},
      {21,
       "P3",
       "Super in a causal language model",
       "small texts",
       "not found",
       "a leakage test first; perplexity against Standard of as many parameters",
       "variants",
       {"shakespeare"}},
      {22,
       "ours",
       "the three combined",
       "AG News",
       "no paper claims it",
       "four attentions with no gates, P1 and static gates at equal MACs",
       "variants",
       {kind_budgets_results}},
  };
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

const std::vector<Claim>& published_claims() {
  static const std::vector<Claim> all = [] {
    std::vector<Claim> claims = budgeted_claims();
    for (const auto& more : {chosen_heads_claims(), variant_claims()}) {
      claims.insert(claims.end(), more.begin(), more.end());
    }
    return claims;
  }();
  return all;
}

std::span<const ClaimSource> claim_sources() {
  return readers;
}

}  // namespace headroom
