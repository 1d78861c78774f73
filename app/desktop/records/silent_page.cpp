// SPDX-License-Identifier: GPL-3.0-or-later
#include "records/silent_page.h"

#include <QPushButton>
#include <algorithm>

#include "batchscope/common/number_text.h"
#include "look/box.h"
#include "records/devices_panel.h"
#include "records/log_panel.h"
#include "session/run_session.h"

namespace batchscope::desktop {

using protocol::RunState;

SilentPage::SilentPage(RunSession* session, ViewState* state, QWidget* parent)
    : QWidget(parent), session_(session), state_(state) {
  for (const auto change : {&RunSession::opened, &RunSession::statusChanged, &RunSession::detailsChanged})
    connect(session_, change, this, &SilentPage::look);
  connect(&timer_, &QTimer::timeout, this, &SilentPage::look);
  timer_.start(2000);
}

void SilentPage::build() {
  QFrame *words = card(this), *log = card(this), *devices = card(this);
  title_ = named("lessonTitle", words);
  text_ = named("lessonText", words);
  text_->setWordWrap(true);
  auto* guide = new QPushButton(tr("How to make it report"), words);
  guide->setObjectName(QStringLiteral("primary"));
  guide->setProperty("isSmall", true);
  guide->setToolTip(tr("PORTING.md: from a plain training loop to an elastic one in five steps"));
  connect(guide, &QPushButton::clicked, this, &SilentPage::guideRequested);
  auto* lines = new LogPanel(session_, state_, log);
  auto* use = new DevicesPanel(session_, state_, devices);
  const auto head = [](QWidget* frame, const QString& title) {
    return hbox(nullptr, {12, 0, 12, 0}, 0, {named("chartTitle", frame, title)});
  };
  vbox(words, {18, 14, 18, 14}, 8, {title_, text_, {guide, 0, Qt::AlignLeft}});
  vbox(log, {1, 7, 1, 6}, 0, {head(log, tr("Its log")), {lines, 1}});
  vbox(devices, {1, 7, 1, 1}, 0, {head(devices, tr("Its use of the devices")), {use, 1}});
  log->setMinimumHeight(150);
  use->setMinimumHeight(130);
  vbox(this, {}, 10, {words, {log, 3}, {devices, 2}});
}

// A failed run says why elsewhere, and a run that waits or is paused may still report.
bool SilentPage::isSilent() const {
  if (!session_->isOpen() || session_->generations().empty()) return false;
  if (std::max(session_->run().step, session_->status().step) > 0) return false;
  switch (session_->run().state) {
    case RunState::finished:
    case RunState::stopped: return true;
    case RunState::starting:
    case RunState::running: return storage::now() - session_->generations().back().started > kPatience;
    default: return false;
  }
}

void SilentPage::look() {
  const bool isSilentNow = isSilent();
  if (isSilentNow) {
    if (text_ == nullptr) build();
    const bool isActive = is_active(session_->run().state);
    title_->setText(isActive ? tr("No step after %1").arg(common::formatDuration(session_->status().elapsed))
                             : tr("This program reported nothing"));
    text_->setText(
        (isActive
             ? tr("The program runs, but BatchScope has not heard of a training step yet. If it only takes "
                  "long to load, its charts come with the first step. ")
             : tr("The program ended without telling BatchScope of a training step. ")) +
        tr("A program that does not report its steps can be started, watched and stopped, but it has no "
           "charts, no checkpoints to restart from and no prediction. About ten lines make it report, "
           "and one line, batchscope.record(loss=loss), charts a Python script."));
  }
  if (isSilentNow == wasSilent_) return;
  wasSilent_ = isSilentNow;
  Q_EMIT silenceChanged(isSilentNow);
}

}  // namespace batchscope::desktop
