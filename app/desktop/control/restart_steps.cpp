// SPDX-License-Identifier: GPL-3.0-or-later
#include "control/restart_steps.h"

#include <QPainter>
#include <algorithm>
#include <array>

#include "look/format.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr int kRow = 20;

struct Part {
  const char* name;  // as the store and the control protocol have it
  const char* text;
};

constexpr std::array<Part, 5> kParts{{{"checkpoint", QT_TRANSLATE_NOOP("RestartSteps", "Checkpoint")},
                                      {"stop", QT_TRANSLATE_NOOP("RestartSteps", "Stop")},
                                      {"launch", QT_TRANSLATE_NOOP("RestartSteps", "Launch")},
                                      {"restore", QT_TRANSLATE_NOOP("RestartSteps", "Restore")},
                                      {"first step", QT_TRANSLATE_NOOP("RestartSteps", "First step")}}};

}  // namespace

QString describePause(const std::map<std::string, double>& parts) {
  QStringList words;
  for (const Part& part : kParts) {
    if (const auto took = parts.find(part.name); took != parts.end()) {
      words << RestartSteps::tr(part.text) + QLatin1Char(' ') + formatPause(took->second);
    }
  }
  return words.join(QStringLiteral(", "));
}

RestartSteps::RestartSteps(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&tick_, &QTimer::timeout, this, qOverload<>(&QWidget::update));
  tick_.setInterval(100);
}

QSize RestartSteps::sizeHint() const { return {200, kRow * static_cast<int>(kParts.size())}; }

void RestartSteps::showRunning(const std::string& phase, double seconds) {
  const auto part =
      std::find_if(kParts.begin(), kParts.end(), [&](const Part& p) { return phase == p.name; });
  running_ = part == kParts.end() ? 0 : static_cast<std::size_t>(part - kParts.begin());
  seconds_ = seconds;
  since_.start();
  tick_.start();
  setAccessibleDescription(tr(kParts[*running_].text));
  update();
}

void RestartSteps::showDone(const std::map<std::string, double>& parts) {
  running_.reset();
  tick_.stop();
  parts_ = parts;
  setAccessibleDescription(describePause(parts));
  update();
}

void RestartSteps::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(interfaceFont(12));
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const QRect row(0, static_cast<int>(i) * kRow, width(), kRow);
    const bool isOn = running_ == i, isDone = running_ ? i < *running_ : parts_.contains(kParts[i].name);
    painter.setPen(isDone || isOn ? Qt::NoPen : QPen(theme.faint, 1.2));
    painter.setBrush(isOn ? theme.accent : isDone ? theme.good : QColor(Qt::transparent));
    painter.drawEllipse(QPointF(5, row.center().y() + 0.5), 4, 4);
    painter.setPen(isDone || isOn ? theme.text : theme.dim);
    painter.drawText(row.adjusted(24, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, tr(kParts[i].text));
    QString value;
    if (isOn) {
      value = tr("%1 s").arg(seconds_ + static_cast<double>(since_.elapsed()) / 1000, 0, 'f', 1);
    } else if (!running_ && isDone) {
      value = formatPause(parts_.at(kParts[i].name));
    }
    painter.setPen(isOn ? theme.accent : theme.dim);
    painter.drawText(row, Qt::AlignVCenter | Qt::AlignRight, value);
  }
}

}  // namespace batchscope::desktop
