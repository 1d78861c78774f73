// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/sweep_bar.h"

#include <QComboBox>
#include <QPushButton>
#include <QSignalBlocker>
#include <algorithm>
#include <initializer_list>

#include "batchscope/common/sweep_text.h"
#include "look/box.h"
#include "look/quiet_wheel.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr int kBarHeight = 30, kChooser = 190;

}  // namespace

SweepBar::SweepBar(QWidget* parent)
    : QWidget(parent),
      sweeps_(new QComboBox(this)),
      chip_(named("chip", this)),
      pause_(new QPushButton(tr("Pause"), this)),
      stop_(new QPushButton(tr("Stop …"), this)),
      more_(new QPushButton(tr("More trials …"), this)),
      best_(new QPushButton(tr("Copy command of the best"), this)),
      new_(new QPushButton(tr("Begin a sweep …"), this)) {
  sweeps_->setAccessibleName(tr("Sweep"));
  sweeps_->setToolTip(tr("Which sweep is shown; the newest first"));
  sweeps_->setMinimumWidth(kChooser);
  sweeps_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  ignoreWheel(sweeps_);
  best_->setToolTip(tr("Copies the command that trains with the parameters of the best trial"));
  new_->setToolTip(tr("Chooses a file, and begins the sweep that it describes"));
  new_->setObjectName(QStringLiteral("primary"));
  new_->setProperty("isSmall", true);
  hbox(this, {}, 8,
       {named("runName", this, tr("Sweep")),
        sweeps_,
        {chip_, 0, Qt::AlignVCenter},
        rest(),
        pause_,
        stop_,
        more_,
        gap(6),
        best_,
        gap(6),
        new_});
  for (QWidget* widget : std::initializer_list<QWidget*>{sweeps_, pause_, stop_, more_, best_, new_})
    widget->setFixedHeight(kBarHeight);
  stop_->setObjectName(QStringLiteral("danger"));
  stop_->setToolTip(tr("Ends the sweep: its trials write checkpoints and stop, and their values are kept"));
  connect(sweeps_, &QComboBox::activated, this, [this] { Q_EMIT chosen(sweeps_->currentText()); });
  connect(pause_, &QPushButton::clicked, this,
          [this] { resumes_ ? Q_EMIT resumeRequested() : Q_EMIT pauseRequested(); });
  connect(stop_, &QPushButton::clicked, this, &SweepBar::stopRequested);
  connect(more_, &QPushButton::clicked, this, &SweepBar::moreRequested);
  connect(best_, &QPushButton::clicked, this, &SweepBar::bestRequested);
  connect(new_, &QPushButton::clicked, this, &SweepBar::newRequested);
  setSnapshot({});
}

void SweepBar::setSnapshot(const SweepSnapshot& snapshot) {
  QStringList names;
  for (const storage::Sweep& sweep : snapshot.sweeps) names << QString::fromStdString(sweep.name);
  QStringList shown;
  for (int i = 0; i < sweeps_->count(); ++i) shown << sweeps_->itemText(i);
  if (names != shown) {  // not under the fingers of a person who chooses
    const QSignalBlocker quiet(sweeps_);
    sweeps_->clear();
    sweeps_->addItems(names);
  }
  sweeps_->setCurrentText(QString::fromStdString(snapshot.name));
  sweeps_->setVisible(!names.isEmpty());
  new_->setVisible(!names.isEmpty());  // the invitation has one of its own

  const auto sweep = std::ranges::find(snapshot.sweeps, snapshot.name, &storage::Sweep::name);
  const bool isAny = sweep != snapshot.sweeps.end();
  for (QWidget* widget : std::initializer_list<QWidget*>{chip_, pause_, stop_, more_, best_})
    widget->setVisible(isAny);
  if (!isAny) return;
  const bool isRunning = sweep->state == storage::SweepState::running;
  const bool isAlone = isRunning && !snapshot.isDriven;
  const common::StatusText status = common::describe(sweep->state, snapshot.isDriven);
  chip_->setText(status.text);
  chip_->setToolTip(isAlone ? tr("The process that begins its trials is gone; Resume goes on with the sweep")
                            : QString::fromStdString(sweep->message));
  setStyleProperty(chip_, "tone", status.tone);

  resumes_ = !isRunning || isAlone;
  pause_->setText(resumes_ ? tr("Resume") : tr("Pause"));
  pause_->setToolTip(resumes_ ? tr("Goes on with its trials")
                              : tr("Its trials write checkpoints and stop until the sweep is resumed"));
  pause_->setEnabled(sweep->state != storage::SweepState::finished);
  stop_->setEnabled(isRunning || sweep->state == storage::SweepState::paused);
  const bool canGrow = snapshot.view && (snapshot.view->file.trials || snapshot.view->file.device_hours);
  more_->setEnabled(canGrow);
  more_->setToolTip(canGrow ? tr("Adds trials or device-hours, and goes on")
                            : tr("The sweep tries all points of its grid: there are no more"));
  best_->setEnabled(snapshot.view && snapshot.view->best);
}

}  // namespace batchscope::desktop
