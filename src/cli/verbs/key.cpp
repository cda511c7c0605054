// headroom key: makes a key for a client of `headroom serve --api-keys`.
#include <fmt/format.h>

#include "cli/app.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "server/keys/key_file.h"

namespace headroom {

int run_key(int argc, char** argv) {
  CLI::App app(
      "Makes a key for a client of headroom serve --api-keys FILE: prints it, and adds a line with "
      "its hash and what it may do to the file. The key itself is kept nowhere. SIGHUP lets a "
      "running server know.",
      "headroom key");
  std::string file;
  server::KeyRules rules;
  std::string priority = "normal";
  double requests = 0;
  double compute = 0;
  app.add_option("--file", file, "file of keys; made when there is none")->required();
  app.add_option("--name", rules.name, "whose key it is, for logs and messages")->required();
  app.add_option("--model", rules.models, "a model that it may ask; repeatable; none: all")
      ->allow_extra_args(false);
  app.add_flag("--read-only", rules.read_only, "it may look (models, metrics), not ask");
  app.add_flag("--admin", rules.admin, "it may also load and unload models (serve --model-control)")
      ->excludes("--read-only");
  app.add_option("--priority", priority,
                 "high: its requests run before those of others; low: after them")
      ->type_name(choice_type(server::priority_table));
  app.add_option("--requests-per-minute", requests, "0: no limit")->check(CLI::NonNegativeNumber);
  app.add_option("--compute-seconds-per-minute", compute,
                 "of one core, by the latency table; 0: no limit")
      ->check(CLI::NonNegativeNumber);
  return run_app(app, argc, argv, [&](bool json) {
    rules.priority = server::priority_table.parse(priority);
    if (requests > 0) rules.requests_per_minute = requests;
    if (compute > 0) rules.compute_seconds_per_minute = compute;
    const std::string key = server::new_key();
    rules.sha256 = server::sha256_hex(key);
    append_key(file, rules);
    if (json) {
      print_json_line({{"key", key}, {"name", rules.name}, {"file", file}});
    } else {
      fmt::print("{}\n", key);
    }
  });
}

}  // namespace headroom
