// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/restart_text.h"

#include <QLocale>
#include <algorithm>
#include <iterator>

#include "batchscope/common/number_text.h"
#include "batchscope/common/run_text.h"
#include "batchscope/common/translate.h"

namespace batchscope::common {
namespace {

using protocol::Json;

const char* stateName(RestartStep::State state) {
  switch (state) {
    case RestartStep::State::open: return "open";
    case RestartStep::State::on: return "on";
    case RestartStep::State::done: return "done";
  }
  return "open";
}

// "Starting", "Restarting on 2 replicas" or "Restarting, 1 → 2".
QString restartTitle(const protocol::RunStatus& status, int present) {
  if (status.generation == 0) return tr("Starting");
  if (present == status.target_replicas)
    return tr("Restarting on %1").arg(replicaCount(std::max(1, present)));
  return tr("Restarting, %1 → %2").arg(present).arg(status.target_replicas);
}

// "Last restart, 1 → 2, 0.31 s"
QString restartTitle(const storage::Generation& last, const std::vector<storage::Generation>& generations) {
  int before = 0;
  for (const storage::Generation& each : generations)
    if (each.number < last.number) before = each.replicas;
  return tr("Last restart, %1 → %2, %3").arg(before).arg(last.replicas).arg(formatPause(last.pause));
}

}  // namespace

std::vector<RestartStep> restartSteps(const std::map<std::string, double>& parts) {
  std::vector<RestartStep> steps;
  for (std::size_t part = 0; part < kPauseParts.size(); ++part) {
    const auto took = parts.find(kPauseParts[part]);
    if (took == parts.end())
      steps.push_back({pausePartText(part), RestartStep::State::open, {}});
    else
      steps.push_back({pausePartText(part), RestartStep::State::done, formatPause(took->second)});
  }
  return steps;
}

std::optional<RestartText> restartUnderWay(const protocol::RunStatus& status, int present) {
  if (status.phase.empty()) return {};
  RestartText text{restartTitle(status, present), restartSteps({})};
  const auto on = std::find(kPauseParts.begin(), kPauseParts.end(), status.phase) - kPauseParts.begin();
  if (on == std::ssize(kPauseParts)) return text;  // a part of another version
  std::for_each_n(text.steps.begin(), on, [](RestartStep& step) { step.state = RestartStep::State::done; });
  RestartStep& step = text.steps[static_cast<std::size_t>(on)];
  step.state = RestartStep::State::on;
  step.value = tr("%1 s").arg(QLocale().toString(status.phase_seconds, 'f', 1));
  return text;
}

std::optional<RestartText> restartDone(const std::vector<storage::Generation>& generations) {
  const storage::Generation* last = lastRestart(generations);
  if (last == nullptr) return {};
  return RestartText{restartTitle(*last, generations), restartSteps(last->pause_parts)};
}

Json restartJson(const std::optional<RestartText>& restart) {
  if (!restart) return nullptr;
  Json steps = Json::array();
  for (const RestartStep& step : restart->steps)
    steps.push_back({{"part", step.part.toStdString()},
                     {"state", stateName(step.state)},
                     {"value", step.value.toStdString()}});
  return {{"title", restart->title.toStdString()}, {"steps", std::move(steps)}};
}

}  // namespace batchscope::common
