// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure/figure.h"

#include <QAreaSeries>
#include <QBarSet>
#include <QCategoryAxis>
#include <QGraphicsLayout>
#include <QHorizontalStackedBarSeries>
#include <QKeyEvent>
#include <QLegendMarker>
#include <QLineSeries>
#include <QMouseEvent>
#include <QPainter>
#include <QScatterSeries>
#include <algorithm>
#include <cmath>
#include <limits>

#include "batchscope/common/ticks.h"
#include "look/format.h"

namespace batchscope::desktop {
namespace {

constexpr int kTickRoom = 74, kTicksUp = 4;  // pixels of width a tick, ticks of a side
constexpr int kLow = 150;    // pixels of height below which there are no titles, and the legend stands aside
constexpr int kMarker = 30;  // pixels that a name takes in the legend besides its text
constexpr double kReach = 18;       // pixels from which a point is pointed at
constexpr double kMargin = 0.02;    // of a linear one that ends where the data do
constexpr double kPad = 0.04;       // of a logarithmic axis, beyond what is drawn
constexpr double kBarWidth = 0.62;  // of a bar's row
constexpr double kLeastStrength = 0.2;

// Qt Charts' own axes are linear; logarithms are taken before it sees a value.
double placeOn(const FigureAxis& axis, double value) {
  if (!axis.isLogarithmic()) return value;
  return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

// Powers of ten, and 2 and 5 times them where there is room.
std::vector<Tick> decadeTicks(double low, double high, int most) {
  const bool isDense = std::log10(high / low) * 3 > most + 2;
  std::vector<Tick> ticks;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const double value : {power, 2 * power, 5 * power})
      if (value >= low && value <= high && (value == power || !isDense))
        ticks.push_back({value, formatNumber(value, 1)});
  }
  return ticks;
}

std::vector<Tick> ticksOf(const FigureAxis& axis, int most) {
  if (!axis.ticks.empty()) return axis.ticks;
  switch (axis.kind) {
    case FigureAxis::Kind::Logarithmic: return logTicks(*axis.low, *axis.high, most);
    case FigureAxis::Kind::Decades: return decadeTicks(*axis.low, *axis.high, most);
    case FigureAxis::Kind::LogarithmicTime: return logTimeTicks(*axis.low, *axis.high, most);
    case FigureAxis::Kind::Time: return timeTicks(*axis.low, *axis.high, most);
    default: return linearTicks(*axis.low, *axis.high, most);
  }
}

// The ends of an axis that has none, around all that is drawn.
class Extent {
 public:
  explicit Extent(FigureAxis& axis) : axis_(axis) {}

  void add(double value) {
    if (!std::isfinite(placeOn(axis_, value))) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }

  void finish(bool isRounded) const {
    double low = low_, high = high_;
    if (!(high >= low)) low = axis_.isLogarithmic() ? 1 : 0, high = axis_.isLogarithmic() ? 10 : 1;
    if (axis_.isLogarithmic()) {
      const double beyond = std::pow(std::max(high / low, 1.5), kPad);
      low /= beyond;
      high *= beyond;
    } else {
      if (low > 0 && low < 0.5 * high) low = 0;
      if (!(high > low)) high = low + (low == 0 ? 1 : 0.1 * std::abs(low));
      if (isRounded) {
        const double step =
            common::roundInterval(axis_.low.value_or(low), axis_.high.value_or(high), kTicksUp);
        low = std::floor(low / step) * step;
        high = std::ceil(high / step) * step;
      } else {
        high += kMargin * (high - low);  // the last dot is whole
      }
    }
    if (!axis_.low) axis_.low = low;
    if (!axis_.high) axis_.high = high;
    if (!(*axis_.high > *axis_.low)) axis_.high = *axis_.low + 1;
  }

 private:
  FigureAxis& axis_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

QColor mixed(const QColor& from, const QColor& to, double share) {
  const auto part = [share](float a, float b) { return a + (b - a) * static_cast<float>(share); };
  return QColor::fromRgbF(part(from.redF(), to.redF()), part(from.greenF(), to.greenF()),
                          part(from.blueF(), to.blueF()));
}

bool isDots(const FigureSeries& series) {
  return series.mark == FigureSeries::Mark::Dots || series.mark == FigureSeries::Mark::Rings;
}

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
  findEnds();
  addAxes();
  for (const FigureSeries& series : data_.series)
    series.mark == FigureSeries::Mark::Area ? addArea(series) : addSeries(series);
  addBars();
  addLegend();
  addTargets();
  viewport()->update();
}

void Figure::findEnds() {
  bottom_ = data_.bottom;
  left_ = data_.left;
  right_ = data_.right;
  Extent bottom(bottom_), left(left_), right(right_);
  for (const FigureSeries& series : data_.series) {
    for (const FigurePoint& point : series.points) {
      bottom.add(point.x);
      (series.isRight ? right : left).add(point.y);
    }
  }
  for (const FigureCell& cell : data_.cells) {
    for (const double x : {cell.box.left(), cell.box.right()}) bottom.add(x);
    if (cell.box.height() > 0)
      for (const double y : {cell.box.top(), cell.box.bottom()}) left.add(y);
  }
  if (!data_.bars.empty()) {
    const std::size_t count = data_.bars.front().values.size();
    for (std::size_t bar = 0; bar < count; ++bar) {
      double sum = 0;
      for (const FigurePart& part : data_.bars) sum += part.values[bar];
      bottom.add(0);
      bottom.add(sum);
    }
    left_.low = -0.5;
    left_.high = static_cast<double>(count) - 0.5;
  }
  bottom.finish(!data_.bars.empty());
  left.finish(data_.left.ticks.empty());
  right.finish(true);
}

void Figure::addAxes() {
  across_ = ticksAcross();
  bottomAxis_ = leftAxis_ = rightAxis_ = nullptr;
  addAxis(bottom_, Qt::AlignBottom);
  addAxis(left_, Qt::AlignLeft);
  const auto isRight = [](const FigureSeries& series) { return series.isRight; };
  if (std::any_of(data_.series.begin(), data_.series.end(), isRight)) addAxis(right_, Qt::AlignRight);
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

QList<QPointF> Figure::placesOf(const FigureSeries& series, std::size_t first, std::size_t last) const {
  QList<QPointF> places;
  for (std::size_t i = first; i < last; ++i) {
    places << QPointF(placeOn(bottom_, series.points[i].x),
                      placeOn(series.isRight ? right_ : left_, series.points[i].y));
  }
  return places;
}

// A line for every stretch without a gap, of which the first is in the legend.
void Figure::addSeries(const FigureSeries& series) {
  using Mark = FigureSeries::Mark;
  const Theme& theme = Theme::current();
  const QColor colour = series.ink.of(theme);
  const bool hasDots = isDots(series), hasBoth = series.mark == Mark::DottedLine;
  bool isNamed = false;
  const QList<QPointF> places = placesOf(series, 0, series.points.size());
  const auto isThere = [&](qsizetype i) {
    return std::isfinite(places[i].x()) && std::isfinite(places[i].y());
  };
  const auto name = [&](QAbstractSeries* made) {
    if (!isNamed) made->setName(series.name);
    isNamed = true;
  };
  if (!hasDots) {
    for (qsizetype first = 0, last = 0; first < places.size(); first = last + 1) {
      for (last = first; last < places.size() && isThere(last);) ++last;
      if (last == first) continue;
      auto* line = new QLineSeries;
      QPen pen(colour, hasBoth ? 1.6 : series.size, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
      if (series.mark == Mark::Dashed) pen.setDashPattern({3, 3});
      if (series.mark == Mark::Dotted) pen.setDashPattern({1, 2});
      if (series.mark == Mark::Dashed || series.mark == Mark::Dotted) pen.setCapStyle(Qt::FlatCap);
      line->setPen(pen);
      line->replace(places.mid(first, last - first));
      name(line);
      add(line, series.isRight);
    }
  }
  if (!hasDots && !hasBoth) return;
  auto* dots = new QScatterSeries;
  QList<QPointF> kept;
  QHash<int, QHash<QXYSeries::PointConfiguration, QVariant>> colours;
  for (qsizetype i = 0; i < places.size(); ++i) {
    if (!isThere(i)) continue;
    if (!series.strengths.empty()) {
      const double strength = series.strengths[static_cast<std::size_t>(i)];
      colours[static_cast<int>(kept.size())][QXYSeries::PointConfiguration::Color] =
          mixed(theme.panel, colour, kLeastStrength + (1 - kLeastStrength) * strength);
    }
    kept << places[i];
  }
  dots->replace(kept);
  dots->setMarkerSize(hasBoth ? 6 : series.size);
  const bool isRing = series.mark == Mark::Rings;
  dots->setColor(isRing ? withAlpha(colour, 0.25) : colour);
  dots->setBorderColor(isRing ? colour : QColor(Qt::transparent));
  dots->setPen(isRing ? QPen(colour, 1.6) : QPen(Qt::NoPen));
  name(dots);
  add(dots, series.isRight);
  if (!colours.isEmpty()) dots->setPointsConfiguration(colours);
}

void Figure::addArea(const FigureSeries& series) {
  auto *upper = new QLineSeries, *lower = new QLineSeries;
  QList<QPointF> high, low;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const double x = placeOn(bottom_, series.points[i].x);
    const FigureAxis& axis = series.isRight ? right_ : left_;
    high << QPointF(x, placeOn(axis, series.points[i].y));
    low << QPointF(x, placeOn(axis, series.lower[i]));
  }
  upper->replace(high);
  lower->replace(low);
  auto* area = new QAreaSeries(upper, lower);
  upper->setParent(area);
  lower->setParent(area);
  area->setPen(Qt::NoPen);
  area->setBrush(series.ink.of(Theme::current()));
  area->setName(series.name);
  add(area, series.isRight);
}

void Figure::addBars() {
  if (data_.bars.empty()) return;
  auto* bars = new QHorizontalStackedBarSeries;
  bars->setBarWidth(kBarWidth);
  for (const FigurePart& part : data_.bars) {
    auto* set = new QBarSet(part.name);
    set->append(QList<qreal>(part.values.begin(), part.values.end()));
    set->setBrush(part.ink.of(Theme::current()));
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
  // Beside the chart where it is low, and where so many names would be cut below it.
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
  const double low = placeOn(bottom_, *bottom_.low), high = placeOn(bottom_, *bottom_.high);
  const double at = low + (pixel - plot.left()) / plot.width() * (high - low);
  return bottom_.isLogarithmic() ? std::pow(10, at) : at;
}

QPointF Figure::placeOf(const Target& target) const {
  const QRectF plot = chart()->plotArea();
  const auto share = [](const FigureAxis& axis, double value) {
    const double low = placeOn(axis, *axis.low), high = placeOn(axis, *axis.high);
    return (placeOn(axis, value) - low) / (high - low);
  };
  return {plot.left() + share(bottom_, target.x) * plot.width(),
          plot.bottom() - share(target.isRight ? right_ : left_, target.y) * plot.height()};
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
    if (cell.ink.alpha > 0) painter->fillRect(boxOf(cell.box), cell.ink.of(Theme::current()));
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
    QPen pen(note.ink.of(theme), 1, Qt::CustomDashLine);
    pen.setDashPattern({3, 3});
    painter.setPen(pen);
    QPointF at;
    if (std::isnan(note.y)) {
      const double x = std::floor(place(note.x, *left_.low).x()) + 0.5;
      if (x < plot.left() - 1 || x > plot.right() + 1) continue;
      painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
      at = {x, above};
      above -= metrics.height();
    } else if (std::isnan(note.x)) {
      const double y = std::floor(place(*bottom_.low, note.y).y()) + 0.5;
      if (y < plot.top() - 1 || y > plot.bottom() + 1) continue;
      painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
      at = {plot.right(), y - 4};
    } else {
      at = place(note.x, note.y) + QPointF(0, data_.bars.empty() ? -8 : metrics.ascent() / 2 - 1);
      at.setY(std::max(at.y(), plot.top() + metrics.ascent()));
    }
    const double wide = metrics.horizontalAdvance(note.text);
    const double left = at.x() + 6 + wide > plot.right() ? at.x() - 6 - wide : at.x() + 6;
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

// The next one that way: along the arrow first, then as little aside as can be.
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
