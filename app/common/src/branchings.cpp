// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/branchings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "batchscope/common/say.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/series.h"
#include "batchscope/run/number_text.h"
#include "batchscope/storage/samples.h"

namespace batchscope::common {
namespace {

namespace series = protocol::series;
using protocol::Json;
using protocol::RunState;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Opens the run's series; null where it has none yet. Its supervisor makes their file before it fills it.
std::unique_ptr<storage::SampleReader> seriesOf(const std::string& run) {
  try {
    return std::make_unique<storage::SampleReader>(protocol::run_paths(run).samples);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    return nullptr;
  }
}

// A series by step. A generation that goes on from an older checkpoint replaces what was behind it.
std::map<std::int64_t, double> valuesOf(storage::SampleReader& reader, const char* name) {
  std::map<std::int64_t, double> values;
  for (const int generation : reader.generations(name)) {
    const std::vector<storage::Sample> samples = reader.read(name, generation);
    if (samples.empty()) continue;
    values.erase(values.lower_bound(samples.front().step), values.end());
    for (const storage::Sample& sample : samples) values[sample.step] = sample.value;
  }
  return values;
}

std::optional<double> valueAt(storage::SampleReader& reader, const char* name, std::int64_t step) {
  const auto values = valuesOf(reader, name);
  const auto behind = values.upper_bound(step);
  return behind == values.begin() ? std::nullopt : std::optional(std::prev(behind)->second);
}

bool hasDiverged(const storage::Run& run) {
  const auto steps = run.latest.find(series::kNonFiniteSteps);
  return run.state == RunState::failed && steps != run.latest.end() && steps->second > 0;
}

std::string recordedNames(const storage::Run& run) {
  std::vector<std::string> names;
  for (const auto& [name, value] : run.latest) names.push_back(name);
  return names.empty() ? say("nothing") : fmt::format("{}", fmt::join(names, ", "));
}

// Reads what the branch has trained. A step's samples are what the count of all has grown by.
goodput::BranchCurve curveOf(BranchRun& branch, const std::string& metric) {
  goodput::BranchCurve curve{branch.branch.batch_size, {}};
  const auto reader = seriesOf(branch.run.id);
  if (!reader) return curve;
  const auto counts = valuesOf(*reader, series::kSamples), values = valuesOf(*reader, metric.c_str()),
             factors = valuesOf(*reader, series::kLearningRateFactor);
  if (counts.empty()) return curve;
  double before = counts.begin()->second - static_cast<double>(branch.branch.batch_size), sum = 0;
  branch.trained = counts.rbegin()->second - before;
  branch.steps = counts.rbegin()->first - branch.branch.step;
  for (const auto& [step, count] : counts)
    if (const auto value = values.find(step); value != values.end())
      curve.steps.push_back({count - std::exchange(before, count), value->second});
  for (const auto& [step, factor] : factors) sum += factor;
  if (!factors.empty()) branch.rateFactor = sum / static_cast<double>(factors.size());
  return curve;
}

// Returns why a branch that is over tells nothing; empty where it tells.
std::string faultOf(const BranchRun& branch, const goodput::BranchCurve& curve, const std::string& metric) {
  const storage::Run& run = branch.run;
  if (run.state != RunState::finished)
    return (run.state == RunState::stopped ? say("it was stopped") : say("it failed")) +
           (run.message.empty() ? "" : ": " + run.message);
  if (branch.trained == 0)
    return say(
        "its program ended without a step: training is over at {}; choose an earlier "
        "--checkpoint, or give more epochs after \"--\"",
        branch.branch.checkpoint);
  if (const auto size = run.latest.find(series::kBatchSize);
      size == run.latest.end() || size->second != static_cast<double>(branch.branch.batch_size))
    return say("its steps have another batch size: its program loops over no AdaptiveDataLoader");
  if (curve.steps.empty())
    return say("it has no '{}' of its steps: it has recorded {}", metric, recordedNames(run));
  if (branch.trained < static_cast<double>(branch.branch.samples - 2 * branch.branch.batch_size))
    return say(
        "its program ended after {} of {} samples: choose an earlier --checkpoint, or give "
        "more epochs after \"--\"",
        run::number_text(branch.trained), run::number_text(static_cast<double>(branch.branch.samples)));
  return {};
}

void judge(Branching& branching, const BranchQuestion& question) {
  const std::string& metric = question.metric.empty() ? branching.branch.metric : question.metric;
  std::vector<goodput::BranchCurve> curves;
  for (BranchRun& branch : branching.runs) {
    goodput::BranchCurve curve = curveOf(branch, metric);
    if (!branch.isOver) continue;
    if (hasDiverged(branch.run)) {
      curve.steps = {{static_cast<double>(branch.branch.samples), kNaN}};
    } else {
      branch.fault = faultOf(branch, curve, metric);
      if (!branch.fault.empty()) continue;
    }
    curves.push_back(std::move(curve));
  }
  if (!branching.isOver()) return;
  branching.critical = critical_batch_size(
      std::move(curves), question.tolerance ? question.tolerance : branching.branch.tolerance);
}

template <class T>
Json orUnknown(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

const char* verdictName(goodput::BranchVerdict verdict) {
  switch (verdict) {
    case goodput::BranchVerdict::within: return "within";
    case goodput::BranchVerdict::above: return "above";
    case goodput::BranchVerdict::unclear: return "unclear";
  }
  return "";
}

Json branchJson(const BranchRun& branch, const goodput::BranchLoss* loss) {
  Json json{{"run", branch.run.id},
            {"batch_size", branch.branch.batch_size},
            {"state", protocol::run_state_name(branch.run.state)},
            {"steps", branch.steps},
            {"lr_factor", orUnknown(branch.rateFactor)},
            {"fault", branch.fault.empty() ? Json() : Json(branch.fault)},
            {"loss", Json()},
            {"error", Json()},
            {"excess", Json()},
            {"excess_error", Json()},
            {"verdict", Json()}};
  if (!loss) return json;
  json["loss"] = protocol::encode_number(loss->loss);
  json["error"] = protocol::encode_number(loss->error);
  json["excess"] = protocol::encode_number(loss->excess);
  json["excess_error"] = protocol::encode_number(loss->excess_error);
  json["verdict"] = verdictName(loss->verdict);
  return json;
}

}  // namespace

bool trainsNoMore(RunState state) {
  return state == RunState::finished || state == RunState::failed || state == RunState::stopped ||
         state == RunState::damaged;
}

bool Branching::isOver() const {
  return std::ranges::all_of(runs, [](const BranchRun& branch) { return branch.isOver; });
}

std::vector<Branching> branchingsOf(storage::Catalogue& catalogue, const std::string& run,
                                    const BranchQuestion& question) {
  std::vector<storage::Run> all = catalogue.runs();
  std::ranges::reverse(all);  // oldest first
  std::vector<Branching> list;
  for (const storage::Run& one : all) {
    const auto branch = protocol::branch_of(one.spec.environment);
    if (!branch || branch->run != run) continue;
    const auto known = std::ranges::find(list, one.spec.group, &Branching::group);
    Branching& branching =
        known != list.end() ? *known : list.emplace_back(Branching{one.spec.group, *branch, {}, {}, {}, {}});
    branching.runs.push_back({one, *branch, trainsNoMore(one.state), {}, 0, 0, {}});
  }
  const auto reader = list.empty() ? nullptr : seriesOf(run);
  for (Branching& branching : list) {
    std::ranges::sort(branching.runs, {}, [](const BranchRun& branch) { return branch.branch.batch_size; });
    branching.branch = branching.runs.front().branch;
    judge(branching, question);
    if (!reader) continue;
    branching.noiseScale = valueAt(*reader, series::kNoiseScale, branching.branch.step);
    branching.batchSize = valueAt(*reader, series::kBatchSize, branching.branch.step);
  }
  return list;
}

const goodput::BranchLoss* lossOf(const Branching& branching, std::int64_t batchSize) {
  if (!branching.critical) return nullptr;
  const auto& losses = branching.critical->branches;
  const auto found = std::ranges::find(losses, batchSize, &goodput::BranchLoss::batch_size);
  return found == losses.end() ? nullptr : &*found;
}

std::string criticalText(const goodput::CriticalBatchSize& critical) {
  const std::int64_t smallest = critical.branches.front().batch_size,
                     largest = critical.branches.back().batch_size;
  if (const auto size = critical.size())
    return say("{}; at {} the loss is above the tolerance", *size, *critical.below);
  if (!critical.open && !critical.below)
    return say("at least {}; branch with larger sizes to find where the loss rises", largest);
  if (!critical.open)
    return say("below {}, the next larger size than {}; branch with smaller sizes to find it",
               *critical.below, smallest);
  const std::string mend = say("train over more --samples, or allow more by --tolerance");
  if (critical.below)
    return say("between {} and {}: the errors are too large to tell more; {}", critical.at_least,
               *critical.below, mend);
  if (critical.at_least > smallest)
    return say("at least {}; of larger sizes it cannot be told, as the errors are too large: {}",
               critical.at_least, mend);
  return say("cannot be told: the errors are larger than the tolerance; {}", mend);
}

Json branchingJson(const Branching& branching) {
  Json branches = Json::array();
  for (const BranchRun& branch : branching.runs)
    branches.push_back(branchJson(branch, lossOf(branching, branch.branch.batch_size)));
  const auto& critical = branching.critical;
  return {{"group", branching.group},
          {"run", branching.branch.run},
          {"checkpoint", branching.branch.checkpoint},
          {"step", branching.branch.step},
          {"progress", branching.branch.progress},
          {"samples", branching.branch.samples},
          {"metric", branching.branch.metric},
          {"over", branching.isOver()},
          {"branches", std::move(branches)},
          {"tolerance", critical ? Json(critical->tolerance) : Json()},
          {"critical_batch_size", critical ? orUnknown(critical->size()) : Json()},
          {"at_least", critical ? Json(critical->at_least) : Json()},
          {"below", critical ? orUnknown(critical->below) : Json()},
          {"answer", critical ? Json(criticalText(*critical)) : Json()},
          {"noise_scale", orUnknown(branching.noiseScale)},
          {"batch_size", orUnknown(branching.batchSize)}};
}

bool recordCritical(storage::Catalogue& catalogue, const std::string& run,
                    const std::vector<Branching>& branchings) {
  std::map<std::int64_t, double> known, found;
  {
    const auto reader = seriesOf(run);
    if (!reader) return true;
    known = valuesOf(*reader, series::kCriticalBatchSize);
  }
  for (const Branching& branching : branchings)
    if (const auto size = branching.critical ? branching.critical->size() : std::nullopt)
      found[branching.branch.step] = static_cast<double>(*size);
  std::erase_if(found, [&](const auto& one) {
    const auto same = known.find(one.first);
    return same != known.end() && same->second == one.second;
  });
  if (found.empty()) return true;
  const auto generations = catalogue.generations(run);
  try {
    storage::SampleWriter writer(protocol::run_paths(run).samples);
    for (const auto& [step, size] : found) {
      int number = 0;  // the last generation that made the step
      for (const storage::Generation& generation : generations)
        if (generation.first_step > 0 && generation.first_step <= step) number = generation.number;
      writer.append(number, series::kCriticalBatchSize, step, size);
    }
    writer.commit();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::conflict) return false;
    throw;
  }
  return true;
}

}  // namespace batchscope::common
