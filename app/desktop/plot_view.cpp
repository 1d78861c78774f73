// SPDX-License-Identifier: GPL-3.0-or-later
#include "plot_view.h"

#include <QCategoryAxis>
#include <QChart>
#include <QGraphicsLayout>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "format.h"
#include "restart_steps.h"
#include "status_text.h"

namespace batchscope::desktop {
namespace {

// The same for every chart, so that plots stand one above another and a moment has one place.
constexpr double kLeft = 44, kRight = 36, kTop = 8, kBottom = 24;
constexpr double kTickHeight = 11;
constexpr double kMark = 3;  // half the width of a checkpoint's mark
// Where the pointer finds a restart: its line, and the number of replicas beside it.
constexpr double kLineReach = 4, kLabelHeight = 16, kLabelWidth = 40;

}  // namespace

PlotView::PlotView(const ChartSpec& spec, ViewState* state, QWidget* parent)
    : QChartView(parent),
      spec_(spec),
      state_(state),
      bottom_(new QCategoryAxis(this)),
      left_(new QCategoryAxis(this)),
      hidden_(spec.lines.size(), false) {
  auto* chart = this->chart();
  chart->legend()->hide();
  chart->setMargins({});
  chart->layout()->setContentsMargins(0, 0, 0, 0);
  chart->setBackgroundRoundness(0);
  chart->setBackgroundVisible(false);
  chart->addAxis(bottom_, Qt::AlignBottom);
  chart->addAxis(left_, Qt::AlignLeft);
  if (spec.hasRight()) {
    right_ = new QCategoryAxis(this);
    right_->setGridLineVisible(false);
    chart->addAxis(right_, Qt::AlignRight);
  }
  for (QCategoryAxis* axis : {bottom_, left_, right_}) {
    if (axis == nullptr) continue;
    axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    axis->setLineVisible(false);
    axis->setLabelsFont(interfaceFont(10));
    axis->setTruncateLabels(false);
  }
  bottom_->setGridLineVisible(false);

  setFrameShape(QFrame::NoFrame);
  setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
  setMouseTracking(true);
  setMinimumSize(220, 90);
  setFocusPolicy(Qt::NoFocus);
  setAccessibleName(spec.title);
  applyTheme();
  connect(state_, &ViewState::changed, this, &PlotView::refresh);
  connect(state_, &ViewState::cursorMoved, viewport(), qOverload<>(&QWidget::update));
}

void PlotView::setModel(SeriesModel* model) {
  model_ = model;
  refresh();
}

void PlotView::setHidden(std::size_t line, bool isHidden) {
  hidden_.at(line) = isHidden;
  refresh();
}

void PlotView::refresh() {
  stale_ = true;
  if (isVisible()) viewport()->update();
}

QRectF PlotView::plotArea() const {
  return QRectF(QPointF(0, 0), size()).adjusted(kLeft, kTop, -kRight, -kBottom);
}

XAxis PlotView::axis() const { return spec_.axis.value_or(state_->axis()); }

double PlotView::xAt(double px) const { return painter_.scene().left.xAt(px); }

void PlotView::applyTheme() {
  const Theme& theme = Theme::current();
  setBackgroundBrush(theme.panel);
  for (QCategoryAxis* axis : {bottom_, left_, right_}) {
    if (axis == nullptr) continue;
    axis->setLabelsBrush(theme.dim);
    axis->setGridLinePen(QPen(theme.grid, 1));
  }
  refresh();
}

void PlotView::setAxis(QCategoryAxis* axis, const std::vector<Tick>& ticks, double low, double high,
                       bool isLog) {
  const auto place = [&](double value) { return isLog ? std::log(value) : value; };
  QStringList labels;
  for (const Tick& tick : ticks) labels << tick.label;
  // Replacing a label costs a layout: leave them alone while they say the same.
  bool same = labels == axis->categoriesLabels() && axis->startValue() < place(low);
  for (const Tick& tick : ticks) same = same && axis->endValue(tick.label) == place(tick.value);
  if (same) {
    axis->setRange(place(low), place(high));
    return;
  }
  for (const QString& label : axis->categoriesLabels()) axis->remove(label);
  axis->setRange(place(low), place(high));
  axis->setStartValue(place(low) - 1);
  for (const Tick& tick : ticks) axis->append(tick.label, place(tick.value));
}

void PlotView::rebuild() {
  stale_ = false;
  const QRectF plot = plotArea();
  SeriesModel none({});
  SeriesModel& model = model_ != nullptr ? *model_ : none;
  SceneOptions options{.range = state_->range(model, axis()),
                       .axis = axis(),
                       .smoothing = state_->smoothing(),
                       .isLog = state_->logY(),
                       .isLogX = state_->logX(),
                       .isZoomed = state_->isZoomed(),
                       .isWhole = state_->showsPeaks(),
                       .isHidden = hidden_};
  painter_.setScene(buildScene(model, spec_, plot, options), spec_, Theme::current(), devicePixelRatioF());

  const ChartScene& scene = painter_.scene();
  const int across = std::max(2, static_cast<int>(plot.width() / 64)), up = plot.height() > 150 ? 5 : 4;
  const auto ticks = [&](const Projection& p) {
    if (scene.isEmpty) return std::vector<Tick>{};  // there is no scale yet
    return p.log ? logTicks(p.y0, p.y1, up) : linearTicks(p.y0, p.y1, up);
  };
  // A bound has a label of its own, before which its neighbours give way.
  std::vector<Tick> leftTicks = ticks(scene.left);
  if (spec_.bound && !scene.isEmpty) {
    const double y = scene.left.py(*spec_.bound);
    std::erase_if(leftTicks,
                  [&](const Tick& tick) { return std::abs(scene.left.py(tick.value) - y) < kTickHeight; });
    const auto place = std::find_if(leftTicks.begin(), leftTicks.end(),
                                    [&](const Tick& tick) { return tick.value > *spec_.bound; });
    leftTicks.insert(place, {*spec_.bound, formatNumber(*spec_.bound)});
  }
  const double x0 = scene.left.x0, x1 = scene.left.x1;
  const bool isLogX = scene.left.logX;
  const std::vector<Tick> below = scene.isEmpty ? std::vector<Tick>{}
                                  : isTime(axis())
                                      ? (isLogX ? logTimeTicks(x0, x1, across) : timeTicks(x0, x1, across))
                                  : isLogX ? logTicks(x0, x1, across)
                                           : linearTicks(x0, x1, across);
  setAxis(bottom_, below, x0, x1, isLogX);
  setAxis(left_, leftTicks, scene.left.y0, scene.left.y1, scene.left.log);
  if (right_ != nullptr) setAxis(right_, ticks(scene.right), scene.right.y0, scene.right.y1, false);
}

std::optional<double> PlotView::cursorPx() const {
  if (model_ == nullptr || !state_->cursor()) return {};
  const auto x = model_->position(axis(), *state_->cursor());
  return x ? std::optional(painter_.scene().left.px(*x)) : std::nullopt;
}

QString PlotView::restartAt(const QPointF& position) const {
  const QRectF plot = plotArea();
  if (model_ == nullptr || !plot.contains(position)) return {};
  for (const SceneBand& band : painter_.scene().bands) {
    const GenerationSpan* span = model_->generation(band.generation);
    const double left = std::max(band.left, plot.left());
    const bool isOnLabel = position.y() < plot.top() + kLabelHeight && position.x() >= left &&
                           position.x() < std::min(left + kLabelWidth, std::max(band.right, left));
    const bool isOnLine = std::abs(position.x() - band.left) <= kLineReach;
    if (span == nullptr || !band.isRestart || !(isOnLabel || isOnLine)) continue;
    const QString head = tr("%1 from step %L2 on (%3)")
                             .arg(replicaCount(span->replicas))
                             .arg(span->first)
                             .arg(QString::fromStdString(span->reason));
    if (span->pause < 0) return head;
    return tr("%1\nPause %2: %3").arg(head, formatPause(span->pause), describePause(span->parts));
  }
  return {};
}

bool PlotView::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QChartView::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const QString text = restartAt(help->pos()); text.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(), text, this);
  }
  return true;
}

std::optional<QPointF> PlotView::placeOf(const StepRef& mark) const {
  if (model_ == nullptr) return {};
  const auto x = model_->position(axis(), mark);
  if (!x) return {};
  const QRectF plot = plotArea();
  const double px = painter_.scene().left.px(*x);
  if (!(px >= plot.left() - 1 && px <= plot.right() + 1)) return {};
  return QPointF(px, plot.bottom());
}

std::optional<StepRef> PlotView::markAt(const QPointF& place) const {
  for (const StepRef& mark : state_->marks()) {
    const auto at = placeOf(mark);
    if (at && std::abs(at->x() - place.x()) <= kMark + 2 && place.y() >= at->y() - 2 &&
        place.y() <= at->y() + 2 * kMark + 2)
      return mark;
  }
  return {};
}

void PlotView::paintMarks(QPainter& painter) const {
  const Theme& theme = Theme::current();
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.good);
  for (const StepRef& mark : state_->marks()) {
    if (const auto at = placeOf(mark)) {
      painter.drawPolygon(
          QPolygonF{*at, *at + QPointF(kMark, 1.6 * kMark), *at + QPointF(-kMark, 1.6 * kMark)});
    }
  }
  painter.restore();
}

void PlotView::paintEvent(QPaintEvent* event) {
  if (stale_) {
    rebuild();
    // New labels have no place until the axes are laid out, which would otherwise be after this paint.
    chart()->layout()->activate();
  }
  QChartView::paintEvent(event);
}

void PlotView::drawForeground(QPainter* painter, const QRectF& rect) {
  Q_UNUSED(rect);
  painter_.paint(*painter);
  if (painter_.scene().isEmpty) {
    painter->setFont(interfaceFont(11));
    painter->setPen(Theme::current().dim);
    painter->drawText(plotArea(), Qt::AlignCenter, tr("Nothing recorded yet"));
  }
  if (!painter_.scene().isEmpty) paintMarks(*painter);
  if (const auto px = cursorPx()) painter_.paintCursor(*painter, *state_->cursor(), *px);
  if (underMouse()) painter_.paintBadge(*painter);
  if (drag_ == Drag::Zoom) {
    QColor shade = Theme::current().accent;
    shade.setAlphaF(0.18F);
    const QRectF plot = plotArea();
    painter->fillRect(QRectF(QPointF(dragFrom_, plot.top()), QPointF(dragTo_, plot.bottom())).normalized(),
                      shade);
  }
}

void PlotView::resizeEvent(QResizeEvent* event) {
  // The plot area first: the chart's own resizing is what lays the axes out around it.
  chart()->setPlotArea(plotArea());
  QChartView::resizeEvent(event);
  rebuild();
}

void PlotView::showEvent(QShowEvent* event) {
  QChartView::showEvent(event);
  rebuild();
}

void PlotView::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) applyTheme();
}

void PlotView::wheelEvent(QWheelEvent* event) {
  if (model_ == nullptr) return;
  const QPoint turn = event->angleDelta();
  if (std::abs(turn.x()) > std::abs(turn.y()) || event->modifiers().testFlag(Qt::ShiftModifier)) {
    const int sideways = turn.x() != 0 ? turn.x() : turn.y();
    state_->panBy(*model_, axis(), -sideways / 1200.0);
  } else {
    state_->zoomBy(*model_, axis(), xAt(event->position().x()), std::pow(0.8, turn.y() / 120.0));
  }
  event->accept();
}

void PlotView::mousePressEvent(QMouseEvent* event) {
  const bool pans = event->button() == Qt::MiddleButton ||
                    (event->button() == Qt::LeftButton && event->modifiers().testFlag(Qt::ShiftModifier));
  if (pans) {
    drag_ = Drag::Pan;
  } else if (event->button() == Qt::LeftButton) {
    drag_ = Drag::Zoom;
  } else {
    return;
  }
  dragFrom_ = dragTo_ = event->position().x();
}

void PlotView::mouseMoveEvent(QMouseEvent* event) {
  if (model_ == nullptr) return;
  const QRectF plot = plotArea();
  const double x = std::clamp(event->position().x(), plot.left(), plot.right());
  if (drag_ == Drag::Pan) {
    state_->panBy(*model_, axis(), (dragTo_ - x) / plot.width());
  }
  if (drag_ != Drag::None) dragTo_ = x;
  state_->setCursor(model_->nearest(axis(), xAt(x)));
  viewport()->update();
}

void PlotView::mouseReleaseEvent(QMouseEvent* event) {
  const QRectF plot = plotArea();
  const Drag drag = std::exchange(drag_, Drag::None);
  dragTo_ = std::clamp(event->position().x(), plot.left(), plot.right());
  if (drag == Drag::Zoom && model_ != nullptr && std::abs(dragTo_ - dragFrom_) > 4) {
    const auto [low, high] = std::minmax({xAt(dragFrom_), xAt(dragTo_)});
    state_->zoomTo(*model_, axis(), {low, high});
  }
  if (drag == Drag::Zoom && std::abs(dragTo_ - dragFrom_) <= 4) {
    if (const auto mark = markAt(event->position())) state_->pressMark(*mark);
  }
  viewport()->update();
}

void PlotView::mouseDoubleClickEvent(QMouseEvent* event) {
  drag_ = Drag::None;
  event->accept();
  state_->resetZoom();
}

void PlotView::leaveEvent(QEvent* event) {
  QChartView::leaveEvent(event);
  state_->setCursor({});
}

}  // namespace batchscope::desktop
