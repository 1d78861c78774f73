// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/sharing_plot.h"

#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "batchscope/common/number_text.h"

namespace batchscope::desktop {

SharingPlot::SharingPlot(QWidget* parent) : Figure(parent) {
  setMinimumSize(260, 180);
  setAccessibleName(tr("Goodput over the split of the devices"));
  viewport()->setCursor(Qt::SizeHorCursor);
}

void SharingPlot::setSharing(std::optional<Sharing> sharing, std::vector<Mark> marks) {
  sharing_ = std::move(sharing);
  marks_ = std::move(marks);
  setData(figure());
}

void SharingPlot::setSplit(int first) {
  first_ = first;
  setData(figure());
}

FigureData SharingPlot::figure() const {
  FigureData data;
  if (!sharing_) return data;
  const int devices = sharing_->devices();
  data.isCurve = true;
  data.bottom = {.title = tr("devices of %1").arg(sharing_->run(0).name), .low = 0, .high = devices};
  for (int first = 0; first <= devices; ++first)
    data.bottom.ticks.push_back({double(first), QString::number(first)});
  data.left = {.low = 0};

  const auto draw = [&](const QString& name, int colour, double width, auto value) {
    FigureSeries line{.name = name, .ink = {Ink::Series, colour}, .size = width};
    for (int first = 0; first <= devices; ++first) line.points.push_back({double(first), value(first)});
    FigureSeries now{.ink = line.ink,
                     .mark = FigureSeries::Mark::Rings,
                     .points = {line.points[static_cast<std::size_t>(first_)]},
                     .size = 9};
    data.series.push_back(std::move(line));
    data.series.push_back(std::move(now));
  };
  draw(sharing_->run(0).name, 0, 1.6, [this](int first) { return sharing_->goodput(0, first); });
  draw(sharing_->run(1).name, 1, 1.6, [this](int first) { return sharing_->goodput(1, first); });
  draw(tr("sum"), 2, 2.2, [this](int first) { return sharing_->sum(first); });
  for (FigurePoint& point : data.series[4].points) {
    const int first = static_cast<int>(point.x);
    point.text = tr("%1 and %2 devices\n%3 + %4 = %5 samples/s")
                     .arg(first)
                     .arg(devices - first)
                     .arg(common::formatNumber(sharing_->goodput(0, first)),
                          common::formatNumber(sharing_->goodput(1, first)), common::formatNumber(point.y));
  }

  // Marks of one split share a label.
  const double anywhere = std::numeric_limits<double>::quiet_NaN();
  std::map<int, QStringList> texts;
  for (const Mark& mark : marks_) texts[mark.first] << mark.text;
  for (const auto& [first, names] : texts)
    data.notes.push_back({double(first), anywhere, names.join(QStringLiteral(", "))});
  data.notes.push_back({double(first_), anywhere, {}, {Ink::Accent}});
  return data;
}

void SharingPlot::mousePressEvent(QMouseEvent* event) { mouseMoveEvent(event); }

void SharingPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!sharing_ || !event->buttons().testFlag(Qt::LeftButton)) {
    Figure::mouseMoveEvent(event);
    return;
  }
  const int first =
      std::clamp(static_cast<int>(std::lround(valueAt(event->position().x()))), 0, sharing_->devices());
  if (first != first_) Q_EMIT splitDragged(first);
}

}  // namespace batchscope::desktop
