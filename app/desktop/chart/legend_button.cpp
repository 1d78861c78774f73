// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/legend_button.h"

#include <QPainter>

#include "chart/run_strokes.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr int kSample = 9, kLongSample = 18, kGap = 4;

}  // namespace

LegendButton::LegendButton(const LineSpec& line, QWidget* parent)
    : QAbstractButton(parent), colour_(line.colour), isDashed_(line.isDashed), isBound_(line.isBound) {
  setText(line.label);
  setCheckable(true);
  setChecked(true);
  setFont(interfaceFont(10));
  setCursor(Qt::PointingHandCursor);
  setFocusPolicy(Qt::TabFocus);
  setAccessibleName(tr("Show %1").arg(line.label));
  setToolTip(tr("Hide or show %1").arg(line.label));
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize LegendButton::sizeHint() const {
  return {(isCompared_ ? kLongSample : kSample) + kGap + fontMetrics().horizontalAdvance(text()) + 1, 18};
}

void LegendButton::setCompared(bool isCompared, std::size_t line) {
  isCompared_ = isCompared;
  strokes_ = runStrokes(line);
  updateGeometry();
  update();
}

void LegendButton::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  const QColor line = isBound_ || isCompared_ ? theme.dim : theme.series[static_cast<std::size_t>(colour_)];
  QPen pen(isChecked() ? line : theme.faint, isBound_ ? 1 : 2);
  if (isBound_) pen.setStyle(Qt::DotLine);
  if (isDashed_) pen.setDashPattern({2, 1.5});
  if (isDashed_) pen.setCapStyle(Qt::FlatCap);
  if (isCompared_ && !isBound_ && !strokes_.empty()) {
    pen.setDashPattern(strokes_);
    pen.setCapStyle(Qt::FlatCap);
  }
  const int sample = isCompared_ ? kLongSample : kSample;
  painter.setPen(pen);
  const int middle = height() / 2;
  painter.drawLine(0, middle, sample - 1, middle);
  painter.setPen(isChecked() || underMouse() ? theme.dim : theme.faint);
  QFont font = this->font();
  font.setStrikeOut(!isChecked());
  painter.setFont(font);
  painter.drawText(rect().adjusted(sample + kGap, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, text());
  if (hasFocus()) {
    painter.setPen(theme.accent);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

}  // namespace batchscope::desktop
