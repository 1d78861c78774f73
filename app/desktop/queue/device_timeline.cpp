// SPDX-License-Identifier: GPL-3.0-or-later
#include "queue/device_timeline.h"

#include <QApplication>
#include <QDateTime>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>

#include "batchscope/common/number_text.h"
#include "look/theme.h"

namespace batchscope::desktop {
namespace {

constexpr int kLane = 24, kBar = 18, kAxis = 22, kLanesTop = 4, kRight = 12;
constexpr double kAhead = 0.03;  // of the span, free at the right while it follows
constexpr double kLeastSpan = 2, kMostSpan = 14 * 86400.0, kFirstSpan = 1800;
constexpr double kPale = 0.28;

// Steps of a clock, s.
constexpr std::array<double, 18> kSteps{1,   2,   5,    10,   15,   30,    60,    120,   300,
                                        600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};

QDateTime moment(double time) { return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(time * 1000)); }

bool isTimelineKey(const QKeyEvent& event) {
  switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_Minus:
    case Qt::Key_Home:
    case Qt::Key_End: return !(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier));
    default: return false;
  }
}

}  // namespace

DeviceTimeline::DeviceTimeline(std::function<double()> clock, QWidget* parent)
    : QAbstractScrollArea(parent), clock_(std::move(clock)) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Time line of the devices"));
  viewport()->setMouseTracking(true);
  viewport()->setAutoFillBackground(false);
  verticalScrollBar()->setSingleStep(kLane);
  tick_.setInterval(500);
  connect(&tick_, &QTimer::timeout, this, [this] {
    if (follows_ && !lanes_.empty()) viewport()->update();
  });
  tick_.start();
}

void DeviceTimeline::setLanes(std::vector<Lane> lanes) {
  lanes_ = std::move(lanes);
  const double before = first_;
  first_ = 0;
  std::size_t bars = 0;
  for (const Lane& lane : lanes_) {
    bars += lane.bars.size();
    if (!lane.bars.empty() && (first_ == 0 || lane.bars.front().since() < first_))
      first_ = lane.bars.front().since();
  }
  if (before == 0 && first_ > 0 && follows_) span_ = std::clamp(clock_() - first_, 60.0, kFirstSpan);
  const auto devices = std::ranges::count_if(lanes_, [](const Lane& lane) { return !lane.device.empty(); });
  setAccessibleDescription(tr("%1 devices, %2 leases").arg(devices).arg(bars));
  updateScrollBar();
  updateGeometry();
  viewport()->update();
}

void DeviceTimeline::setColours(std::map<std::string, int> colours) {
  colours_ = std::move(colours);
  viewport()->update();
}

void DeviceTimeline::setSelected(std::set<std::string> runs) {
  if (runs == selected_) return;
  selected_ = std::move(runs);
  viewport()->update();
}

DeviceTimeline::Range DeviceTimeline::range() const {
  const double to = follows_ ? clock_() + kAhead * span_ : to_;
  return {to - span_, to};
}

void DeviceTimeline::setRange(const Range& range) {
  span_ = std::clamp(range.to - range.from, kLeastSpan, kMostSpan);
  to_ = range.to;
  follows_ = false;
  viewport()->update();
  Q_EMIT rangeChanged();
}

void DeviceTimeline::follow() {
  follows_ = true;
  viewport()->update();
  Q_EMIT rangeChanged();
}

void DeviceTimeline::showAll() {
  if (first_ <= 0) return;
  span_ = std::clamp((clock_() - first_) * 1.04, kLeastSpan, kMostSpan);
  follow();
}

// A followed line keeps its end.
void DeviceTimeline::zoomBy(double factor, double centre) {
  const Range now = range();
  const double span = std::clamp(span_ * factor, kLeastSpan, kMostSpan);
  if (follows_) {
    span_ = span;
    return follow();
  }
  const double share = (centre - now.from) / span_;
  setRange({centre - share * span, centre + (1 - share) * span});
}

void DeviceTimeline::panBy(double share) {
  const Range now = range();
  const double end = clock_() + kAhead * span_, to = now.to + share * span_;
  if (to >= end) return follow();
  setRange({to - span_, to});
}

QRectF DeviceTimeline::plot() const {
  int widest = 40;
  const QFontMetrics metrics(interfaceFont(11));
  for (const Lane& lane : lanes_)
    if (!lane.device.empty()) widest = std::max(widest, metrics.horizontalAdvance(lane.label));
  return QRectF(viewport()->rect()).adjusted(12 + widest + 10, kLanesTop, -kRight, -kAxis);
}

double DeviceTimeline::xOf(double time) const {
  const Range seen = range();
  const QRectF area = plot();
  return area.left() + (time - seen.from) / (seen.to - seen.from) * area.width();
}

double DeviceTimeline::timeAt(double x) const {
  const Range seen = range();
  const QRectF area = plot();
  return seen.from + (x - area.left()) / area.width() * (seen.to - seen.from);
}

std::optional<std::size_t> DeviceTimeline::laneAt(double y) const {
  if (y >= plot().bottom()) return {};
  const double row = std::floor((y - kLanesTop + verticalScrollBar()->value()) / kLane);
  if (row < 0 || row >= static_cast<double>(lanes_.size())) return {};
  return static_cast<std::size_t>(row);
}

QRectF DeviceTimeline::placeOf(std::size_t lane, const LaneBar& bar) const {
  const QRectF area = plot();
  const double top =
      kLanesTop + static_cast<double>(lane) * kLane + (kLane - kBar) / 2.0 - verticalScrollBar()->value();
  const double left = std::max(xOf(bar.since()), area.left());
  const double right = std::min(xOf(bar.until(clock_())), area.right());
  return {left, top, right - left, kBar};
}

const LaneBar* DeviceTimeline::barAt(const QPointF& place) const {
  const auto lane = laneAt(place.y());
  if (!lane || !plot().contains(place)) return nullptr;
  for (const LaneBar& bar : lanes_[*lane].bars)
    if (const QRectF at = placeOf(*lane, bar);
        place.x() >= at.left() - 1 && place.x() <= std::max(at.right(), at.left() + 2) + 1)
      return &bar;
  return nullptr;
}

QString DeviceTimeline::textAt(const QPointF& place) const {
  const auto lane = laneAt(place.y());
  if (!lane || !plot().contains(place) || lanes_[*lane].device.empty()) return {};
  const QString device = QString::fromStdString(lanes_[*lane].device);
  const LaneBar* bar = barAt(place);
  if (bar == nullptr) {
    const double time = timeAt(place.x());
    if (first_ <= 0 || time < first_ || time > clock_()) return {};
    return tr("%1 idle at %2").arg(device, common::formatSecondOfDay(time));
  }
  const storage::LeaseEvent& lease = bar->lease;
  QStringList lines{tr("%1 on %2").arg(QString::fromStdString(lease.name), device)};
  const QString duration = common::formatDuration(bar->until(clock_()) - lease.since);
  lines << (lease.until > 0 ? tr("%1 to %2, %3")
                                  .arg(common::formatSecondOfDay(lease.since),
                                       common::formatSecondOfDay(lease.until), duration)
                            : tr("since %1, %2").arg(common::formatSecondOfDay(lease.since), duration));
  if (!lease.why.empty() || lease.generation >= 0) {
    const QString why = QString::fromStdString(lease.why);
    lines << (lease.generation < 0 ? why
              : why.isEmpty()      ? tr("generation %1").arg(lease.generation)
                                   : tr("generation %1: %2").arg(lease.generation).arg(why));
  }
  for (const LaneRestart& restart : bar->restarts)
    if (std::abs(xOf(restart.time) - place.x()) <= 4)
      lines << tr("restarted at %1 on %2: %3")
                   .arg(common::formatSecondOfDay(restart.time))
                   .arg(restart.replicas)
                   .arg(QString::fromStdString(restart.why));
  return lines.join(QLatin1Char('\n'));
}

QSize DeviceTimeline::sizeHint() const {
  const auto lanes = std::clamp<std::size_t>(lanes_.size(), 2, 8);
  return {600, kLanesTop + static_cast<int>(lanes) * kLane + kAxis};
}

QSize DeviceTimeline::minimumSizeHint() const {
  const auto lanes = std::clamp<std::size_t>(lanes_.size(), 2, 4);
  return {200, kLanesTop + static_cast<int>(lanes) * kLane + kAxis};
}

void DeviceTimeline::updateScrollBar() {
  const int room = viewport()->height() - kLanesTop - kAxis, needed = static_cast<int>(lanes_.size()) * kLane;
  verticalScrollBar()->setPageStep(room);
  verticalScrollBar()->setRange(0, std::max(needed - room, 0));
}

void DeviceTimeline::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  if (lanes_.empty()) {
    painter.setPen(theme.dim);
    painter.drawText(viewport()->rect().adjusted(12, 8, -12, -8), Qt::AlignLeft | Qt::AlignTop,
                     tr("No run has had a device yet."));
    return;
  }
  paintAxis(painter);
  painter.save();
  painter.setClipRect(QRectF(viewport()->rect()).adjusted(0, 0, 0, -kAxis));
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) paintLane(painter, lane);
  painter.restore();
  const double now = xOf(clock_());
  if (const QRectF area = plot(); now >= area.left() && now <= area.right()) {
    painter.setPen(QPen(theme.accent, 1));
    painter.drawLine(QPointF(now, area.top()), QPointF(now, area.bottom()));
  }
  if (hasFocus()) {
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(viewport()->rect()).adjusted(2.5, 0.5, -2.5, -0.5), 5, 5);
  }
}

void DeviceTimeline::paintLane(QPainter& painter, std::size_t lane) const {
  const Theme& theme = Theme::current();
  const QRectF area = plot();
  const double top = kLanesTop + static_cast<double>(lane) * kLane - verticalScrollBar()->value();
  if (top + kLane < 0 || top > area.bottom()) return;
  painter.setFont(interfaceFont(11));
  if (lanes_[lane].device.empty()) {
    painter.setPen(theme.text);
    const QRectF room(12, top, area.right() - 12, kLane - 3);
    painter.drawText(
        room, Qt::AlignLeft | Qt::AlignBottom,
        painter.fontMetrics().elidedText(lanes_[lane].label, Qt::ElideRight, static_cast<int>(room.width())));
    return;
  }
  painter.setPen(theme.dim);
  painter.drawText(QRectF(12, top, area.left() - 22, kLane), Qt::AlignLeft | Qt::AlignVCenter,
                   lanes_[lane].label);
  // Idle from the first lease of any device until now; the bars are drawn over it.
  const double since = std::max(xOf(first_), area.left()), until = std::min(xOf(clock_()), area.right());
  if (first_ > 0 && until > since) {
    const QRectF idle(since, top + (kLane - kBar) / 2.0, until - since, kBar);
    painter.fillRect(idle, theme.grid);
    painter.fillRect(idle, QBrush(theme.hairline, Qt::BDiagPattern));
  }
  for (const LaneBar& bar : lanes_[lane].bars)
    if (const QRectF place = placeOf(lane, bar); place.right() >= area.left() && place.left() <= area.right())
      paintBar(painter, place, bar);
}

void DeviceTimeline::paintBar(QPainter& painter, const QRectF& place, const LaneBar& bar) const {
  const Theme& theme = Theme::current();
  const auto slot = colours_.find(bar.lease.run);
  const QColor colour = slot == colours_.end() ? theme.faint : theme.run(slot->second);
  const bool isPale = !selected_.empty() && !selected_.contains(bar.lease.run);
  QRectF inked = place;
  inked.setWidth(std::max(place.width() - 1, 2.0));  // neighbours are told apart
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.panel);
  painter.drawRect(place);
  painter.setBrush(isPale ? withAlpha(colour, kPale) : colour);
  painter.drawRoundedRect(inked, 3, 3);
  painter.setPen(QPen(theme.panel, 2));
  for (const LaneRestart& restart : bar.restarts) {
    const double x = xOf(restart.time);
    if (x > inked.left() + 2 && x < inked.right() - 2)
      painter.drawLine(QPointF(x, inked.top()), QPointF(x, inked.bottom()));
  }
  const QString name = QString::fromStdString(bar.lease.name);
  const QRectF room = inked.adjusted(7, 0, -5, 0);
  if (room.width() < 24) return;
  painter.setFont(interfaceFont(11));
  const bool isDarkInk = contrastRatio(theme.text, colour) > contrastRatio(theme.panel, colour);
  painter.setPen(isPale ? theme.text : isDarkInk ? theme.text : theme.panel);
  painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(name, Qt::ElideRight, static_cast<int>(room.width())));
}

void DeviceTimeline::paintAxis(QPainter& painter) const {
  const Theme& theme = Theme::current();
  const QRectF area = plot();
  const Range seen = range();
  const double wanted = span_ * 90 / std::max(area.width(), 90.0);  // s between labels
  const auto found = std::lower_bound(kSteps.begin(), kSteps.end(), wanted);
  const double step = found == kSteps.end() ? std::ceil(wanted / 86400) * 86400 : *found;
  const double zone = moment(seen.to).offsetFromUtc();  // so that hours and days are those of the clock
  painter.setFont(interfaceFont(10));
  for (double time = std::ceil((seen.from + zone) / step) * step - zone; time <= seen.to; time += step) {
    const double x = xOf(time);
    painter.setPen(QPen(theme.grid, 1));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    painter.setPen(theme.dim);
    const QString text = step >= 86400
                             ? QLocale().toString(moment(time), QStringLiteral("d MMM"))
                             : QLocale().toString(moment(time), step < 60 ? QStringLiteral("HH:mm:ss")
                                                                          : QStringLiteral("HH:mm"));
    const double half = painter.fontMetrics().horizontalAdvance(text) / 2.0;
    if (x - half < area.left() - 20 || x + half > viewport()->width()) continue;
    painter.drawText(QPointF(x - half, area.bottom() + 15), text);
  }
}

bool DeviceTimeline::event(QEvent* event) {
  // The window has these keys for its charts.
  if (event->type() == QEvent::ShortcutOverride && isTimelineKey(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  return QAbstractScrollArea::event(event);
}

void DeviceTimeline::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  updateScrollBar();
}

void DeviceTimeline::wheelEvent(QWheelEvent* event) {
  const QPoint turn = event->angleDelta();
  if (std::abs(turn.x()) > std::abs(turn.y()) || event->modifiers().testFlag(Qt::ShiftModifier)) {
    panBy(-(turn.x() != 0 ? turn.x() : turn.y()) / 1200.0);
  } else {
    zoomBy(std::pow(0.8, turn.y() / 120.0), timeAt(event->position().x()));
  }
  event->accept();
}

void DeviceTimeline::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  press_ = last_ = event->position();
  isDragged_ = false;
}

void DeviceTimeline::mouseMoveEvent(QMouseEvent* event) {
  if (press_) {
    if ((event->position() - *press_).manhattanLength() >= QApplication::startDragDistance())
      isDragged_ = true;
    if (isDragged_) {
      panBy((last_->x() - event->position().x()) / plot().width());
      last_ = event->position();
    }
    return;
  }
  const QString text = textAt(event->position());
  viewport()->setCursor(barAt(event->position()) != nullptr ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (text.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(event->globalPosition().toPoint(), text, viewport());
  }
}

void DeviceTimeline::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !press_) return;
  press_.reset();
  if (isDragged_) return;
  if (const LaneBar* bar = barAt(event->position()))
    Q_EMIT runClicked(QString::fromStdString(bar->lease.run));
}

void DeviceTimeline::keyPressEvent(QKeyEvent* event) {
  if (!isTimelineKey(*event)) return QAbstractScrollArea::keyPressEvent(event);
  const Range seen = range();
  switch (event->key()) {
    case Qt::Key_Left: return panBy(-0.15);
    case Qt::Key_Right: return panBy(0.15);
    case Qt::Key_Minus: return zoomBy(1 / 0.7, (seen.from + seen.to) / 2);
    case Qt::Key_Home: return showAll();
    case Qt::Key_End: return follow();
    default: return zoomBy(0.7, (seen.from + seen.to) / 2);
  }
}

void DeviceTimeline::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) viewport()->update();
}

}  // namespace batchscope::desktop
