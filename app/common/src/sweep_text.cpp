// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/sweep_text.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>

#include "batchscope/common/number_text.h"
#include "batchscope/common/series_unit.h"
#include "batchscope/common/sweep_progress.h"
#include "batchscope/common/tone.h"
#include "batchscope/common/translate.h"

namespace batchscope::common {
namespace {

using State = sweep::Standing::State;

QString shareText(const QString& part, const QString& whole) { return tr("%1 of %2").arg(part, whole); }

QString countText(std::size_t count) { return formatCount(static_cast<std::int64_t>(count)); }

// The number of trials that stand in one of the two ways.
QString countOf(const sweep::SweepView& view, State one, State other) {
  return countText(static_cast<std::size_t>(std::ranges::count_if(view.trials, [&](const auto& trial) {
    return trial.standing.state == one || trial.standing.state == other;
  })));
}

QString doneText(const sweep::SweepView& view) {
  const std::size_t wanted = sweep::trials_wanted(view.file);
  const auto done = std::ranges::count_if(
      view.trials, [](const auto& trial) { return trial.standing.state != State::running; });
  const QString text = formatCount(done);
  return wanted == std::numeric_limits<std::size_t>::max() ? text : shareText(text, countText(wanted));
}

QString bestText(const sweep::SweepView& view) {
  if (!view.best) return QStringLiteral("–");
  return tr("%1 %2, trial %3")
      .arg(QString::fromStdString(view.file.metric), valueText(view, *view.best), countText(*view.best));
}

}  // namespace

StatusText describe(storage::SweepState state, bool isDriven) {
  if (state == storage::SweepState::running && !isDriven) return {tr("Interrupted"), QStringLiteral("bad")};
  const QString tone = QString::fromLatin1(toneOf(storage::sweep_state_name(state)));
  switch (state) {
    case storage::SweepState::running: return {tr("Running"), tone};
    case storage::SweepState::paused: return {tr("Paused"), tone};
    case storage::SweepState::stopped: return {tr("Stopped"), tone};
    case storage::SweepState::finished: return {tr("Finished"), tone};
    case storage::SweepState::failed: return {tr("Failed"), tone};
  }
  return {};
}

StatusText describe(const sweep::SweepView& view, std::size_t trial) {
  const std::string state = trialState(view, trial);
  if (state == "interrupted") return {tr("interrupted"), QStringLiteral("warning")};
  const QString tone = QString::fromLatin1(toneOf(state));
  if (state == "pending") return {tr("waiting"), tone};
  if (state == "paused") return {tr("paused at a rung"), tone};
  if (state == "stopped") return {tr("stopped early"), tone};
  return {QString::fromStdString(state), tone};
}

QString metricUnit(const sweep::SweepView& view) { return QString::fromUtf8(unitOf(view.file.metric).name); }

double metricFactor(const sweep::SweepView& view) { return unitOf(view.file.metric).factor; }

QString metricText(const sweep::SweepView& view, double value) {
  const QString number = formatNumber(metricFactor(view) * value, 4), unit = metricUnit(view);
  return unit.isEmpty() || std::isnan(value) ? number : tr("%1 %2").arg(number, unit);
}

QString valueText(const sweep::SweepView& view, std::size_t trial) {
  return metricText(view, view.trials[trial].standing.value.value_or(std::nan("")));
}

QString trialText(const sweep::SweepView& view, std::size_t trial) {
  const sweep::TrialView& at = view.trials[trial];
  QStringList lines{tr("Trial %1, %2").arg(trial).arg(describe(view, trial).text)};
  for (const auto& [name, value] : at.parameters)
    lines << QStringLiteral("%1 %2").arg(QString::fromStdString(name), QString::fromStdString(value));
  if (at.standing.value)
    lines << QStringLiteral("%1 %2").arg(QString::fromStdString(view.file.metric), valueText(view, trial));
  if (!at.message.empty()) lines << QString::fromStdString(at.message);
  return lines.join(QLatin1Char('\n'));
}

QString deviceTimeText(const sweep::SweepView& view) {
  const QString text = formatDuration(3600 * view.device_hours);
  return view.file.device_hours ? shareText(text, formatDuration(3600 * *view.file.device_hours)) : text;
}

std::array<SweepTotal, 5> totalsOf(const sweep::SweepView& view) {
  return {{{tr("Trials done"), tr("Trials that have ended or wait at a rung, of all trials of the sweep"),
            doneText(view)},
           {tr("Best"), tr("The best value among the trials that trained longest, and its trial"),
            bestText(view)},
           {tr("Device time"), tr("The training time of each trial times its devices, for all trials"),
            deviceTimeText(view)},
           {tr("Stopped early"), tr("Trials that were stopped at a rung, or wait at one for others"),
            countOf(view, State::stopped, State::paused)},
           {tr("Went wrong"), tr("Trials with a program that failed, or with a metric that was not finite"),
            countOf(view, State::failed, State::diverged)}}};
}

}  // namespace batchscope::common
