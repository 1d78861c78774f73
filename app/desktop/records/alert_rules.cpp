// SPDX-License-Identifier: GPL-3.0-or-later
#include "records/alert_rules.h"

#include <cmath>

#include "batchscope/common/number_text.h"
#include "batchscope/common/translate.h"

namespace batchscope::desktop {
namespace {

using storage::RunState;

bool isOver(RunState state) {
  return state == RunState::failed || state == RunState::finished || state == RunState::interrupted;
}

}  // namespace

std::vector<Alert> AlertRules::observe(const std::vector<storage::Run>& runs, double now) {
  std::vector<Alert> alerts;
  std::map<std::string, Watched> seen;
  for (const storage::Run& run : runs) {
    const auto before = watched_.find(run.id);
    const bool isNew = before == watched_.end();
    const bool isSame = !isNew && before->second.state == run.state && before->second.step == run.step;
    Watched at = isSame ? before->second : Watched{run.state, run.step, now};
    if (!isNew) at.saidNotFinite = before->second.saidNotFinite;
    const QString name = QString::fromStdString(run.name);
    const auto addAlert = [&](Alert::Kind kind, const QString& title, const QString& text) {
      alerts.push_back({kind, run.id, title, text});
    };
    if (!isNew && before->second.state != run.state && isOver(run.state)) {
      if (run.state == RunState::finished) {
        addAlert(
            Alert::Kind::Finished, tr("%1 has finished").arg(name),
            run.step == 1 ? tr("after 1 step") : tr("after %1 steps").arg(common::formatCount(run.step)));
      } else {
        addAlert(Alert::Kind::Failed, tr("%1 has failed").arg(name),
                 run.message.empty() ? tr("It gave no reason. Its log may say why.")
                                     : QString::fromStdString(run.message));
      }
    }
    const auto loss = run.latest.find("loss");
    const bool isNotFinite = loss != run.latest.end() && !std::isfinite(loss->second);
    if (run.state == RunState::running && isNotFinite && !at.saidNotFinite)
      addAlert(Alert::Kind::NotFinite, tr("The loss of %1 is not finite").arg(name),
               tr("at step %1").arg(common::formatCount(run.step)));
    at.saidNotFinite = isNotFinite;
    const double quiet = now - at.since;
    if (run.state == RunState::running && quiet > kStall && !at.saidStalled) {
      addAlert(Alert::Kind::Stalled, tr("%1 makes no progress").arg(name),
               tr("no step for %1, after step %2")
                   .arg(common::formatDuration(quiet), common::formatCount(run.step)));
      at.saidStalled = true;
    }
    if (run.state == RunState::restarting && quiet > kLongPause && !at.saidLongPause) {
      addAlert(Alert::Kind::LongPause, tr("%1 takes long to restart").arg(name),
               tr("%1 so far").arg(common::formatDuration(quiet)));
      at.saidLongPause = true;
    }
    seen.insert_or_assign(run.id, at);
  }
  watched_ = std::move(seen);
  return alerts;
}

}  // namespace batchscope::desktop
