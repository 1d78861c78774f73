// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/plot_view.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "batchscope/common/number_text.h"
#include "batchscope/common/run_text.h"

namespace batchscope::desktop {
namespace {

// The same for every chart, so that plots stand one above another and a moment has one place.
constexpr double kLeft = 48, kRight = 36, kTop = 8, kBottom = 24;
constexpr int kAcross = 6;  // ticks, however wide a chart is: a range has the same ones in all of them
constexpr double kTickHeight = 11;
constexpr double kMark = 3;  // half the width of a checkpoint's mark
// Where the pointer finds a restart: its line, and the number of replicas beside it.
constexpr double kLineReach = 4, kLabelHeight = 16, kLabelWidth = 40;

}  // namespace

PlotView::PlotView(const common::ChartSpec& spec, ViewState* state, QWidget* parent)
    : QWidget(parent), spec_(spec), state_(state), hidden_(spec.lines.size(), false) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMouseTracking(true);
  setMinimumSize(220, 90);
  setFocusPolicy(Qt::NoFocus);
  setAccessibleName(spec.title);
  connect(state_, &ViewState::changed, this, &PlotView::refresh);
  connect(state_, &ViewState::cursorMoved, this, qOverload<>(&QWidget::update));
}

void PlotView::setModel(SeriesModel* model) {
  model_ = model;
  refresh();
}

void PlotView::setHidden(std::size_t line, bool isHidden) {
  hidden_.at(line) = isHidden;
  refresh();
}

void PlotView::setCompared(std::vector<SceneRun> runs, GroupBands bands) {
  compared_ = std::move(runs);
  bands_ = bands;
  refresh();
}

void PlotView::setMagnification(double magnification) {
  magnification_ = magnification;
  refresh();
}

void PlotView::refresh() {
  stale_ = true;
  update();
}

QRectF PlotView::plotArea() const {
  return QRectF(QPointF(0, 0), size()).adjusted(kLeft, kTop, -kRight, -kBottom);
}

XAxis PlotView::axis() const { return spec_.isOverTime ? XAxis::WallTime : state_->axis(); }

double PlotView::xAt(double px) const { return painter_.scene().left.xAt(px); }

void PlotView::rebuild() {
  stale_ = false;
  const QRectF plot = plotArea();
  SeriesModel none({});
  SeriesModel& model = model_ != nullptr ? *model_ : none;
  SceneOptions options{.range = state_->range(model, axis(), spec_.isLogLog),
                       .axis = axis(),
                       .smoothing = state_->smoothing(),
                       .isLog = spec_.isLogLog ? std::optional(true) : state_->logY(),
                       .isLogX = state_->logX() || spec_.isLogLog,
                       .isZoomed = state_->isZoomed(),
                       .isWhole = state_->showsPeaks(),
                       .isHidden = hidden_,
                       .runs = compared_,
                       .bands = bands_};
  painter_.setScene(buildScene(model, spec_, plot, options), spec_, Theme::current(),
                    devicePixelRatioF() * magnification_);

  note();
  ticks_ = {};
  const ChartScene& scene = painter_.scene();
  if (scene.isEmpty) return;  // there is no scale yet
  const int up = plot.height() > 150 ? 5 : 4;
  const auto upwards = [&](const Projection& p) { return (p.log ? logTicks : linearTicks)(p.y0, p.y1, up); };
  const bool isLogX = scene.left.logX;
  const auto below = isTime(axis()) ? (isLogX ? logTimeTicks : timeTicks) : (isLogX ? logTicks : linearTicks);
  ticks_.bottom = below(scene.left.x0, scene.left.x1, kAcross);
  ticks_.left = upwards(scene.left);
  if (spec_.hasRight()) ticks_.right = upwards(scene.right);
  if (scene.left.log) ticks_.leftName = tr("log");
  // A bound has a label of its own, before which its neighbours give way.
  if (spec_.bound) {
    const double y = scene.left.py(*spec_.bound);
    std::erase_if(ticks_.left,
                  [&](const Tick& tick) { return std::abs(scene.left.py(tick.value) - y) < kTickHeight; });
    ticks_.left.push_back({*spec_.bound, common::formatNumber(*spec_.bound)});
  }
}

void PlotView::note() {
  const ChartScene& scene = painter_.scene();
  QStringList notes;
  if (scene.hasBands) notes << (scene.isEstimate ? tr("median, about 10–90 %") : tr("median, 10–90 %"));
  for (const common::LineSpec& line : spec_.lines) {
    const Projection& axis = line.isRight ? scene.right : scene.left;
    if (line.isFromLowest && axis.y0 > 0)
      notes << tr("%1 from %2").arg(line.label, common::formatNumber(axis.y0));
  }
  Q_EMIT noted(notes.join(QStringLiteral(" · ")));
}

ValuesBox PlotView::values() const {
  if (model_ == nullptr || !state_->cursor() || painter_.scene().isEmpty) return {};
  if (drag_ != Drag::None || (state_->isPointed() && !pointer_)) return {};
  const auto x = state_->cursorX(*model_, axis());
  if (!x) return {};
  return valuesAt(*model_, spec_, {axis(), *state_->cursor(), *x, hidden_, compared_}, Theme::current());
}

void PlotView::paintCursor(QPainter& painter) const {
  const auto px = cursorPx();
  if (!px) return;
  painter_.paintCursor(painter, *state_->cursor(), *px);
  const QRectF plot = plotArea();
  const ValuesBox box = values();
  if (box.rows.empty() || *px < plot.left() || *px > plot.right()) return;
  const double y = pointer_ ? pointer_->y() : plot.center().y();
  paintValues(painter, box, QRectF(rect()).adjusted(2, 2, -2, -2), *px, y, Theme::current());
}

std::optional<double> PlotView::cursorPx() const {
  if (model_ == nullptr || !state_->cursor()) return {};
  const auto x = state_->cursorX(*model_, axis());
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
                             .arg(common::replicaCount(span->replicas))
                             .arg(span->first)
                             .arg(QString::fromStdString(span->reason));
    if (span->pause < 0) return head;
    return tr("%1\nPause %2: %3")
        .arg(head, common::formatPause(span->pause), common::describePause(span->parts));
  }
  return {};
}

bool PlotView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
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

QString PlotView::emptyText() const {
  if (!state_->isOver() || state_->playHead()) return tr("Nothing recorded yet");
  const bool hasSteps = model_ != nullptr && !model_->extent(XAxis::Step).empty();
  return hasSteps ? tr("Not recorded in this run") : tr("Ended before its first step");
}

void PlotView::paintEvent(QPaintEvent* event) {
  if (stale_) rebuild();
  const Theme& theme = Theme::current();
  const ChartScene& scene = painter_.scene();
  QPainter painter(this);
  painter.fillRect(event->rect(), theme.panel);
  paintGrid(painter, scene.left, ticks_.left, theme);
  paintLabels(painter, scene.left, scene.right, ticks_, width(), theme);
  painter_.paint(painter);
  if (scene.isEmpty) {
    painter.setFont(interfaceFont(11));
    painter.setPen(theme.dim);
    painter.drawText(plotArea(), Qt::AlignCenter, emptyText());
  } else {
    paintMarks(painter);
  }
  if (underMouse()) painter_.paintBadge(painter);
  paintCursor(painter);
  if (drag_ == Drag::Zoom) {
    const QRectF plot = plotArea();
    painter.fillRect(QRectF(QPointF(dragFrom_, plot.top()), QPointF(dragTo_, plot.bottom())).normalized(),
                     withAlpha(theme.accent, 0.18));
  }
}

void PlotView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  refresh();
}

void PlotView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refresh();
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
  pointer_ = event->position();
  state_->setPointed(true);
  const double x = std::clamp(event->position().x(), plot.left(), plot.right());
  if (drag_ == Drag::Pan) {
    state_->panBy(*model_, axis(), (dragTo_ - x) / plot.width());
  }
  if (drag_ != Drag::None) dragTo_ = x;
  const double place = xAt(x);
  const bool isBeyond = !compared_.empty() && axis() == state_->axis() && place > model_->extent(axis()).high;
  state_->setCursor(model_->nearest(axis(), place), isBeyond ? std::optional(place) : std::nullopt);
  update();
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
  update();
}

void PlotView::mouseDoubleClickEvent(QMouseEvent* event) {
  drag_ = Drag::None;
  event->accept();
  state_->resetZoom();
}

void PlotView::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  pointer_.reset();
  state_->setPointed(false);
  state_->setCursor({});
}

}  // namespace batchscope::desktop
