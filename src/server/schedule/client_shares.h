// What each client may take of the workers. A client's turn is when its work would be done if all
// clients that have work shared the workers equally: nobody who asks for less than that has a turn
// far ahead of now, and who asks for more waits behind the others. Time comes in as an argument.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace headroom::server {

class ClientShares {
 public:
  explicit ClientShares(int workers) : workers_(workers) {}

  // How many clients have work at `now` or had some lately, `client` counted among them.
  size_t clients(const std::string& client, double now);
  double turn_ms(const std::string& client, double now) const;
  // The turn after `work_ms` more of the workers' time.
  double next_turn_ms(double turn_ms, size_t clients, double work_ms) const;
  void set_turn(const std::string& client, double turn_ms) { turns_[client] = turn_ms; }

 private:
  int workers_;
  std::map<std::string, double> turns_;  // of those that have work
};

}  // namespace headroom::server
