// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/status_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "batchscope/common/cluster_text.h"
#include "batchscope/common/recorded.h"
#include "batchscope/protocol/run_state.h"
#include "look/format.h"
#include "look/translate.h"

namespace batchscope::desktop {
QString replicaCount(int replicas) {
  return replicas == 1 ? tr("1 replica") : tr("%1 replicas").arg(formatCount(replicas));
}

StatusText describe(const protocol::RunStatus& status) {
  const QString on = replicaCount(std::max(1, status.replicas));
  switch (status.state) {
    case protocol::RunState::starting: return {tr("Starting on %1").arg(on), QStringLiteral("warning")};
    case protocol::RunState::running:
      return {status.loop == "validate" ? tr("Validating on %1").arg(on) : tr("Training on %1").arg(on),
              QStringLiteral("good")};
    case protocol::RunState::restarting:
      return {tr("Restarting on %1").arg(replicaCount(std::max(1, status.target_replicas))),
              QStringLiteral("warning")};
    case protocol::RunState::pausing: return {tr("Pausing"), QStringLiteral("warning")};
    case protocol::RunState::paused: return {tr("Paused"), QStringLiteral("warning")};
    case protocol::RunState::stopping: return {tr("Stopping"), QStringLiteral("warning")};
    case protocol::RunState::stopped: return {tr("Stopped"), QStringLiteral("plain")};
    case protocol::RunState::finished: return {tr("Finished"), QStringLiteral("plain")};
    case protocol::RunState::failed: return {tr("Failed"), QStringLiteral("bad")};
    case protocol::RunState::pending: return {tr("Pending"), QStringLiteral("warning")};
    case protocol::RunState::interrupted: return {tr("Interrupted"), QStringLiteral("bad")};
    case protocol::RunState::damaged: return {tr("Damaged"), QStringLiteral("bad")};
  }
  return {};
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

QString waitText(const storage::Origin& origin) {
  if (!origin.job || !storage::waits(*origin.job)) return {};
  QString why = QString::fromStdString(common::waitReason(*origin.job));
  if (why.isEmpty()) why = tr("waits for nodes");
  why[0] = why[0].toUpper();
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

}  // namespace batchscope::desktop
