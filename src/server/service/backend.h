// What the API needs of whatever answers calls. The real one is the Service; tests put in one that
// answers at once, later, refuses or never.
#pragma once

#include <string>
#include <vector>

#include "server/models/served_model.h"
#include "server/service/call.h"
#include "server/telemetry/live_state.h"

namespace headroom::server {

class Backend {
 public:
  virtual ~Backend() = default;

  virtual const std::vector<ServedModel>& models() const = 0;  // the first is the default

  // Which model answers the next request for this name: one that is called so, or a version of it,
  // in turn where traffic is split. Null: none.
  virtual const ServedModel* pick(const std::string& name) const {
    for (const ServedModel& model : models()) {
      if (model.name == name) return &model;
    }
    return nullptr;
  }

  // Tokenises on the caller's thread, then queues or refuses at once. Throws ErrorCode::bad_data
  // for text that is not UTF-8, ErrorCode::usage for a model that is not served, no text at all, a
  // latency that is not above 0 or a budget that the model was not trained for; nothing is queued
  // then and `done` is not called.
  virtual Abandon submit(const Call& call, CallDone done) = 0;

  // Whether calls that name no budget are automatic, of models that can be.
  virtual bool automatic() const { return false; }
  virtual LiveState live(const std::string& model) const = 0;  // ErrorCode::usage when not served
  virtual bool ready() const = 0;                              // waits for no lock
  virtual void begin_drain() = 0;  // from now on calls are refused with Refusal::draining
};

}  // namespace headroom::server
