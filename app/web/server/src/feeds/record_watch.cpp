// SPDX-License-Identifier: Apache-2.0
#include "feeds/record_watch.h"

#include <algorithm>
#include <functional>

#include "batchscope/common/queue_json.h"
#include "batchscope/storage/record_json.h"
#include "batchscope/storage/sweeps.h"

namespace batchscope::web {
namespace {

using protocol::Json;

std::size_t mark(const Json& json) { return std::hash<Json>()(json); }

// Returns a mark of the records without a field that only grows as the run trains.
template <class Record>
std::size_t mark_without(const std::vector<Record>& records, const char* field) {
  Json json = storage::records_json(records);
  for (Json& record : json) record.erase(field);
  return mark(json);
}

Json run_mark(const storage::Run& run) {
  return {run.name,           protocol::run_state_name(run.state),
          run.message,        run.ended,
          run.replicas,       run.devices,
          run.tags,           run.note,
          run.hyperparameters};
}

// Returns a mark of the queue without what passes by itself.
Json queue_mark(storage::Catalogue& catalogue) {
  Json queue = common::queueJson(catalogue, common::placedJobs(catalogue), common::nodeLanes(catalogue));
  queue.erase("mean_wait");
  for (Json& job : queue["queue"]) job.erase("waited");
  return queue;
}

Json sweeps_mark(storage::Catalogue& catalogue) {
  Json list = Json::array();
  storage::Sweeps sweeps(catalogue);
  for (const storage::Sweep& sweep : sweeps.all()) {
    const std::vector<storage::SweepLeg> legs = sweeps.legs(sweep.name);
    const auto over =
        std::count_if(legs.begin(), legs.end(), [](const storage::SweepLeg& leg) { return leg.ended > 0; });
    list.push_back({sweep.name, storage::sweep_state_name(sweep.state), sweep.message, legs.size(), over});
  }
  return list;
}

}  // namespace

std::vector<std::string> Watch::look(Store& store) {
  const std::int64_t version = store.version();
  if (version == version_) return {};
  const bool is_first = version_ < 0;
  version_ = version;
  Marks now = marks(store);
  std::vector<std::string> changed;
  for (const auto& [name, mark] : now)
    if (!is_first && last_[name] != mark) changed.push_back(name);
  last_ = std::move(now);
  return changed;
}

Watch::Marks RunWatch::marks(Store& store) {
  storage::Catalogue& catalogue = store.catalogue();
  const auto events = catalogue.events(run_);
  return {{"run", mark(run_mark(store.run(run_)))},
          {"generations", mark_without(catalogue.generations(run_), "last_step")},
          {"epochs", mark(storage::records_json(catalogue.epochs(run_)))},
          {"checkpoints", mark(storage::records_json(catalogue.checkpoints(run_)))},
          {"events", events.empty() ? 0 : static_cast<std::size_t>(events.back().id)}};
}

Watch::Marks ListWatch::marks(Store& store) {
  storage::Catalogue& catalogue = store.catalogue();
  return {{"runs", static_cast<std::size_t>(store.version())},
          {"queue", mark(queue_mark(catalogue))},
          {"sweeps", mark(sweeps_mark(catalogue))}};
}

}  // namespace batchscope::web
