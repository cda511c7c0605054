// How a rank learns that another one has gone, however it went: a connection between the first rank
// and each other one on which nothing is ever sent. It closes with the process. (Gloo tells a
// broken connection to some of the exchanges under way and leaves others waiting: 8 of 55
// killed ranks left survivors waiting for each other.)
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "train/parallel/world.h"

namespace headroom {
inline namespace train {

class Lifelines {
 public:
  // The first rank tells the others its port with `tell`; they ask for it with `ask`.
  Lifelines(const World& world, double timeout_seconds,
            const std::function<void(const std::string&)>& tell,
            const std::function<std::string()>& ask);
  ~Lifelines();
  Lifelines(const Lifelines&) = delete;
  Lifelines& operator=(const Lifelines&) = delete;

  bool broken() const;  // a process at another end has ended

 private:
  void accept_all(int count, double timeout_seconds,
                  const std::function<void(const std::string&)>& tell);
  void connect_to(const std::string& address, const std::string& port);
  void close_all();

  std::vector<int> sockets_;
};

}  // namespace train
}  // namespace headroom
