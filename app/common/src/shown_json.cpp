// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/shown_json.h"

#include "batchscope/common/capital.h"
#include "batchscope/common/heard.h"
#include "batchscope/common/job_text.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/restart_text.h"
#include "batchscope/common/run_text.h"
#include "batchscope/common/translate.h"

namespace batchscope::common {
namespace {

using protocol::Json;

QString whoseText(const storage::Run& run) {
  if (!run.trial || run.state != protocol::RunState::paused) return {};
  return tr("trial %1 of the sweep %2").arg(run.trial->trial).arg(QString::fromStdString(run.trial->sweep));
}

Json json(const StatusText& status) {
  return {{"state", status.text.toStdString()}, {"tone", status.tone.toStdString()}};
}

}  // namespace

Json shownJson(const protocol::RunStatus& status, int present) {
  Json shown = json(describe(status));
  shown["progress"] = describeEpoch(status).toStdString();
  shown["time"] = describeTime(status).toStdString();
  shown["restart"] = restartJson(restartUnderWay(status, present > 0 ? present : status.replicas));
  return shown;
}

Json shownJson(const RunRow& row, const std::optional<protocol::RunStatus>& status,
               std::optional<double> heard, double now) {
  RunRow newest = row;
  storage::Run& run = newest.run;
  if (status) {
    run.state = status->state;
    takeOver(*status, run);
  }
  Json shown = shownJson(status.value_or(statusOf(run)));
  if (!status) {
    shown.update(json(describe(run)));
    shown["time"] = run.ended > 0 ? formatDuration(run.ended - run.created).toStdString() : "";
  }
  const bool isQuietSweep = !row.trials.empty() && run.replicas == 0 && is_active(run.state);
  shown["badge"] = isQuietSweep ? "" : badgeText(run).toStdString();
  shown["detail"] = detailText(newest).toStdString();
  shown["whose"] = whoseText(run).toStdString();
  if (!heard) return shown;
  const QString silence = QString::fromStdString(lastHeardText(*heard, now));
  shown.update(json({capital(silence), QStringLiteral("warning")}));
  shown["badge"] = "";
  shown["detail"] = silence.toStdString();
  return shown;
}

Json shownJson(const PlacedJob& job) {
  const pool::QueueEntry& entry = job.entry;
  return {{"state", stateText(entry, job.rung).toStdString()},
          {"tone", stateTone(entry, job.rung).toStdString()},
          {"replicas", replicasText(entry).toStdString()},
          {"why", whyText(entry, job.rung).toStdString()}};
}

}  // namespace batchscope::common
