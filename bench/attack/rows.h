// The attacks, by the rows of the table in SECURITY.md, and what each found.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace headroom::attack {

struct Setting {
  std::string program;    // headroom
  std::string model;      // a checkpoint with a latency table of this machine
  std::string manifests;  // deploy/kubernetes
  std::string folder;     // for files of the attacks
  double seconds = 8;     // of an attack beside honest requests
};

struct Finding {
  int row = 0;
  std::string attack;
  std::string expected;
  std::string found;
  bool held = false;
};

using Report = std::function<void(const Finding& finding)>;

// Rows 1, 3, 4 and 6 beside an honest client at half the server's capacity, from another address.
void attack_beside_load(const Setting& setting, const Report& report);

void attack_parser(const Setting& setting, const Report& report);    // row 1
void attack_log(const Setting& setting, const Report& report);       // row 5
void attack_options(const Setting& setting, const Report& report);   // row 7
void attack_memory(const Setting& setting, const Report& report);    // row 8
void attack_latency(const Setting& setting, const Report& report);   // row 9
void attack_http(const Setting& setting, const Report& report);      // row 11
void attack_protocol(const Setting& setting, const Report& report);  // row 12

}  // namespace headroom::attack
