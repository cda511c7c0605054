#include "cli/help/examples.h"

namespace headroom {
namespace {

struct VerbExamples {
  std::string_view verb;
  std::vector<std::string> commands;
};

const std::vector<VerbExamples>& all_examples() {
  static const std::vector<VerbExamples> examples = {
      {"train",
       {"headroom train --data train.csv --eval-data test.csv --init models/base-small --out "
        "my-model",
        "headroom train --data agnews --eval-data agnews:test --init models/base-small --out news",
        "headroom train --task tag --data conll:train.txt --init models/base-small --out tagger",
        "headroom train --resume --data train.csv --init models/base-small --out my-model"}},
      {"elastic",
       {"headroom elastic --model my-bert --texts texts.txt --out my-elastic-bert",
        "headroom elastic --model my-bert --texts agnews --device cuda --out my-elastic-bert"}},
      {"pretrain", {"headroom pretrain --text books.txt.gz --minutes 60 --out my-encoder"}},
      {"reproduce",
       {"headroom reproduce nested --task agnews --init models/base-mini --seeds 1,2,3 --out "
        "out/nested"}},
      {"eval",
       {"headroom eval --model my-model --data test.csv --budgets 0.25,0.5,1",
        "headroom eval --model my-model --data test.csv --budgets auto --save"}},
      {"predict",
       {"headroom predict --model my-model --text \"Where is my parcel\"",
        "headroom predict --model my-model --budget 0.25 tickets.csv",
        "headroom predict --model my-model --latency-ms 5 --json --top-k 3 <texts.txt",
        "headroom predict --model my-model --out answers.jsonl --json --resume rows.jsonl",
        "headroom predict --model my-model --json --no-timing --shard 3/16 --out-dir answers "
        "rows.jsonl"}},
      {"collect",
       {"headroom collect answers", "headroom collect answers --out answers.jsonl --json"}},
      {"bench",
       {"headroom bench --model my-model --budgets 0.25,0.5,1 --batch 1,32 --tokens 32,128",
        "headroom bench --model my-model --precision fp32,bf16,int8 --threads 1"}},
      {"inspect",
       {"headroom inspect --model my-model", "headroom inspect --model my-model --verify"}},
      {"embed",
       {"headroom embed --model my-vectors --text \"Where is my parcel\"",
        "headroom embed --model my-vectors --dimensions 128 --format npy --out vectors.npy "
        "texts.txt"}},
      {"rerank",
       {"headroom rerank --model my-ranker --query \"opening hours\" --top-k 5 passages.txt"}},
      {"calibrate",
       {"headroom calibrate --model my-model",
        "headroom calibrate --model my-model --precision fp32,int8 --threads 1"}},
      {"tune",
       {"headroom tune --model my-model --data validation.csv --agreement 0.99",
        "headroom tune --model my-model --texts unlabelled.txt --mean-budget 0.3"}},
      {"serve",
       {"headroom serve --model my-model --slo-ms 20",
        "headroom serve --model news=models/news-mini --model tickets=my-model --port 8080"}},
      {"import", {"headroom import --from my-bert --out my-bert-headroom"}},
      {"export",
       {"headroom export --model my-model --budget 0.5 --out half.onnx",
        "headroom export --model my-model --budget 0.5 --format hf --dense-equivalent --out "
        "half-bert"}},
      {"report",
       {"headroom report --model my-model --data test.csv --out report.html",
        "headroom report --results out/nested --out nested.html"}},
      {"tokenize",
       {"headroom tokenize --model my-model --text \"Where is my parcel\"",
        "headroom tokenize --model my-bert --json <texts.txt"}},
      {"data",
       {"headroom data list", "headroom data check train.csv",
        "headroom data check \"train.csv?label=queue&text=subject,body\""}},
  };
  return examples;
}

}  // namespace

std::vector<std::string> examples_of(std::string_view verb) {
  for (const VerbExamples& entry : all_examples()) {
    if (entry.verb == verb) return entry.commands;
  }
  return {};
}

}  // namespace headroom
