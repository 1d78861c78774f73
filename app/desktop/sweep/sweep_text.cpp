// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/sweep_text.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

#include "batchscope/common/number_text.h"
#include "batchscope/common/series_unit.h"
#include "batchscope/common/translate.h"

namespace batchscope::desktop {
namespace {

using State = sweep::Standing::State;

bool isUnderWay(const sweep::SweepView& view) { return view.sweep.state == storage::SweepState::running; }
bool isOver(const sweep::SweepView& view) { return view.sweep.ended > 0; }

}  // namespace

common::StatusText describe(storage::SweepState state) {
  switch (state) {
    case storage::SweepState::running: return {tr("Running"), QStringLiteral("good")};
    case storage::SweepState::paused: return {tr("Paused"), QStringLiteral("warning")};
    case storage::SweepState::stopped: return {tr("Stopped"), QStringLiteral("plain")};
    case storage::SweepState::finished: return {tr("Finished"), QStringLiteral("plain")};
    case storage::SweepState::failed: return {tr("Failed"), QStringLiteral("bad")};
  }
  return {};
}

QString stateText(const sweep::SweepView& view, std::size_t trial) {
  switch (view.trials[trial].standing.state) {
    case State::running: return isUnderWay(view) ? tr("running") : tr("interrupted");
    case State::paused: return isOver(view) ? tr("stopped early") : tr("paused at a rung");
    case State::stopped: return tr("stopped early");
    case State::finished: return tr("finished");
    case State::diverged: return tr("diverged");
    case State::failed: return tr("failed");
  }
  return {};
}

QColor stateColour(const sweep::SweepView& view, std::size_t trial, const Theme& theme) {
  switch (view.trials[trial].standing.state) {
    case State::running: return isUnderWay(view) ? theme.good : theme.warning;
    case State::paused: return isOver(view) ? theme.faint : theme.warning;
    case State::diverged:
    case State::failed: return theme.bad;
    default: return theme.faint;
  }
}

QString metricUnit(const sweep::SweepView& view) {
  return QString::fromUtf8(common::unitOf(view.file.metric).name);
}

double metricFactor(const sweep::SweepView& view) { return common::unitOf(view.file.metric).factor; }

QString metricText(const sweep::SweepView& view, double value) {
  const QString number = common::formatNumber(metricFactor(view) * value, 4), unit = metricUnit(view);
  return unit.isEmpty() ? number : tr("%1 %2").arg(number, unit);
}

QString trialText(const sweep::SweepView& view, std::size_t trial) {
  const sweep::TrialView& at = view.trials[trial];
  QStringList lines{tr("Trial %1, %2").arg(trial).arg(stateText(view, trial))};
  for (const auto& [name, value] : at.parameters)
    lines << QStringLiteral("%1 %2").arg(QString::fromStdString(name), QString::fromStdString(value));
  if (at.standing.value)
    lines << QStringLiteral("%1 %2").arg(QString::fromStdString(view.file.metric),
                                         metricText(view, *at.standing.value));
  if (!at.message.empty()) lines << QString::fromStdString(at.message);
  return lines.join(QLatin1Char('\n'));
}

std::size_t stoppedEarly(const sweep::SweepView& view) {
  return static_cast<std::size_t>(std::ranges::count_if(view.trials, [](const sweep::TrialView& trial) {
    return trial.standing.state == State::stopped || trial.standing.state == State::paused;
  }));
}

std::size_t trialsDone(const sweep::SweepView& view) {
  return static_cast<std::size_t>(std::ranges::count_if(
      view.trials, [](const sweep::TrialView& trial) { return trial.standing.state != State::running; }));
}

}  // namespace batchscope::desktop
