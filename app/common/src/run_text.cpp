// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/run_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "batchscope/common/capital.h"
#include "batchscope/common/cluster_text.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/recorded.h"
#include "batchscope/common/series_unit.h"
#include "batchscope/common/tone.h"
#include "batchscope/common/translate.h"
#include "batchscope/protocol/run_state.h"
#include "batchscope/storage/run_field.h"

namespace batchscope::common {
namespace {

using protocol::RunState;

// "epoch 3 of 5", "98.12 %"; none of what is not known.
QStringList progressParts(const storage::Run& run) {
  QStringList parts;
  if (run.epochs > 0) parts << tr("epoch %1 of %2").arg(std::min(run.epoch + 1, run.epochs)).arg(run.epochs);
  const auto accuracy = run.latest.find("accuracy"), loss = run.latest.find("loss");
  if (accuracy != run.latest.end())
    parts << seriesText(accuracy->first, accuracy->second);
  else if (loss != run.latest.end())
    parts << tr("loss %1").arg(formatNumber(loss->second));
  return parts;
}

QString joined(const QStringList& parts) { return parts.join(QStringLiteral(" · ")); }

}  // namespace

QString replicaCount(int replicas) {
  return replicas == 1 ? tr("1 replica") : tr("%1 replicas").arg(formatCount(replicas));
}

QString seriesText(std::string_view series, double value) {
  return kindOf(series) == SeriesKind::fraction ? formatResult(value) : formatNumber(value);
}

StatusText describe(const protocol::RunStatus& status) {
  const QString on = replicaCount(std::max(1, status.replicas));
  const QString tone = QString::fromLatin1(toneOf(run_state_name(status.state)));
  switch (status.state) {
    case RunState::starting: return {tr("Starting on %1").arg(on), tone};
    case RunState::running:
      return {status.loop == "validate" ? tr("Validating on %1").arg(on) : tr("Training on %1").arg(on),
              tone};
    case RunState::restarting:
      return {tr("Restarting on %1").arg(replicaCount(std::max(1, status.target_replicas))), tone};
    case RunState::pausing: return {tr("Pausing"), tone};
    case RunState::paused: return {tr("Paused"), tone};
    case RunState::stopping: return {tr("Stopping"), tone};
    case RunState::stopped: return {tr("Stopped"), tone};
    case RunState::finished: return {tr("Finished"), tone};
    case RunState::failed: return {tr("Failed"), tone};
    case RunState::pending: return {tr("Pending"), tone};
    case RunState::interrupted: return {tr("Interrupted"), tone};
    case RunState::damaged: return {tr("Damaged"), tone};
  }
  return {};
}

StatusText describe(const storage::Run& run) {
  const std::string state = storage::shown_state(run);
  if (state == storage::kDiverged) return {tr("Diverged"), QString::fromLatin1(toneOf(state))};
  return describe(statusOf(run));
}

QString describeEpoch(const protocol::RunStatus& status) {
  if (common::isUnrecorded(status)) return tr("Not recorded");
  if (status.epochs <= 0) return tr("Step %1").arg(formatCount(status.step));
  if (status.epoch >= status.epochs)
    return status.epochs == 1 ? tr("1 epoch") : tr("%1 epochs").arg(status.epochs);
  return tr("Epoch %1 of %2").arg(status.epoch + 1).arg(status.epochs);
}

QString describeTime(const protocol::RunStatus& status) {
  const QString elapsed = formatDuration(status.elapsed);
  if (status.remaining < 0 || !is_active(status.state)) return elapsed;
  return tr("%1, about %2 left").arg(elapsed, formatDuration(status.remaining));
}

QString detailText(const storage::Run& run) {
  if (storage::shown_state(run) == storage::kDiverged)
    return tr("diverged after %1 steps").arg(formatCount(run.step));
  if (run.state == RunState::failed || run.state == RunState::interrupted || run.state == RunState::damaged) {
    QStringList parts{QString::fromStdString(run.message.empty() ? run_state_name(run.state) : run.message)};
    if (is_resumable(run.state)) parts << tr("resumable");
    return joined(parts);
  }
  if (const QStringList parts = progressParts(run); !parts.isEmpty()) return joined(parts);
  if (run.step > 0) return tr("step %1").arg(formatCount(run.step));
  if (is_active(run.state) || run.state == RunState::paused || run.state == RunState::pending)
    return tr("since %1").arg(formatTimeOfDay(run.created));
  if (!run.message.empty()) return QString::fromStdString(run.message);
  return isUnrecorded(run) ? QString::fromUtf8(kNotRecorded) : tr("no steps");
}

QString detailText(const RunRow& row) {
  if (row.trials.empty()) return detailText(row.run);
  const QString text = QString::fromStdString(row.text);
  if (!row.best) return text;
  return joined(
      {tr("best %1 %2")
           .arg(QString::fromStdString(row.best->metric), seriesText(row.best->metric, row.best->value)),
       text});
}

QString badgeText(const storage::Run& run) {
  if (is_active(run.state)) return QStringLiteral("×%1").arg(std::max(1, run.replicas));
  return run.state == RunState::finished ? tr("done") : QString::fromStdString(storage::shown_state(run));
}

protocol::RunStatus statusOf(const storage::Run& run) {
  protocol::RunStatus status;
  status.run = run.id;
  status.state = run.state;
  status.replicas = status.target_replicas = run.replicas;
  if (run.spec.auto_replicas) status.auto_replicas = run.spec.auto_replicas->text();
  status.step = run.step;
  status.epoch = run.epoch;
  status.epochs = run.epochs;
  status.total_fraction = run.fraction;
  status.latest = run.latest;
  status.message = run.message;
  if (const auto progress = run.latest.find("progress"); progress != run.latest.end())
    status.progress = progress->second;
  return status;
}

void takeOver(const protocol::RunStatus& status, storage::Run& run) {
  run.replicas = status.replicas;
  run.step = status.step;
  run.epoch = status.epoch;
  run.epochs = status.epochs;
  run.latest = status.latest;
}

QString waitText(const storage::Origin& origin) {
  if (!origin.job || !storage::waits(*origin.job)) return {};
  QString why = QString::fromStdString(common::waitReason(*origin.job));
  if (why.isEmpty()) why = tr("waits for nodes");
  why = capital(why);
  if (origin.job->start > 0) why += tr("; expected to start %1").arg(formatTimeOfDay(origin.job->start));
  return why + QLatin1Char('.');
}

QString describeRestarts(const std::vector<storage::Generation>& generations) {
  if (generations.size() < 2) return {};
  const auto restarts = static_cast<std::int64_t>(generations.size()) - 1;
  const auto crashes = std::count_if(generations.begin() + 1, generations.end(),
                                     [](const auto& each) { return each.reason == "crash"; });
  const QString count = restarts == 1 ? tr("1 restart") : tr("%1 restarts").arg(formatCount(restarts));
  if (crashes == 0) return count;
  if (crashes == restarts)
    return restarts == 1 ? tr("1 restart after a crash") : tr("%1, all after crashes").arg(count);
  return tr("%1, %2 of them after a crash").arg(count, formatCount(crashes));
}

const storage::Generation* lastRestart(const std::vector<storage::Generation>& generations) {
  const auto found = std::find_if(generations.rbegin(), generations.rend(),
                                  [](const storage::Generation& each) { return each.pause >= 0; });
  return found == generations.rend() ? nullptr : &*found;
}

QString pausePartText(std::size_t part) {
  static constexpr std::array<const char*, kPauseParts.size()> texts{
      QT_TRANSLATE_NOOP("pause", "Checkpoint"), QT_TRANSLATE_NOOP("pause", "Stop"),
      QT_TRANSLATE_NOOP("pause", "Launch"), QT_TRANSLATE_NOOP("pause", "Restore"),
      QT_TRANSLATE_NOOP("pause", "First step")};
  return QCoreApplication::translate("pause", texts.at(part));
}

QString describePause(const std::map<std::string, double>& parts) {
  QStringList words;
  for (std::size_t part = 0; part < kPauseParts.size(); ++part) {
    if (const auto duration = parts.find(kPauseParts[part]); duration != parts.end())
      words << pausePartText(part) + QLatin1Char(' ') + formatPause(duration->second);
  }
  return words.join(QStringLiteral(", "));
}

}  // namespace batchscope::common
