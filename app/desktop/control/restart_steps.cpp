// SPDX-License-Identifier: GPL-3.0-or-later
#include "control/restart_steps.h"

#include <QPainter>
#include <algorithm>
#include <utility>

#include "batchscope/common/run_text.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

using common::RestartStep;

constexpr int kStepHeight = 20;

}  // namespace

RestartSteps::RestartSteps(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&tick_, &QTimer::timeout, this, &RestartSteps::countOn);
  tick_.setInterval(100);
}

QSize RestartSteps::sizeHint() const { return {200, kStepHeight * static_cast<int>(steps_.size())}; }

void RestartSteps::showRunning(const protocol::RunStatus& status) {
  status_ = status;
  since_.start();
  tick_.start();
  countOn();
  const auto on = std::ranges::find(steps_, RestartStep::State::on, &RestartStep::state);
  setAccessibleDescription(on == steps_.end() ? QString() : on->part);
}

void RestartSteps::countOn() {
  protocol::RunStatus now = status_;
  now.phase_seconds += static_cast<double>(since_.elapsed()) / 1000;
  if (auto text = common::restartUnderWay(now, now.replicas)) steps_ = std::move(text->steps);
  update();
}

void RestartSteps::showDone(const std::map<std::string, double>& parts) {
  tick_.stop();
  steps_ = common::restartSteps(parts);
  setAccessibleDescription(common::describePause(parts));
  update();
}

void RestartSteps::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(interfaceFont(12));
  QRect row(0, 0, width(), kStepHeight);
  for (const RestartStep& step : steps_) {
    const bool isOn = step.state == RestartStep::State::on, isOpen = step.state == RestartStep::State::open;
    painter.setPen(isOpen ? QPen(theme.faint, 1.2) : Qt::NoPen);
    painter.setBrush(isOn ? theme.accent : isOpen ? QColor(Qt::transparent) : theme.good);
    painter.drawEllipse(QPointF(5, row.center().y() + 0.5), 4, 4);
    painter.setPen(isOpen ? theme.dim : theme.text);
    painter.drawText(row.adjusted(24, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, step.part);
    painter.setPen(isOn ? theme.accent : theme.dim);
    painter.drawText(row, Qt::AlignVCenter | Qt::AlignRight, step.value);
    row.translate(0, kStepHeight);
  }
}

}  // namespace batchscope::desktop
