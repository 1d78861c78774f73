// SPDX-License-Identifier: GPL-3.0-or-later
#include "control/restart_steps.h"

#include <QPainter>
#include <algorithm>

#include "batchscope/common/number_text.h"
#include "batchscope/common/run_text.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr int kStepHeight = 20;

}  // namespace

RestartSteps::RestartSteps(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&tick_, &QTimer::timeout, this, qOverload<>(&QWidget::update));
  tick_.setInterval(100);
}

QSize RestartSteps::sizeHint() const {
  return {200, kStepHeight * static_cast<int>(common::kPauseParts.size())};
}

void RestartSteps::showRunning(const std::string& phase, double seconds) {
  const auto part = std::find(common::kPauseParts.begin(), common::kPauseParts.end(), phase);
  running_ =
      part == common::kPauseParts.end() ? 0 : static_cast<std::size_t>(part - common::kPauseParts.begin());
  seconds_ = seconds;
  since_.start();
  tick_.start();
  setAccessibleDescription(common::pausePartText(*running_));
  update();
}

void RestartSteps::showDone(const std::map<std::string, double>& parts) {
  running_.reset();
  tick_.stop();
  parts_ = parts;
  setAccessibleDescription(common::describePause(parts));
  update();
}

void RestartSteps::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(interfaceFont(12));
  for (std::size_t i = 0; i < common::kPauseParts.size(); ++i) {
    const QRect row(0, static_cast<int>(i) * kStepHeight, width(), kStepHeight);
    const bool isOn = running_ == i,
               isDone = running_ ? i < *running_ : parts_.contains(common::kPauseParts[i]);
    painter.setPen(isDone || isOn ? Qt::NoPen : QPen(theme.faint, 1.2));
    painter.setBrush(isOn ? theme.accent : isDone ? theme.good : QColor(Qt::transparent));
    painter.drawEllipse(QPointF(5, row.center().y() + 0.5), 4, 4);
    painter.setPen(isDone || isOn ? theme.text : theme.dim);
    painter.drawText(row.adjusted(24, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, common::pausePartText(i));
    QString value;
    if (isOn) {
      value = tr("%L1 s").arg(seconds_ + static_cast<double>(since_.elapsed()) / 1000, 0, 'f', 1);
    } else if (!running_ && isDone) {
      value = common::formatPause(parts_.at(common::kPauseParts[i]));
    }
    painter.setPen(isOn ? theme.accent : theme.dim);
    painter.drawText(row, Qt::AlignVCenter | Qt::AlignRight, value);
  }
}

}  // namespace batchscope::desktop
