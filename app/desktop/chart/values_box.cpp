// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/values_box.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "batchscope/common/number_text.h"
#include "batchscope/common/series_unit.h"
#include "batchscope/common/translate.h"

namespace batchscope::desktop {
namespace {

constexpr double kValueHeight = 14, kPadding = 7, kNameGap = 6, kColumnGap = 12;
constexpr double kBeside = 10;  // between the cross-hair and the box

// Returns the unit of the chart's axis, where that has one that belongs to a value.
QString unitOf(const common::LineSpec& line) {
  const auto first = line.series.substr(0, line.series.find('-'));  // of a difference
  const common::Unit unit = common::unitOf(first);
  return unit.factor == line.factor ? QString::fromUtf8(unit.name) : QString();
}

std::optional<double> valueOf(SeriesModel& model, const common::LineSpec& line, const StepRef& at) {
  // A sparse series, measured once in a while, holds over restarts.
  const auto value = line.isSparse ? model.newest(line.series, at) : model.value(line.series, at);
  return value && !std::isnan(*value) ? std::optional(*value * line.factor) : std::nullopt;
}

bool isShown(const ValuesQuery& query, std::size_t line) {
  return line >= query.isHidden.size() || !query.isHidden[line];
}

void addLines(ValuesBox& box, SeriesModel& model, const common::ChartSpec& spec, const ValuesQuery& query,
              const Theme& theme) {
  for (std::size_t i = 0; i < spec.lines.size(); ++i) {
    if (!isShown(query, i)) continue;
    const auto value = valueOf(model, spec.lines[i], query.at);
    if (!value) continue;
    const QString unit = unitOf(spec.lines[i]);
    QString text = common::formatNumber(*value);
    if (!unit.isEmpty()) text += QLatin1Char(' ') + unit;
    box.rows.push_back({lookOf(spec, i, theme), spec.lines[i].label, {text}});
  }
}

// One run a row, one line a column.
void addRuns(ValuesBox& box, const common::ChartSpec& spec, const ValuesQuery& query, const Theme& theme) {
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < spec.lines.size(); ++i) {
    if (!isShown(query, i)) continue;
    lines.push_back(i);
    box.columns.push_back(spec.lines[i].label);
  }
  for (const SceneRun& run : query.runs) {
    const auto extent = run.model->extent(query.axis);
    if (extent.empty() || query.x < extent.low || query.x > extent.high) continue;
    const auto at = run.model->nearest(query.axis, query.x);
    if (!at) continue;
    ValuesBox::Row row{lookOfRun(run.colour, theme), run.name, {}};
    for (const std::size_t line : lines) {
      const auto value = valueOf(*run.model, spec.lines[line], *at);
      row.values.push_back(value ? common::formatNumber(*value) : QString());
    }
    box.rows.push_back(std::move(row));
  }
}

}  // namespace

ValuesBox valuesAt(SeriesModel& model, const common::ChartSpec& spec, const ValuesQuery& query,
                   const Theme& theme) {
  ValuesBox box;
  const QString step = tr("step %1").arg(common::formatCount(query.at.step));
  box.head =
      query.axis == XAxis::Step
          ? tr("Step %1").arg(common::formatCount(query.runs.empty() ? query.at.step : std::llround(query.x)))
      : query.runs.empty() ? tr("%1, %2").arg(xAxisText(query.axis, query.x), step)
                           : xAxisText(query.axis, query.x);
  if (query.runs.empty()) {
    addLines(box, model, spec, query, theme);
  } else {
    addRuns(box, spec, query, theme);
  }
  return box;
}

QRectF placeOf(const QSizeF& size, const QRectF& bounds, double x, double y) {
  const bool isRight = x + kBeside + size.width() <= bounds.right();
  const bool fitsLeft = x - kBeside - size.width() >= bounds.left();
  // Where neither side has the room, the one that has more.
  const bool goesRight = isRight || (!fitsLeft && x < bounds.center().x());
  const double left = goesRight ? x + kBeside : x - kBeside - size.width();
  const double top = std::clamp(y - size.height() / 2, bounds.top(),
                                std::max(bounds.top(), bounds.bottom() - size.height()));
  return {QPointF(left, top), size};
}

void paintValues(QPainter& painter, const ValuesBox& box, const QRectF& bounds, double x, double y,
                 const Theme& theme) {
  const QFont font = interfaceFont(10), headFont = interfaceFont(10, QFont::DemiBold);
  const QFontMetricsF metrics(font), headMetrics(headFont);
  const auto wide = [&](const QString& text) { return metrics.horizontalAdvance(text); };
  double sample = 0, names = 0;
  std::vector<double> columns;
  for (const QString& column : box.columns) columns.push_back(wide(column));
  for (const ValuesBox::Row& row : box.rows) {
    sample = std::max<double>(sample, sampleWidth(row.look));
    names = std::max(names, wide(row.name));
    columns.resize(std::max(columns.size(), row.values.size()));
    for (std::size_t i = 0; i < row.values.size(); ++i)
      columns[i] = std::max(columns[i], wide(row.values[i]));
  }
  double width = sample + kNameGap + names;
  for (const double column : columns) width += kColumnGap + column;
  width = std::max(width, headMetrics.horizontalAdvance(box.head));
  const auto lines = static_cast<double>(1 + !box.columns.empty() + box.rows.size());
  const QSizeF size(std::ceil(width + 2 * kPadding), kValueHeight * lines + kPadding);
  const QRectF place = placeOf(size, bounds, x, y);

  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.hairline, 1));
  painter.setBrush(withAlpha(theme.raised, 0.94));
  painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
  QRectF line(place.left() + kPadding, place.top() + kPadding / 2, place.width() - 2 * kPadding,
              kValueHeight);
  painter.setFont(headFont);
  painter.setPen(theme.text);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, box.head);
  painter.setFont(font);
  // Values stand at the right, below one another.
  const auto paintCells = [&](const std::vector<QString>& cells) {
    double right = line.right();
    for (std::size_t i = columns.size(); i-- > 0; right -= columns[i] + kColumnGap)
      if (i < cells.size())
        painter.drawText(QRectF(right - columns[i], line.top(), columns[i], kValueHeight),
                         Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip, cells[i]);
  };
  if (!box.columns.empty()) {
    line.translate(0, kValueHeight);
    painter.setPen(theme.dim);
    paintCells(box.columns);
  }
  for (const ValuesBox::Row& row : box.rows) {
    line.translate(0, kValueHeight);
    const double sampleWide = sampleWidth(row.look);
    paintSample(painter,
                QRectF(line.left() + (sample - sampleWide) / 2, line.top(), sampleWide, kValueHeight),
                row.look);
    painter.setPen(theme.dim);
    painter.drawText(line.adjusted(sample + kNameGap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, row.name);
    painter.setPen(theme.text);
    paintCells(row.values);
  }
  painter.restore();
}

}  // namespace batchscope::desktop
