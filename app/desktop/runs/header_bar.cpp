// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs/header_bar.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include "chart/view_state.h"
#include "look/elided_label.h"
#include "look/status_text.h"
#include "look/theme.h"
#include "runs/epoch_bar.h"
#include "session/run_session.h"

namespace batchscope::desktop {
namespace {

QString smoothingText(double smoothing) {
  return smoothing > 0 ? HeaderBar::tr("Smoothing %1").arg(smoothing) : HeaderBar::tr("No smoothing");
}

}  // namespace

HeaderBar::HeaderBar(RunSession* session, ViewState* state, QWidget* parent)
    : QWidget(parent),
      session_(session),
      state_(state),
      name_(new ElidedLabel(this)),
      chip_(new QLabel(this)),
      epoch_(new QLabel(this)),
      time_(new QLabel(this)),
      bar_(new EpochBar(this)),
      axisMenu_(new QMenu(tr("X axis"), this)),
      smoothingMenu_(new QMenu(tr("Smoothing"), this)),
      axes_(new QActionGroup(this)),
      smoothings_(new QActionGroup(this)),
      axisButton_(new QToolButton(this)),
      smoothingButton_(new QToolButton(this)),
      explorer_(new QAction(tr("Goodput explorer"), this)),
      follow_(new QAction(tr("Follow"), this)),
      log_(new QAction(tr("Log y"), this)),
      reset_(new QAction(tr("Reset"), this)) {
  name_->setObjectName(QStringLiteral("runName"));
  chip_->setObjectName(QStringLiteral("chip"));
  chip_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  epoch_->setObjectName(QStringLiteral("dim"));
  time_->setObjectName(QStringLiteral("dim"));

  for (const XAxis axis : kXAxes) {
    QAction* action = axes_->addAction(xAxisName(axis));
    action->setCheckable(true);
    action->setData(static_cast<int>(axis));
    action->setShortcut(QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(axis))));
    axisMenu_->addAction(action);
  }
  connect(axes_, &QActionGroup::triggered, this, [this](QAction* action) {
    state_->setAxis(static_cast<XAxis>(action->data().toInt()), session_->series());
  });
  for (const double smoothing : {0.0, 0.3, 0.6, 0.9, 0.97}) {
    QAction* action = smoothings_->addAction(smoothingText(smoothing));
    action->setCheckable(true);
    action->setData(smoothing);
    smoothingMenu_->addAction(action);
  }
  connect(smoothings_, &QActionGroup::triggered, this,
          [this](QAction* action) { state_->setSmoothing(action->data().toDouble()); });

  explorer_->setIconText(tr("Explore"));  // on a button
  explorer_->setCheckable(true);
  explorer_->setShortcut(QKeySequence(Qt::Key_G));
  explorer_->setToolTip(tr("The goodput explorer in place of the charts (G)"));
  follow_->setCheckable(true);
  follow_->setShortcut(QKeySequence(Qt::Key_F));
  follow_->setToolTip(tr("Keep the newest step in view (F)"));
  connect(follow_, &QAction::triggered, state_, &ViewState::setFollow);
  log_->setCheckable(true);
  log_->setShortcut(QKeySequence(Qt::Key_L));
  log_->setToolTip(tr("Logarithmic y axes (L)"));
  connect(log_, &QAction::triggered, state_, &ViewState::setLogY);
  reset_->setShortcut(QKeySequence(Qt::Key_0));
  reset_->setToolTip(tr("Show the whole run (0, or double-click a chart)"));
  connect(reset_, &QAction::triggered, state_, &ViewState::resetZoom);

  axisButton_->setMenu(axisMenu_);
  axisButton_->setAccessibleName(tr("X axis"));
  smoothingButton_->setMenu(smoothingMenu_);
  smoothingButton_->setAccessibleName(tr("Smoothing"));
  for (QToolButton* menuButton : {axisButton_, smoothingButton_}) {
    menuButton->setPopupMode(QToolButton::InstantPopup);
    menuButton->setFocusPolicy(Qt::TabFocus);
  }

  auto* top = new QHBoxLayout;
  top->setSpacing(6);
  top->addWidget(name_);
  top->addSpacing(4);
  top->addWidget(chip_, 0, Qt::AlignVCenter);
  top->addStretch(1);
  top->addWidget(button(follow_));
  top->addWidget(axisButton_);
  top->addWidget(smoothingButton_);
  top->addWidget(button(log_));
  top->addWidget(button(reset_));
  auto* below = new QHBoxLayout;
  below->setSpacing(10);
  below->addWidget(epoch_);
  below->addWidget(bar_, 1);
  below->addWidget(time_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  column->addLayout(top);
  column->addLayout(below);

  connect(session_, &RunSession::opened, this, &HeaderBar::updateRun);
  connect(session_, &RunSession::statusChanged, this, &HeaderBar::updateRun);
  connect(state_, &ViewState::changed, this, &HeaderBar::updateView);
  updateView();
}

QToolButton* HeaderBar::button(QAction* action) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(action);
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

void HeaderBar::updateRun() {
  if (!session_->isOpen()) return;
  const protocol::RunStatus& status = session_->status();
  const StatusText words = describe(status);
  name_->setText(QString::fromStdString(session_->run().name));
  name_->setToolTip(name_->text());
  chip_->setText(words.text);
  setStyleProperty(chip_, "tone", words.tone);
  epoch_->setText(describeEpoch(status));
  time_->setText(describeTime(status));
  bar_->setProgress(status.total_fraction, status.epochs);
}

void HeaderBar::updateView() {
  follow_->setChecked(state_->follows());
  log_->setChecked(state_->logY());
  reset_->setEnabled(state_->isZoomed());
  for (QAction* action : axes_->actions()) {
    action->setChecked(action->data().toInt() == static_cast<int>(state_->axis()));
  }
  for (QAction* action : smoothings_->actions()) {
    action->setChecked(action->data().toDouble() == state_->smoothing());
  }
  axisButton_->setText(xAxisName(state_->axis()));
  smoothingButton_->setText(smoothingText(state_->smoothing()));
}

}  // namespace batchscope::desktop
