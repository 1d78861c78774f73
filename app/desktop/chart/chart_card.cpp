// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/chart_card.h"

#include <QAbstractButton>
#include <QApplication>
#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QPainter>
#include <utility>

#include "chart/formula_hover.h"
#include "chart/line_look.h"
#include "look/box.h"
#include "look/elided_label.h"
#include "look/theme.h"

namespace batchscope::desktop {

namespace {

constexpr int kSampleGap = 4;

}  // namespace

// One entry of a chart's legend: a short line in the series' colour and its name. Pressing it hides or shows
// the line.
class LegendButton : public QAbstractButton {
 public:
  LegendButton(const common::ChartSpec& spec, std::size_t line, QWidget* parent)
      : QAbstractButton(parent), spec_(spec), line_(line) {
    const common::LineSpec& shown = spec.lines[line];
    setText(shown.label);
    setCheckable(true);
    setChecked(!shown.isOff);
    setFont(interfaceFont(10));
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(ChartCard::tr("Show %1").arg(shown.label));
    setToolTip(ChartCard::tr("Hide or show %1").arg(shown.label));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  }

  // While runs are compared, the sample shows the line's strokes in no run's colour.
  void setCompared(bool isCompared) {
    isCompared_ = isCompared;
    updateGeometry();
    update();
  }

  QSize sizeHint() const override {
    return {sampleWidth(look()) + kSampleGap + fontMetrics().horizontalAdvance(text()) + 1, 18};
  }

 protected:
  void changeEvent(QEvent* event) override {
    QAbstractButton::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) updateGeometry();  // samples of the colour-blind are longer
  }

  void paintEvent(QPaintEvent*) override {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    LineLook sample = look();
    if (!isChecked()) sample.colour = theme.faint;
    const int wide = sampleWidth(sample);
    paintSample(painter, QRectF(0, 0, wide, height()), sample);
    painter.setPen(isChecked() || underMouse() ? theme.dim : theme.faint);
    QFont font = this->font();
    font.setStrikeOut(!isChecked());
    painter.setFont(font);
    painter.drawText(rect().adjusted(wide + kSampleGap, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, text());
    if (hasFocus()) {
      painter.setPen(theme.accent);
      painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
  }

 private:
  LineLook look() const {
    const Theme& theme = Theme::current();
    LineLook look = lookOf(spec_, line_, theme, isCompared_ ? std::optional(0) : std::nullopt);
    if (isCompared_) {
      look.colour = theme.dim;
      look.isMarked = false;
    }
    return look;
  }

  common::ChartSpec spec_;
  std::size_t line_;
  bool isCompared_ = false;
};

ChartCard::ChartCard(const common::ChartSpec& spec, ViewState* state, QWidget* parent)
    : QFrame(parent),
      plot_(new PlotView(spec, state, this)),
      title_(new ElidedLabel(spec.title, this)) {
  setObjectName(QStringLiteral("card"));
  setAccessibleName(spec.title);
  title_->setObjectName(QStringLiteral("chartTitle"));
  auto* unit = new UnitLabel(spec.unit, this);
  connect(plot_, &PlotView::noted, unit, &UnitLabel::setNote);
  QHBoxLayout* head = hbox(nullptr, {12, 0, 10, 0}, 7, {title_, {unit, 1}});
  head->addStrut(18);  // a legend's height, where there is none
  const auto model = [this] { return plot_->model(); };
  if (!spec.lines.empty())
    new FormulaHover(title_, spec.subject.empty() ? spec.lines.front().series : spec.subject, state, model);
  // A chart of one line has its title for a legend.
  for (std::size_t i = 0; i < spec.lines.size() && spec.lines.size() > 1; ++i) {
    auto* button = new LegendButton(spec, i, this);
    new FormulaHover(button, spec.lines[i].series, state, model);
    connect(button, &LegendButton::toggled, plot_, [this, i](bool isShown) {
      plot_->setHidden(i, !isShown);
      Q_EMIT hiddenChanged();
    });
    if (spec.lines[i].isOff) plot_->setHidden(i, true);
    head->addWidget(button);
    legend_.push_back(button);
  }
  vbox(this, {1, 7, 1, 1}, 0, {head, {plot_, 1}});
}

void ChartCard::setCompared(const std::vector<SceneRun>& runs, GroupBands bands) {
  for (LegendButton* button : legend_) button->setCompared(!runs.empty());
  plot_->setCompared(runs, bands);
}

void ChartCard::setHidden(const std::vector<bool>& hidden) {
  for (std::size_t i = 0; i < legend_.size(); ++i) legend_[i]->setChecked(!hidden.at(i));
}

void ChartCard::setArrangeable() {
  isArrangeable_ = true;
  setFocusPolicy(Qt::TabFocus);
  title_->setCursor(Qt::OpenHandCursor);
}

void ChartCard::mousePressEvent(QMouseEvent* event) {
  QFrame::mousePressEvent(event);
  if (!isArrangeable_ || event->button() != Qt::LeftButton || event->position().y() >= plot_->y()) return;
  pressed_ = event->position().toPoint();
  event->accept();
}

void ChartCard::mouseMoveEvent(QMouseEvent* event) {
  if (!pressed_) return QFrame::mouseMoveEvent(event);
  const QPoint moved = event->position().toPoint() - *pressed_;
  isDragged_ = isDragged_ || moved.manhattanLength() >= QApplication::startDragDistance();
  if (isDragged_) Q_EMIT dragged(event->globalPosition().toPoint());
}

void ChartCard::mouseReleaseEvent(QMouseEvent* event) {
  QFrame::mouseReleaseEvent(event);
  pressed_.reset();
  if (std::exchange(isDragged_, false)) Q_EMIT dropped();
}

void ChartCard::mouseDoubleClickEvent(QMouseEvent* event) {
  if (isArrangeable_ && event->position().y() < plot_->y()) Q_EMIT opened();
}

void ChartCard::contextMenuEvent(QContextMenuEvent* event) {
  if (!isArrangeable_) return QFrame::contextMenuEvent(event);
  Q_EMIT menuRequested(event->globalPos());
  event->accept();
}

}  // namespace batchscope::desktop
