// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/job_text.h"

#include <QStringList>
#include <cmath>

#include "batchscope/common/number_text.h"
#include "batchscope/common/tone.h"
#include "batchscope/common/translate.h"
#include "batchscope/common/trial_text.h"
#include "batchscope/run/machine.h"

namespace batchscope::common {
namespace {

using pool::JobState;

QString range(const protocol::RunSpec& spec) {
  if (!spec.auto_replicas) return formatCount(spec.replicas);
  const auto [min, max] = *spec.auto_replicas;
  if (max == 0) return min <= 1 ? tr("auto") : tr("%1 or more").arg(min);
  return min == max ? formatCount(min) : tr("%1–%2").arg(min).arg(max);
}

}  // namespace

QString stateText(const pool::QueueEntry& entry, std::optional<int> rung) {
  if (rung) return tr("at rung");
  switch (entry.state) {
    case JobState::pending: return tr("waiting");
    case JobState::held: return tr("held");
    case JobState::starting: return tr("starting");
    case JobState::running: return tr("running");
    case JobState::paused: return tr("paused");
    case JobState::stopping: return tr("stopping");
    case JobState::succeeded: return tr("succeeded");
    case JobState::failed: return tr("failed");
    case JobState::cancelled: return tr("cancelled");
  }
  return {};
}

QString stateTone(const pool::QueueEntry& entry, std::optional<int> rung) {
  return QString::fromLatin1(rung ? "warning" : toneOf(pool::job_state_name(entry.state)));
}

QString replicasText(const pool::QueueEntry& entry) {
  const std::size_t held = entry.run.devices.size(), wanted = entry.job.target.size();
  if (entry.state >= JobState::succeeded) return range(entry.run.spec);
  const QString heldText = formatCount(static_cast<std::int64_t>(held));
  const QString nowText = wanted == held || (wanted == 0 && !entry.job.preempted)
                              ? heldText
                              : tr("%1 → %2").arg(heldText, formatCount(static_cast<std::int64_t>(wanted)));
  const bool isOpen = entry.run.spec.auto_replicas == protocol::AutoReplicas{};
  return (isOpen ? tr("%1 (%2)") : tr("%1 of %2")).arg(nowText, range(entry.run.spec));
}

QString whyText(const pool::QueueEntry& entry, std::optional<int> rung) {
  if (rung) return QString::fromStdString(rungText(entry.run.trial->sweep, *rung));
  const QString reason = QString::fromStdString(entry.job.reason);
  if (entry.state >= JobState::succeeded) {
    const QString duration = formatDuration(entry.run.ended - entry.job.submitted);
    const QString message = QString::fromStdString(entry.run.message);
    if (entry.state == JobState::succeeded) return tr("took %1 in total").arg(duration);
    return message.isEmpty() ? tr("ended after %1").arg(duration) : message;
  }
  if (entry.state == JobState::held && (reason.isEmpty() || !entry.job.held))
    return entry.job.held ? tr("held; release it to give it devices")
                          : tr("paused; resume it to let it go on");
  if (!reason.isEmpty()) return reason;
  if (!entry.job.after.empty()) return tr("waits for the end of another run");
  if (entry.state == JobState::pending) return tr("waits for the pool's first decision");
  return {};
}

QString devicesText(const std::vector<std::string>& devices) {
  return devices.empty() ? QStringLiteral("–") : QString::fromStdString(run::device_list(devices));
}

QString alternativesText(const std::vector<protocol::PoolAlternative>& alternatives) {
  QStringList parts;
  for (const protocol::PoolAlternative& other : alternatives) {
    if (other.devices == 0) {
      parts << tr("with none: it would wait");
      continue;
    }
    const auto percent = std::lround(100 * other.speedup);
    parts << tr("with %1: %2%3 %")
                 .arg(other.devices)
                 .arg(percent < 0 ? QStringLiteral("−") : QStringLiteral("+"))
                 .arg(std::labs(percent));
  }
  return parts.join(QStringLiteral(", "));
}

}  // namespace batchscope::common
