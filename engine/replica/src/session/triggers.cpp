// SPDX-License-Identifier: Apache-2.0
#include "session/triggers.h"

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "checkpoint/json_state.h"
#include "process/process.h"
#include "process/session.h"

namespace batchscope::replica {
namespace {

using When = protocol::Trigger::When;

struct Triggers final : JsonState {
  Triggers() : JsonState("triggers") {}
  TriggerList list{process().environment.triggers};

 private:
  protocol::Json contents() const override { return {{"fired", list.state()}}; }
  void restore(const protocol::Json& json) override { list.restore(json.at("fired")); }
};

}  // namespace

TriggerList::TriggerList(const std::string& json) {
  if (json.empty()) return;
  try {
    protocol::Json::parse(json).get_to(triggers_);
  } catch (const protocol::Json::exception& e) {
    throw Error(ErrorKind::usage, std::string(protocol::variable::kTriggers) +
                                      " is not a JSON array of triggers: " + protocol::fault_text(e));
  }
}

std::optional<int> TriggerList::due(std::int64_t steps, int finished_epochs, double progress) const {
  for (int i = 0; i < static_cast<int>(triggers_.size()); ++i) {
    if (fired_.contains(i)) continue;
    const protocol::Trigger& trigger = (*this)[i];
    const double now = trigger.when == When::step    ? static_cast<double>(steps)
                       : trigger.when == When::epoch ? finished_epochs
                                                     : progress;
    if (trigger.when != When::elapsed && now >= trigger.at) return i;
  }
  return std::nullopt;
}

protocol::Json TriggerList::state() const {
  protocol::Json fired = protocol::Json::array();
  for (const int index : fired_) fired.push_back({{"index", index}, {"trigger", (*this)[index].text()}});
  return fired;
}

void TriggerList::restore(const protocol::Json& json) {
  fired_.clear();
  for (const protocol::Json& entry : json) {
    const int index = entry.at("index");
    if (index >= 0 && index < static_cast<int>(triggers_.size()) &&
        entry.at("trigger") == (*this)[index].text())
      fired_.insert(index);
  }
}

TriggerList& triggers() { return session().part<Triggers>().list; }

void load_trigger_state() { checkpoint::load_state(session().part<Triggers>()); }

}  // namespace batchscope::replica
