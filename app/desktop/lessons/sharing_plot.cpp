// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/sharing_plot.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "batchscope/common/ticks.h"
#include "chart/axis.h"
#include "look/theme.h"

namespace batchscope::desktop {

SharingPlot::SharingPlot(QWidget* parent) : QWidget(parent) {
  setMinimumSize(260, 180);
  setAccessibleName(tr("Goodput over the split of the devices"));
  setCursor(Qt::SizeHorCursor);
}

void SharingPlot::setSharing(std::optional<Sharing> sharing, std::vector<Mark> marks) {
  sharing_ = std::move(sharing);
  marks_ = std::move(marks);
  update();
}

void SharingPlot::setSplit(int first) {
  first_ = first;
  update();
}

Projection SharingPlot::projection() const {
  Projection p;
  p.plot = QRectF(rect()).adjusted(58, 26, -18, -56);
  p.x1 = sharing_->devices();
  for (int first = 0; first <= sharing_->devices(); ++first) p.y1 = std::max(p.y1, sharing_->sum(first));
  const double step = common::roundInterval(0, p.y1, 4);
  p.y1 = std::ceil(p.y1 / step) * step;
  return p;
}

double SharingPlot::placeOf(int first) const { return projection().px(first); }

void SharingPlot::paintEvent(QPaintEvent*) {
  if (!sharing_) return;
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(interfaceFont(10));
  const Projection p = projection();
  AxisTicks ticks{.bottom = {}, .left = linearTicks(0, p.y1, 4), .right = {}};
  for (int first = 0; first <= sharing_->devices(); ++first)
    ticks.bottom.push_back({double(first), QString::number(first)});
  paintGrid(painter, p, ticks.left, theme);
  paintLabels(painter, p, p, ticks, width(), theme);
  paintMarks(painter, p);

  painter.setPen(QPen(theme.accent, 1));
  const double handle = std::floor(p.px(first_)) + 0.5;
  painter.drawLine(QPointF(handle, p.plot.top()), QPointF(handle, p.plot.bottom()));
  const auto draw = [&](const QColor& colour, double width, auto value) {
    QPolygonF line;
    for (int first = 0; first <= sharing_->devices(); ++first)
      line << QPointF(p.px(first), p.py(value(first)));
    painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
    painter.setBrush(theme.panel);
    painter.drawEllipse(line[first_], 4, 4);
  };
  draw(theme.series[0], 1.6, [this](int first) { return sharing_->goodput(0, first); });
  draw(theme.series[1], 1.6, [this](int first) { return sharing_->goodput(1, first); });
  draw(theme.series[2], 2.2, [this](int first) { return sharing_->sum(first); });
  paintLegend(painter, p);
}

// Above the plot; those of one split share a label.
void SharingPlot::paintMarks(QPainter& painter, const Projection& p) const {
  const Theme& theme = Theme::current();
  std::map<int, QStringList> texts;
  for (const Mark& mark : marks_) texts[mark.first] << mark.text;
  QPen pen(theme.dim, 1, Qt::CustomDashLine);
  pen.setDashPattern({3, 3});
  double free = 0;  // from where on there is room
  for (const auto& [first, names] : texts) {
    const double x = p.px(first);
    painter.setPen(pen);
    painter.drawLine(QPointF(x, p.plot.top()), QPointF(x, p.plot.bottom()));
    const QString text = names.join(QStringLiteral(", "));
    const double width = painter.fontMetrics().horizontalAdvance(text);
    const double left = std::max(std::min(x - width / 2, this->width() - width - 4.0), free);
    painter.setPen(theme.dim);
    painter.drawText(QPointF(left, p.plot.top() - 8), text);
    free = left + width + 10;
  }
}

void SharingPlot::paintLegend(QPainter& painter, const Projection& p) const {
  const Theme& theme = Theme::current();
  const double y = p.plot.bottom() + 46;
  double x = p.plot.left();
  for (const auto& [text, colour] :
       {std::pair(sharing_->run(0).name, 0), std::pair(sharing_->run(1).name, 1), std::pair(tr("sum"), 2)}) {
    painter.setPen(QPen(theme.series[static_cast<std::size_t>(colour)], 2));
    painter.drawLine(QPointF(x, y - 4), QPointF(x + 10, y - 4));
    painter.setPen(theme.dim);
    painter.drawText(QPointF(x + 14, y), text);
    x += 14 + painter.fontMetrics().horizontalAdvance(text) + 14;
  }
  const QString axis = tr("devices of %1").arg(sharing_->run(0).name);
  painter.drawText(QRectF(p.plot.left(), p.plot.bottom() + 18, p.plot.width(), 14), Qt::AlignCenter, axis);
}

void SharingPlot::mousePressEvent(QMouseEvent* event) { mouseMoveEvent(event); }

void SharingPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!sharing_ || !event->buttons().testFlag(Qt::LeftButton)) return;
  const QRectF plot = projection().plot;
  const double share = (event->position().x() - plot.left()) / plot.width();
  const int first =
      std::clamp(static_cast<int>(std::lround(share * sharing_->devices())), 0, sharing_->devices());
  if (first != first_) Q_EMIT splitDragged(first);
}

}  // namespace batchscope::desktop
