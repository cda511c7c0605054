// A verb of the command line: `headroom VERB options`. One file per verb.
#pragma once

#include <string_view>
#include <vector>

namespace headroom {

struct Verb {
  std::string_view name;
  std::string_view summary;
  int (*run)(int argc, char** argv);  // argv[0] is the verb; returns the exit code
};

int run_bench(int argc, char** argv);
int run_calibrate(int argc, char** argv);
int run_collect(int argc, char** argv);
int run_data(int argc, char** argv);
int run_elastic(int argc, char** argv);
int run_embed(int argc, char** argv);
int run_eval(int argc, char** argv);
int run_export(int argc, char** argv);
int run_import(int argc, char** argv);
int run_inspect(int argc, char** argv);
int run_key(int argc, char** argv);
int run_plan(int argc, char** argv);
int run_predict(int argc, char** argv);
int run_pretrain(int argc, char** argv);
int run_report(int argc, char** argv);
int run_reproduce(int argc, char** argv);
int run_rerank(int argc, char** argv);
int run_serve(int argc, char** argv);
int run_tokenize(int argc, char** argv);
int run_train(int argc, char** argv);
int run_tune(int argc, char** argv);

}  // namespace headroom
