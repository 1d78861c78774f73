// SPDX-License-Identifier: GPL-3.0-or-later
#include "records/failure_bar.h"

#include <QPushButton>

#include "batchscope/common/number_text.h"
#include "batchscope/common/run_text.h"
#include "batchscope/common/trial_text.h"
#include "look/box.h"
#include "look/theme.h"
#include "session/run_session.h"

namespace batchscope::desktop {

FailureBar::FailureBar(RunSession* session, QWidget* parent)
    : QFrame(parent),
      session_(session),
      what_(named("chartTitle", this)),
      why_(named("failureText", this)),
      resume_(new QPushButton(tr("Resume"), this)),
      clone_(new QPushButton(tr("Clone with other values …"), this)),
      log_(new QPushButton(tr("Open the log"), this)) {
  setObjectName(QStringLiteral("failure"));
  for (QLabel* label : {what_, why_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  for (QPushButton* button : {resume_, clone_, log_}) button->setProperty("isSmall", true);
  clone_->setToolTip(tr("Set up a new run that begins with the settings of this one"));
  vbox(this, {14, 8, 10, 8}, 4, {hbox(nullptr, {}, 8, {{what_, 1}, log_, clone_, resume_}), why_});
  connect(clone_, &QPushButton::clicked, this,
          [this] { Q_EMIT cloneRequested(QString::fromStdString(session_->run().id)); });
  connect(resume_, &QPushButton::clicked, this, &FailureBar::resumeRequested);
  connect(log_, &QPushButton::clicked, this, &FailureBar::logRequested);
  connect(session_, &RunSession::opened, this, &FailureBar::refresh);
  connect(session_, &RunSession::detailsChanged, this, &FailureBar::refresh);
  hide();
}

void FailureBar::refresh() {
  const bool hasFailed = session_->isOpen() && session_->run().state == protocol::RunState::failed;
  setVisible(hasFailed);
  if (!hasFailed) return;
  const storage::Run& run = session_->run();
  const QString diverged = QString::fromStdString(common::divergedText(run));
  const QString when = run.step == 0        ? tr("Failed before its first step")
                       : diverged.isEmpty() ? tr("Failed at step %1").arg(common::formatCount(run.step))
                                            : tr("Diverged at step %1").arg(common::formatCount(run.step));
  const QString after = common::describeRestarts(session_->generations());
  what_->setText(after.isEmpty() ? when : tr("%1, after %2").arg(when, after));
  why_->setText(!diverged.isEmpty()   ? diverged
                : run.message.empty() ? tr("It gave no reason. Its log may say why.")
                                      : QString::fromStdString(run.message));
  const std::vector<storage::Checkpoint> checkpoints = session_->checkpoints();
  resume_->setVisible(!checkpoints.empty());
  if (!checkpoints.empty()) {
    resume_->setText(tr("Resume from step %1").arg(common::formatCount(checkpoints.front().step)));
    resume_->setToolTip(tr("Go on from the newest checkpoint, %1, on as many replicas as before")
                            .arg(QString::fromStdString(checkpoints.front().name)));
  }
  // The one that helps is the filled one: to go on, or to begin again without what was wrong, which the log
  // below says.
  for (QPushButton* button : {resume_, clone_}) {
    const bool helps = (button == resume_) != checkpoints.empty();
    setStyleProperty(button, "objectName", helps ? QStringLiteral("primary") : QString());
  }
}

}  // namespace batchscope::desktop
