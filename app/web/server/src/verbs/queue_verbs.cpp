// SPDX-License-Identifier: Apache-2.0
#include "verbs/queue_verbs.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "answers/list_answers.h"
#include "batchscope/common/queue_json.h"
#include "batchscope/common/queue_order.h"
#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/pool.h"
#include "batchscope/storage/origins.h"
#include "store/asked_for.h"

namespace batchscope::web {
namespace {

using common::say;
using protocol::Json;

// Bytes that are not UTF-8 are replaced.
std::string printed(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json change_json(const common::PriorityChange& change) {
  return {{"run", change.run}, {"before", change.before}, {"after", change.after}};
}

Json set_priority(storage::Catalogue& catalogue, const storage::Run& run, int priority) {
  const auto job = catalogue.job(run.id);
  pool::prioritise(catalogue, run.id, priority);
  if (!job || job->priority == priority) return Json::array();
  return Json::array({change_json({run.id, job->priority, priority})});
}

// Moves the run before another, or behind it. Trials that wait at a rung ask for nothing, and have no place.
Json move(storage::Catalogue& catalogue, const storage::Run& run, const std::string& other, bool behind) {
  std::vector<common::QueuePlace> queue;
  std::optional<std::size_t> row;
  bool is_there = false;
  for (const common::PlacedJob& job : common::placedJobs(catalogue)) {
    const std::string& id = job.entry.run.id;
    if (job.rung) continue;
    if (id == other) row = queue.size() + (behind ? 1 : 0);
    is_there = is_there || id == run.id;
    queue.push_back({id, job.entry.job.priority, job.entry.job.submitted, id == run.id});
  }
  if (!row || !is_there)
    throw Error(ErrorKind::conflict,
                say("run {} is no longer in the queue, or has no place there", row ? run.id : other));
  Json changed = Json::array();
  for (const common::PriorityChange& change : common::movedTo(queue, *row)) {
    pool::prioritise(catalogue, change.run, change.after);
    changed.push_back(change_json(change));
  }
  return changed;
}

using Deed = void (*)(storage::Catalogue&, const std::string&);

JobVerb plain(const std::string& name, Deed deed) {
  return {name, [deed](storage::Catalogue& catalogue, const storage::Run& run) {
            deed(catalogue, run.id);
            return Json::array();
          }};
}

JobVerb mover(const Json& body) {
  const bool behind = body.contains("after");
  const Json other = behind == body.contains("before") ? Json() : body.at(behind ? "after" : "before");
  if (!other.is_string())
    throw Error(ErrorKind::usage, "name the run to move before or behind, in \"before\" or in \"after\"");
  return {"move in the queue",
          [other = other.get<std::string>(), behind](storage::Catalogue& catalogue, const storage::Run& run) {
            return move(catalogue, run, other, behind);
          }};
}

template <class Value>
void take(const Json& value, const std::string& name, Value& setting) {
  constexpr double kMost = std::numeric_limits<int>::max();
  const bool fits = std::is_same_v<Value, bool> ? value.is_boolean()
                    : std::is_same_v<Value, int>
                        ? value.is_number_integer() && std::abs(value.get<double>()) <= kMost
                        : value.is_string();
  if (!fits)
    throw Error(ErrorKind::usage, fmt::format("{} is not a valid value of {}", printed(value), name));
  setting = value.get<Value>();
}

void apply(const Json& body, protocol::PoolSettings& settings) {
  for (const auto& [name, value] : body.items()) {
    if (name == "policy")
      take(value, name, settings.policy);
    else if (name == "paused")
      take(value, name, settings.paused);
    else if (name == "draining")
      take(value, name, settings.draining);
    else if (name == "devices")
      take(value, name, settings.devices);
    else
      throw Error(ErrorKind::usage,
                  name + " is not a setting that a page can change: use policy, paused, draining or devices");
  }
  settings.check();
}

}  // namespace

int priority_of(const Json& value) {
  // As a number of any size: one that is too large must not wrap round.
  if (!value.is_number_integer() || std::abs(value.get<double>()) > protocol::kMostPriority)
    throw Error(ErrorKind::usage, say("priority {} is not a whole number from {} to {}", printed(value),
                                      -protocol::kMostPriority, protocol::kMostPriority));
  return value.get<int>();
}

JobVerb job_verb(const Json& body) {
  const Json command = body.is_object() ? body.value("command", Json()) : Json();
  if (command == "hold") return plain("hold", pool::hold);
  if (command == "release") return plain("release", pool::release);
  if (command == "cancel") return plain("cancel", pool::cancel);
  if (command == "move") return mover(body);
  if (command == "priority") {
    const int priority = priority_of(body.value("priority", Json()));
    return {fmt::format("priority {}", priority),
            [priority](storage::Catalogue& catalogue, const storage::Run& run) {
              return set_priority(catalogue, run, priority);
            }};
  }
  throw Error(ErrorKind::usage, "\"command\" must be one of hold, release, cancel, priority, move");
}

Json ask_of_job(Store& store, const std::string& id, const std::string& person, const JobVerb& verb) {
  const storage::Run run = store.run(id);
  if (const auto origin = storage::Origins(protocol::catalogue_path()).find(id); origin && origin->followed)
    throw Error(ErrorKind::conflict, storage::trains_elsewhere(id, *origin));
  storage::Catalogue& catalogue = store.catalogue();
  Json changed = verb.act(catalogue, run);
  note_asked_for(catalogue, run, verb.what, person);
  const auto placed = common::placedJob(catalogue, run);
  return {{"job", placed ? common::jobJson(*placed) : Json()}, {"changed", std::move(changed)}};
}

Json configure_pool(Store& store, const Json& body) {
  if (!body.is_object() || body.empty())
    throw Error(ErrorKind::usage, "send the settings as JSON: {\"policy\":\"fast\"}");
  protocol::PoolSettings trial;
  apply(body, trial);  // refused before the catalogue is written to
  pool::configure(store.catalogue(), [&](protocol::PoolSettings& settings) { apply(body, settings); });
  return {{"pool", pool_json(store.catalogue())}};
}

}  // namespace batchscope::web
