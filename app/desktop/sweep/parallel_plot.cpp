// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/parallel_plot.h"

#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr int kTop = 30, kBottom = 12, kNoneRoom = 20;  // pixels
constexpr int kSide = 14, kTick = 4, kGap = 6;
constexpr double kReach = 6, kGrip = 5, kAxisReach = 12;
constexpr double kBrushWidth = 14;
constexpr std::size_t kManyLines = 200;
constexpr double kStep = 0.05;  // of an axis, by a key
constexpr double kLeastStrength = 0.2;
constexpr double kSpread = 0.6;  // of a cell, over which its lines are spread
constexpr double kGolden = 0.6180339887;

bool movesBrush(const QKeyEvent& event) {
  if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Delete:
    case Qt::Key_Backspace: return true;
    default: return false;
  }
}

double distance(QPointF place, QPointF from, QPointF to) {
  const QPointF along = to - from, apart = place - from;
  const double length = QPointF::dotProduct(along, along);
  const double share = length > 0 ? std::clamp(QPointF::dotProduct(apart, along) / length, 0.0, 1.0) : 0;
  const QPointF off = apart - share * along;
  return std::hypot(off.x(), off.y());
}

QFont labelFont() { return interfaceFont(10); }

int widestLabel(const TrialAxis& axis) {
  int widest = 0;
  const QFontMetrics metrics(labelFont());
  for (const Tick& tick : axis.ticks) widest = std::max(widest, metrics.horizontalAdvance(tick.label));
  return std::min(widest, 90);
}

}  // namespace

ParallelPlot::ParallelPlot(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Parallel coordinates of the trials"));
}

void ParallelPlot::setTrials(std::vector<TrialAxis> axes, std::vector<Line> lines,
                             std::optional<std::size_t> best) {
  axes_ = std::move(axes);
  lines_ = std::move(lines);
  best_ = best;
  hasGaps_ = std::any_of(axes_.begin(), axes_.empty() ? axes_.end() : axes_.end() - 1, [](const auto& axis) {
    return std::any_of(axis.values.begin(), axis.values.end(),
                       [](double value) { return std::isnan(value); });
  });
  kept_.resize(lines_.size(), true);
  order_.resize(lines_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto strength = [this](std::size_t trial) {
    return std::isnan(lines_[trial].rank) ? -1.0 : lines_[trial].rank;
  };
  std::ranges::stable_sort(order_, {}, strength);
  std::erase_if(selected_, [this](std::size_t trial) { return trial >= lines_.size(); });
  if (hovered_ && *hovered_ >= lines_.size()) hovered_.reset();
  if (current_ >= axes_.size()) current_ = 0;
  if (drag_ && drag_->axis >= axes_.size()) drag_.reset();
  place();
  repaintLines();
}

void ParallelPlot::setKept(std::vector<bool> kept) {
  kept.resize(lines_.size(), true);
  if (kept == kept_) return;
  kept_ = std::move(kept);
  repaintLines();
}

void ParallelPlot::setSelected(std::set<std::size_t> trials) {
  if (trials == selected_) return;
  selected_ = std::move(trials);
  update();
}

void ParallelPlot::setHovered(std::optional<std::size_t> trial) {
  if (trial && *trial >= lines_.size()) trial.reset();
  if (trial == hovered_) return;
  hovered_ = trial;
  update();
}

void ParallelPlot::clearBrushes() {
  if (brushes_.isEmpty()) return;
  brushes_.clear();
  changeBrush();
}

void ParallelPlot::repaintLines() {
  picture_ = {};
  update();
}

void ParallelPlot::changeBrush() {
  const QStringList texts = brushes_.texts(axes_);
  setAccessibleDescription(texts.isEmpty() ? QString() : tr("Only %1").arg(texts.join(QStringLiteral("; "))));
  update();
  Q_EMIT brushed();
}

void ParallelPlot::place() {
  if (axes_.empty()) return;
  const double left = kSide + widestLabel(axes_.front()) + kTick + kGap;
  const double right = kSide + widestLabel(axes_.back()) + kTick + kGap;
  plot_ = QRectF(rect()).adjusted(left, kTop, -right, -kBottom - (hasGaps_ ? kNoneRoom : 0));
}

double ParallelPlot::axisX(std::size_t axis) const {
  const QRectF& area = plot_;
  if (axes_.size() < 2) return area.center().x();
  return area.left() + area.width() * static_cast<double>(axis) / static_cast<double>(axes_.size() - 1);
}

double ParallelPlot::yOf(double share) const {
  const QRectF& area = plot_;
  return area.bottom() - share * area.height();
}

double ParallelPlot::shareAt(double y) const {
  const QRectF& area = plot_;
  return std::clamp((area.bottom() - y) / area.height(), 0.0, 1.0);
}

// Returns where a trial crosses an axis. In a cell each trial has a place of its own, so that not all lines
// are one.
QPointF ParallelPlot::crossing(std::size_t axis, std::size_t trial) const {
  const TrialAxis& at = axes_[axis];
  const double value = at.values[trial];
  if (std::isnan(value)) return {axisX(axis), plot_.bottom() + kNoneRoom - 5};
  double share = at.place(value);
  if (at.cells > 0)
    share += (std::fmod(static_cast<double>(trial) * kGolden, 1.0) - 0.5) * kSpread / at.cells;
  return {axisX(axis), yOf(std::clamp(share, 0.0, 1.0))};
}

// Through all axes; one without a metric ends before its axis.
QPolygonF ParallelPlot::lineOf(std::size_t trial) const {
  QPolygonF line;
  const std::size_t last = axes_.size() - 1;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    if (axis != last || !std::isnan(axes_[axis].values[trial])) line << crossing(axis, trial);
  return line;
}

QRectF ParallelPlot::boxOf(std::size_t axis, const Stretch& stretch) const {
  return {axisX(axis) - kBrushWidth / 2, yOf(stretch.high), kBrushWidth,
          yOf(stretch.low) - yOf(stretch.high)};
}

std::optional<std::size_t> ParallelPlot::axisAt(QPointF place) const {
  const QRectF& area = plot_;
  if (place.y() < area.top() - kGrip || place.y() > area.bottom() + kGrip) return {};
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    if (std::abs(place.x() - axisX(axis)) <= kAxisReach) return axis;
  return {};
}

std::optional<std::size_t> ParallelPlot::trialAt(QPointF place) const {
  std::optional<std::size_t> found;
  double least = kReach;
  if (axes_.empty()) return found;
  for (auto trial = order_.rbegin(); trial != order_.rend(); ++trial) {  // what lies on top first
    if (!kept_[*trial]) continue;
    const QPolygonF line = lineOf(*trial);
    for (qsizetype i = 1; i < line.size(); ++i) {
      if (place.x() < line[i - 1].x() - kReach || place.x() > line[i].x() + kReach) continue;
      const double apart = distance(place, line[i - 1], line[i]);
      if (apart < least) {
        least = apart;
        found = *trial;
      }
    }
  }
  return found;
}

void ParallelPlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Theme& theme = Theme::current();
  if (!axes_.empty()) {
    if (picture_.isNull()) {
      picture_ = QPixmap(size() * devicePixelRatioF());
      picture_.setDevicePixelRatio(devicePixelRatioF());
      picture_.fill(Qt::transparent);
      QPainter lines(&picture_);
      lines.setRenderHint(QPainter::Antialiasing);
      paintLines(lines);
    }
    painter.drawPixmap(0, 0, picture_);
    for (const std::size_t trial : selected_) paintStrong(painter, trial, 2);
    if (hovered_) paintStrong(painter, *hovered_, 3);
    paintBrushes(painter);
    paintAxes(painter);
  }
  if (hasFocus()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 1));
    painter.drawRoundedRect(QRectF(rect()).adjusted(3.5, 0.5, -3.5, -0.5), 4, 4);
  }
}

void ParallelPlot::paintLines(QPainter& painter) const {
  const Theme& theme = Theme::current();
  painter.setBrush(Qt::NoBrush);
  // Qt draws a line of one pixel many times faster than a wider one.
  const bool isDense = lines_.size() > kManyLines;
  const double width = isDense ? 1 / devicePixelRatioF() : 1.2;
  for (const bool isKept : {false, true}) {
    for (const std::size_t trial : order_) {
      if (kept_[trial] != isKept) continue;
      const double rank = lines_[trial].rank;
      const QColor colour =
          !isKept            ? theme.grid
          : std::isnan(rank) ? withAlpha(theme.faint, 0.5)
                             : mixed(theme.panel, theme.accent, kLeastStrength + (1 - kLeastStrength) * rank);
      painter.setPen(
          QPen(colour, width, std::isnan(rank) && isKept && !isDense ? Qt::DotLine : Qt::SolidLine));
      painter.drawPolyline(lineOf(trial));
    }
  }
  if (best_ && kept_[*best_]) paintStrong(painter, *best_, 2);
}

void ParallelPlot::paintStrong(QPainter& painter, std::size_t trial, double width) const {
  const Theme& theme = Theme::current();
  const QPolygonF line = lineOf(trial);
  painter.setBrush(Qt::NoBrush);
  const auto draw = [&](const QColor& colour, double wide) {
    painter.setPen(QPen(colour, wide, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(line);
  };
  draw(withAlpha(theme.panel, 0.8), width + 2);
  draw(trial == best_ ? theme.series[1] : theme.text, width);
}

void ParallelPlot::paintBrushes(QPainter& painter) const {
  const Theme& theme = Theme::current();
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const auto brush = brushes_.at(axes_[axis]);
    if (!brush) continue;
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(withAlpha(theme.accent, 0.22));
    painter.drawRoundedRect(boxOf(axis, *brush), 3, 3);
  }
}

void ParallelPlot::paintAxes(QPainter& painter) const {
  const Theme& theme = Theme::current();
  const QRectF& area = plot_;
  const double apart = axes_.size() > 1 ? area.width() / static_cast<double>(axes_.size() - 1) : area.width();
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const TrialAxis& at = axes_[axis];
    const double x = std::floor(axisX(axis)) + 0.5;
    const bool isLast = axis + 1 == axes_.size() && axis > 0;
    painter.setPen(QPen(theme.dim, 1));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));

    // Names of the outer axes begin and end with the labels beside them.
    painter.setFont(interfaceFont(11, QFont::DemiBold));
    const bool isCurrent = hasFocus() && axis == current_;
    painter.setPen(isCurrent ? theme.accent : theme.text);
    const QString name =
        painter.fontMetrics().elidedText(at.title(), Qt::ElideRight, static_cast<int>(apart) - 8);
    const double wide = painter.fontMetrics().horizontalAdvance(name);
    const double left = std::clamp(x - wide / 2, double(kGap), std::max(double(kGap), width() - wide - kGap));
    painter.drawText(QPointF(left, area.top() - 12), name);
    if (isCurrent) painter.drawLine(QPointF(left, area.top() - 8.5), QPointF(left + wide, area.top() - 8.5));

    painter.setFont(labelFont());
    const QFontMetrics metrics = painter.fontMetrics();
    double lowest = area.bottom() + metrics.height();
    const auto label = [&](double y, const QString& whole) {
      const QString text = metrics.elidedText(whole, Qt::ElideRight, 90);
      const double span = metrics.horizontalAdvance(text);
      const double at = isLast ? x + kTick + kGap - 2 : x - kTick - kGap + 2 - span;
      painter.fillRect(QRectF(at - 2, y - metrics.height() / 2.0, span + 4, metrics.height()),
                       withAlpha(theme.panel, 0.85));
      painter.setPen(theme.dim);
      painter.drawText(QPointF(at, y + metrics.ascent() / 2.0 - 1), text);
    };
    for (const Tick& tick : at.ticks) {
      const double share = at.place(tick.value);
      if (!(share >= -1e-6 && share <= 1 + 1e-6)) continue;
      const double y = yOf(std::clamp(share, 0.0, 1.0));
      if (lowest - y < metrics.height()) continue;
      lowest = y;
      painter.setPen(QPen(theme.dim, 1));
      painter.drawLine(QPointF(x, y), QPointF(isLast ? x + kTick : x - kTick, y));
      label(y, tick.label);
    }
    const bool hasGap = !isLast && std::any_of(at.values.begin(), at.values.end(),
                                               [](double value) { return std::isnan(value); });
    if (hasGap) label(area.bottom() + kNoneRoom - 5, tr("none"));
  }
}

bool ParallelPlot::event(QEvent* event) {
  // The window has some of these keys.
  if (event->type() == QEvent::ShortcutOverride && movesBrush(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  return QWidget::event(event);
}

void ParallelPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) repaintLines();
}

void ParallelPlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place();
  repaintLines();
}

void ParallelPlot::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  update();
}

void ParallelPlot::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

void ParallelPlot::keyPressEvent(QKeyEvent* event) {
  if (axes_.empty() || !movesBrush(*event)) return QWidget::keyPressEvent(event);
  const TrialAxis& axis = axes_[current_];
  const bool isWider = event->modifiers().testFlag(Qt::ShiftModifier);
  switch (event->key()) {
    case Qt::Key_Left: current_ = current_ > 0 ? current_ - 1 : 0; break;
    case Qt::Key_Right: current_ = std::min(current_ + 1, axes_.size() - 1); break;
    case Qt::Key_Up: isWider ? brushes_.widen(axis, kStep) : brushes_.move(axis, kStep); break;
    case Qt::Key_Down: isWider ? brushes_.widen(axis, -kStep) : brushes_.move(axis, -kStep); break;
    default: event->modifiers().testFlag(Qt::ShiftModifier) ? brushes_.clear() : brushes_.clear(axis);
  }
  if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) return update();
  changeBrush();
}

void ParallelPlot::beginDrag(std::size_t axis, QPointF place) {
  current_ = axis;
  drag_ = Drag{.axis = axis, .press = place, .fixed = shareAt(place.y()), .before = {}};
  const auto brush = brushes_.at(axes_[axis]);
  if (!brush) return;
  drag_->before = *brush;
  if (std::abs(place.y() - yOf(brush->high)) <= kGrip)
    drag_->fixed = brush->low;
  else if (std::abs(place.y() - yOf(brush->low)) <= kGrip)
    drag_->fixed = brush->high;
  else if (place.y() > yOf(brush->high) && place.y() < yOf(brush->low))
    drag_->fixed.reset();
}

void ParallelPlot::dragTo(QPointF place) {
  const TrialAxis& axis = axes_[drag_->axis];
  if (std::abs(place.y() - drag_->press.y()) >= QApplication::startDragDistance() / 2.0)
    drag_->isMoved = true;
  if (!drag_->isMoved) return;
  if (drag_->fixed) {
    brushes_.set(axis, {*drag_->fixed, shareAt(place.y())});
  } else {
    const double by = (drag_->press.y() - place.y()) / plot_.height();
    const double step = std::clamp(by, -drag_->before.low, 1 - drag_->before.high);
    brushes_.set(axis, {drag_->before.low + step, drag_->before.high + step});
  }
  changeBrush();
}

void ParallelPlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || axes_.empty()) return;
  if (const auto axis = axisAt(event->position())) {
    QToolTip::hideText();
    beginDrag(*axis, event->position());
    update();
  } else if (const auto trial = trialAt(event->position())) {
    Q_EMIT clicked(*trial, event->modifiers());
  }
}

void ParallelPlot::mouseMoveEvent(QMouseEvent* event) {
  if (axes_.empty()) return;
  if (drag_) return dragTo(event->position());
  pointAt(event->position(), event->globalPosition().toPoint());
}

void ParallelPlot::pointAt(QPointF place, QPoint global) {
  const auto axis = axisAt(place);
  const auto brush = axis ? brushes_.at(axes_[*axis]) : std::nullopt;
  const bool isEdge = brush && (std::abs(place.y() - yOf(brush->high)) <= kGrip ||
                                std::abs(place.y() - yOf(brush->low)) <= kGrip);
  const bool isInside = brush && place.y() > yOf(brush->high) && place.y() < yOf(brush->low);
  const auto trial = axis ? std::nullopt : trialAt(place);
  setCursor(isEdge     ? Qt::SizeVerCursor
            : isInside ? Qt::OpenHandCursor
            : axis     ? Qt::CrossCursor
            : trial    ? Qt::PointingHandCursor
                       : Qt::ArrowCursor);
  if (trial != hovered_) {
    setHovered(trial);
    Q_EMIT hovered(trial);
  }
  if (trial) {
    QToolTip::showText(global, lines_[*trial].text, this);
  } else {
    QToolTip::hideText();
  }
}

void ParallelPlot::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !drag_) return;
  const Drag drag = *drag_;
  drag_.reset();
  if (drag.isMoved || !brushes_.at(axes_[drag.axis])) return;
  brushes_.clear(axes_[drag.axis]);
  changeBrush();
}

void ParallelPlot::mouseDoubleClickEvent(QMouseEvent* event) {
  if (axes_.empty() || axisAt(event->position())) return;
  if (const auto trial = trialAt(event->position())) Q_EMIT opened(*trial);
}

void ParallelPlot::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  if (!hovered_) return;
  setHovered({});
  Q_EMIT hovered({});
}

}  // namespace batchscope::desktop
