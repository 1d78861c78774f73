// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figure.h"

#include <QBarSet>
#include <QCategoryAxis>
#include <QGraphicsLayout>
#include <QHorizontalStackedBarSeries>
#include <QKeyEvent>
#include <QLegendMarker>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

#include "figure/figure_marks.h"

namespace batchscope::desktop {
namespace {

constexpr int kTickRoom = 74;  // pixels of width a tick
constexpr int kLow = 150;    // pixels of height below which there are no titles, and the legend stands aside
constexpr int kMarker = 30;  // pixels that a name takes in the legend besides its text
constexpr double kReach = 18;       // pixels from which a point is pointed at
constexpr double kBarWidth = 0.62;  // of a bar's row

void paintText(QPainter& painter, const QRectF& plot, const QStringList& lines, QPointF at) {
  const Theme& theme = Theme::current();
  const QFontMetrics metrics = painter.fontMetrics();
  double wide = 0;
  for (const QString& line : lines) wide = std::max<double>(wide, metrics.horizontalAdvance(line));
  QRectF box(0, 0, wide + 16, metrics.height() * static_cast<double>(lines.size()) + 10);
  const bool isLeft = at.x() + 10 + box.width() > plot.right() && at.x() - 10 - box.width() > plot.left();
  box.moveTo(isLeft ? at.x() - 10 - box.width() : at.x() + 10, at.y() - box.height() - 6);
  box.moveLeft(std::max(2.0, std::min(box.left(), plot.right() - box.width() + 12)));
  if (box.top() < 2) box.moveTop(std::max(2.0, std::min(at.y() + 10, plot.bottom() - box.height())));
  painter.setPen(QPen(theme.hairline, 1));
  painter.setBrush(theme.panel);
  painter.drawRoundedRect(box, 4, 4);
  painter.setPen(theme.text);
  painter.drawText(box.adjusted(8, 5, -8, -5), Qt::AlignLeft | Qt::AlignTop, lines.join(QLatin1Char('\n')));
}

}  // namespace

Figure::Figure(QWidget* parent) : QChartView(parent) {
  setFrameShape(QFrame::NoFrame);
  setBackgroundBrush(Qt::NoBrush);
  viewport()->setAutoFillBackground(false);
  setRenderHint(QPainter::Antialiasing);
  setFocusPolicy(Qt::TabFocus);
  viewport()->setMouseTracking(true);
  setMinimumSize(150, 110);
  chart()->setBackgroundVisible(false);
  chart()->setMargins({3, 6, 15, 2});  // room for half of the last label
  chart()->legend()->layout()->setContentsMargins(0, 0, 0, 0);
  chart()->layout()->setContentsMargins(0, 0, 0, 0);
}

void Figure::setData(FigureData data) {
  if (data == data_ && bottomAxis_ != nullptr) return;
  data_ = std::move(data);
  setAccessibleDescription(data_.isEmpty() ? data_.missing : data_.description);
  rebuild();
}

void Figure::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  const bool isLook = event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange;
  if (isLook && bottomAxis_ != nullptr && theme_ != &Theme::current()) rebuild();
}

void Figure::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  const bool wasLow = event->oldSize().height() < kLow;
  if (bottomAxis_ != nullptr && (ticksAcross() != across_ || isLow() != wasLow)) rebuild();
}

bool Figure::isLow() const { return height() < kLow; }

int Figure::ticksAcross() const { return std::clamp(width() / kTickRoom, 2, 10); }

void Figure::rebuild() {
  theme_ = &Theme::current();
  chosen_.reset();
  chart()->removeAllSeries();
  for (QAbstractAxis* axis : chart()->axes()) {
    axis->hide();  // its labels are deleted only later
    chart()->removeAxis(axis);
    delete axis;
  }
  axes_ = axesOf(data_);
  addAxes();
  for (const FigureSeries& series : data_.series)
    for (QAbstractSeries* made : marksOf(series, axes_)) add(made, series.isRight);
  addBars();
  addLegend();
  addTargets();
  viewport()->update();
}

void Figure::addAxes() {
  across_ = ticksAcross();
  bottomAxis_ = leftAxis_ = rightAxis_ = nullptr;
  addAxis(axes_.bottom, Qt::AlignBottom);
  addAxis(axes_.left, Qt::AlignLeft);
  const auto isRight = [](const FigureSeries& series) { return series.isRight; };
  if (std::any_of(data_.series.begin(), data_.series.end(), isRight)) addAxis(axes_.right, Qt::AlignRight);
}

void Figure::addAxis(const FigureAxis& axis, Qt::Alignment side) {
  const Theme& theme = Theme::current();
  const bool isBottom = side == Qt::AlignBottom;
  auto* made = new QCategoryAxis;
  const double low = placeOn(axis, *axis.low), high = placeOn(axis, *axis.high);
  made->setRange(low, high);
  made->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
  made->setStartValue(low);
  for (const Tick& tick : ticksOf(axis, isBottom ? across_ : kTicksUp)) {
    const double at = placeOn(axis, tick.value), slack = 1e-9 * (high - low);
    if (!(at >= low - slack && at <= high + slack)) continue;
    // Qt Charts takes no name twice; a space of no width tells them apart.
    QString name = tick.label;
    while (made->categoriesLabels().contains(name)) name += QChar(0x200b);
    made->append(name, std::clamp(at, low, high));
  }
  made->setLabelsFont(interfaceFont(10));
  made->setLabelsColor(theme.dim);
  made->setLabelsVisible(!axis.isBare && !data_.isEmpty());
  made->setTitleFont(interfaceFont(10));
  made->setTitleBrush(theme.dim);
  made->setTitleText(data_.isEmpty() ? QString() : axis.title);
  made->setTitleVisible(!axis.title.isEmpty() && !isLow());
  made->setLineVisible(false);
  made->setGridLinePen(QPen(theme.grid, 1));
  const bool hasDots = std::any_of(data_.series.begin(), data_.series.end(), isDots);
  const bool isAcross =
      isBottom && (!data_.bars.empty() || (hasDots && !data_.isCurve && data_.cells.empty()));
  const bool hasRows = std::any_of(data_.cells.begin(), data_.cells.end(),
                                   [](const FigureCell& cell) { return cell.box.height() > 0; });
  const bool isUp = side == Qt::AlignLeft && data_.bars.empty() && !hasRows;
  made->setGridLineVisible(!data_.isEmpty() && (isAcross || isUp));
  chart()->addAxis(made, side);
  (isBottom ? bottomAxis_ : side == Qt::AlignLeft ? leftAxis_ : rightAxis_) = made;
}

void Figure::add(QAbstractSeries* series, bool isRight) {
  chart()->addSeries(series);
  series->attachAxis(bottomAxis_);
  series->attachAxis(isRight ? rightAxis_ : leftAxis_);
}

void Figure::addBars() {
  if (data_.bars.empty()) return;
  auto* bars = new QHorizontalStackedBarSeries;
  bars->setBarWidth(kBarWidth);
  for (const FigurePart& part : data_.bars) {
    auto* set = new QBarSet(part.name);
    set->append(QList<qreal>(part.values.begin(), part.values.end()));
    set->setBrush(colourOf(part.ink, Theme::current()));
    set->setPen(QPen(Theme::current().panel, 1));
    bars->append(set);
  }
  add(bars, false);
}

void Figure::addLegend() {
  QLegend* legend = chart()->legend();
  legend->setFont(interfaceFont(10));
  legend->setLabelColor(Theme::current().dim);
  legend->setMarkerShape(data_.bars.empty() ? QLegend::MarkerShapeFromSeries : QLegend::MarkerShapeRectangle);
  legend->setShowToolTips(true);
  int wide = 0;
  for (QLegendMarker* marker : legend->markers()) {
    const QString name = marker->label();
    marker->setVisible(!name.isEmpty());
    if (!name.isEmpty()) wide += QFontMetrics(legend->font()).horizontalAdvance(name) + kMarker;
  }
  legend->setVisible(wide > 0);
  // The legend is beside a chart that is low, or below which so many names would be cut.
  legend->setAlignment(isLow() || wide > width() + 2 * kMarker ? Qt::AlignRight : Qt::AlignBottom);
}

void Figure::addTargets() {
  targets_.clear();
  for (const FigureSeries& series : data_.series) {
    for (const FigurePoint& point : series.points)
      if (!point.text.isEmpty()) targets_.push_back({point.x, point.y, series.isRight, point.text, {}});
  }
  for (std::size_t bar = 0; bar < data_.barTexts.size(); ++bar) {
    double sum = 0;
    for (const FigurePart& part : data_.bars) sum += part.values[bar];
    const double at = static_cast<double>(bar);
    targets_.push_back({sum, at, false, data_.barTexts[bar], QRectF(0, at - 0.5, sum, 1)});
  }
  for (const FigureCell& cell : data_.cells) {
    if (cell.text.isEmpty()) continue;
    targets_.push_back({cell.box.center().x(), cell.box.center().y(), false, cell.text, cell.box});
  }
}

QPointF Figure::place(double x, double y) const { return placeOf({x, y, false, {}, {}}); }

double Figure::valueAt(double pixel) const {
  const QRectF plot = chart()->plotArea();
  const double low = placeOn(axes_.bottom, *axes_.bottom.low),
               high = placeOn(axes_.bottom, *axes_.bottom.high);
  const double at = low + (pixel - plot.left()) / plot.width() * (high - low);
  return axes_.bottom.isLogarithmic() ? std::pow(10, at) : at;
}

QPointF Figure::placeOf(const Target& target) const {
  const QRectF plot = chart()->plotArea();
  const auto share = [](const FigureAxis& axis, double value) {
    const double low = placeOn(axis, *axis.low), high = placeOn(axis, *axis.high);
    return (placeOn(axis, value) - low) / (high - low);
  };
  return {plot.left() + share(axes_.bottom, target.x) * plot.width(),
          plot.bottom() - share(target.isRight ? axes_.right : axes_.left, target.y) * plot.height()};
}

QRectF Figure::boxOf(const QRectF& cell) const {
  if (cell.height() == 0) {
    const QRectF plot = chart()->plotArea();
    const double from = place(cell.left(), 1).x();
    return {from, plot.top(), place(cell.right(), 1).x() - from, plot.height()};
  }
  return QRectF(place(cell.left(), cell.top()), place(cell.right(), cell.bottom())).normalized();
}

void Figure::drawBackground(QPainter* painter, const QRectF& rect) {
  QChartView::drawBackground(painter, rect);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing, false);
  painter->setClipRect(chart()->plotArea());
  for (const FigureCell& cell : data_.cells)
    if (cell.ink.alpha > 0) painter->fillRect(boxOf(cell.box), colourOf(cell.ink, Theme::current()));
  painter->restore();
}

void Figure::drawForeground(QPainter* painter, const QRectF&) {
  const Theme& theme = Theme::current();
  painter->save();
  painter->setFont(interfaceFont(10));
  if (data_.isEmpty()) {
    painter->setPen(theme.dim);
    painter->drawText(QRectF(rect()).adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
                      data_.missing);
  } else {
    paintNotes(*painter);
    if (chosen_) paintChosen(*painter);
  }
  if (hasFocus()) {
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(theme.accent, 1));
    painter->drawRoundedRect(QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5), 4, 4);
  }
  painter->restore();
}

void Figure::paintNotes(QPainter& painter) const {
  const Theme& theme = Theme::current();
  const QRectF plot = chart()->plotArea();
  const QFontMetrics metrics = painter.fontMetrics();
  double above = plot.bottom() - 4;
  for (const FigureNote& note : data_.notes) {
    QPen pen(colourOf(note.ink, theme), 1, Qt::CustomDashLine);
    pen.setDashPattern({3, 3});
    painter.setPen(pen);
    QPointF at;
    if (std::isnan(note.y)) {
      const double x = std::floor(place(note.x, *axes_.left.low).x()) + 0.5;
      if (x < plot.left() - 1 || x > plot.right() + 1) continue;
      painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
      at = {x, above};
      above -= metrics.height();
    } else if (std::isnan(note.x)) {
      const double y = std::floor(place(*axes_.bottom.low, note.y).y()) + 0.5;
      if (y < plot.top() - 1 || y > plot.bottom() + 1) continue;
      painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
      at = {plot.right(), y - 4};
    } else {
      at = place(note.x, note.y) + QPointF(0, data_.bars.empty() ? -8 : metrics.ascent() / 2 - 1);
      at.setY(std::max(at.y(), plot.top() + metrics.ascent()));
    }
    const double wide = metrics.horizontalAdvance(note.text);
    // At a line's right where it has room there, else at its left; never beyond the plot's begin.
    const double beside = at.x() + 6 + wide > plot.right() ? at.x() - 6 - wide : at.x() + 6;
    const double left = std::max(beside, plot.left() + 2);
    painter.fillRect(QRectF(left - 2, at.y() - metrics.ascent(), wide + 4, metrics.height()),
                     withAlpha(theme.panel, 0.8));
    painter.setPen(theme.dim);
    painter.drawText(QPointF(left, at.y()), note.text);
  }
}

void Figure::paintChosen(QPainter& painter) const {
  const Theme& theme = Theme::current();
  const Target& target = targets_[*chosen_];
  const QPointF at = placeOf(target);
  painter.setPen(QPen(theme.text, 1.2));
  painter.setBrush(Qt::NoBrush);
  if (!target.cell.isEmpty()) {
    painter.drawRect(boxOf(target.cell));
  } else {
    const QRectF plot = chart()->plotArea();
    if (data_.isCurve) {
      painter.setPen(QPen(theme.dim, 1));
      painter.drawLine(QPointF(at.x(), plot.top()), QPointF(at.x(), plot.bottom()));
      painter.setPen(QPen(theme.text, 1.2));
    }
    painter.setBrush(theme.panel);
    painter.drawEllipse(at, 4, 4);
  }
  paintText(painter, chart()->plotArea(), target.text.split(QLatin1Char('\n')), at);
}

QString Figure::chosenText() const { return chosen_ ? targets_[*chosen_].text : QString(); }

std::optional<std::size_t> Figure::targetAt(QPointF place) const {
  std::optional<std::size_t> found;
  double least = data_.isCurve ? std::numeric_limits<double>::infinity() : kReach;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const Target& target = targets_[i];
    if (!target.cell.isEmpty()) {
      if (!found && boxOf(target.cell).contains(place)) found = i;
      continue;
    }
    const QPointF apart = placeOf(target) - place;
    const double distance = data_.isCurve ? std::abs(apart.x()) : std::hypot(apart.x(), apart.y());
    if (distance < least) {
      least = distance;
      found = i;
    }
  }
  return found;
}

// Finds the next point in the arrow's direction: the nearest along the arrow, then the least aside.
std::optional<std::size_t> Figure::neighbour(int key) const {
  const bool isAcross = key == Qt::Key_Left || key == Qt::Key_Right;
  const double sign = key == Qt::Key_Right || key == Qt::Key_Down ? 1 : -1;
  const QRectF plot = chart()->plotArea();
  const QPointF from = chosen_    ? placeOf(targets_[*chosen_])
                       : sign > 0 ? plot.topLeft() - QPointF(1, 1)
                                  : plot.bottomRight() + QPointF(1, 1);
  std::optional<std::size_t> found;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const QPointF apart = placeOf(targets_[i]) - from;
    const double along = sign * (isAcross ? apart.x() : apart.y());
    const double aside = std::abs(isAcross ? apart.y() : apart.x());
    if (along < 0.5 || along + 0.05 * aside >= least) continue;
    least = along + 0.05 * aside;
    found = i;
  }
  return found;
}

void Figure::choose(std::optional<std::size_t> target) {
  if (target == chosen_) return;
  chosen_ = target;
  setAccessibleDescription(chosen_ ? chosenText() : data_.description);
  viewport()->update();
}

void Figure::mouseMoveEvent(QMouseEvent* event) { choose(targetAt(event->position())); }

void Figure::mousePressEvent(QMouseEvent* event) { event->ignore(); }

void Figure::leaveEvent(QEvent* event) {
  QChartView::leaveEvent(event);
  choose({});
}

void Figure::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
      if (event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier) {
        if (const auto next = neighbour(event->key())) choose(next);
        return;
      }
      break;
    default: break;
  }
  QWidget::keyPressEvent(event);
}

void Figure::focusInEvent(QFocusEvent* event) {
  QChartView::focusInEvent(event);
  viewport()->update();
}

void Figure::focusOutEvent(QFocusEvent* event) {
  QChartView::focusOutEvent(event);
  choose({});
  viewport()->update();
}

// The page is scrolled, not the chart.
void Figure::wheelEvent(QWheelEvent* event) { event->ignore(); }

}  // namespace batchscope::desktop
