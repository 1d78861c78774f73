// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/chart_card.h"

#include <QAbstractButton>
#include <QPainter>

#include "look/box.h"
#include "look/elided_label.h"
#include "look/theme.h"

namespace batchscope::desktop {

namespace {

constexpr int kSample = 9, kLongSample = 18, kGap = 4;

}  // namespace

// One entry of a chart's legend: a short line in the series' colour and its name. Pressing it hides or shows
// the line.
class LegendButton : public QAbstractButton {
 public:
  LegendButton(const LineSpec& line, QWidget* parent)
      : QAbstractButton(parent), colour_(line.colour), isDashed_(line.isDashed), isBound_(line.isBound) {
    setText(line.label);
    setCheckable(true);
    setChecked(true);
    setFont(interfaceFont(10));
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(ChartCard::tr("Show %1").arg(line.label));
    setToolTip(ChartCard::tr("Hide or show %1").arg(line.label));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  }

  // While runs are compared, the sample shows the line's strokes in no run's colour; `line` is its place.
  void setCompared(bool isCompared, std::size_t line) {
    isCompared_ = isCompared;
    strokes_ = runStrokes(line);
    updateGeometry();
    update();
  }

  QSize sizeHint() const override {
    return {(isCompared_ ? kLongSample : kSample) + kGap + fontMetrics().horizontalAdvance(text()) + 1, 18};
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const QColor line = isBound_ || isCompared_ ? theme.dim : theme.series[static_cast<std::size_t>(colour_)];
    QPen pen(isChecked() ? line : theme.faint, isBound_ ? 1 : 2);
    if (isBound_) pen.setStyle(Qt::DotLine);
    if (isDashed_) pen.setDashPattern({2, 1.5});
    if (isDashed_) pen.setCapStyle(Qt::FlatCap);
    if (isCompared_ && !isBound_ && !strokes_.empty()) {
      pen.setDashPattern(strokes_);
      pen.setCapStyle(Qt::FlatCap);
    }
    const int sample = isCompared_ ? kLongSample : kSample;
    painter.setPen(pen);
    const int middle = height() / 2;
    painter.drawLine(0, middle, sample - 1, middle);
    painter.setPen(isChecked() || underMouse() ? theme.dim : theme.faint);
    QFont font = this->font();
    font.setStrikeOut(!isChecked());
    painter.setFont(font);
    painter.drawText(rect().adjusted(sample + kGap, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, text());
    if (hasFocus()) {
      painter.setPen(theme.accent);
      painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
  }

 private:
  int colour_;
  bool isDashed_;
  bool isBound_;
  bool isCompared_ = false;
  QList<qreal> strokes_;
};

ChartCard::ChartCard(const ChartSpec& spec, ViewState* state, QWidget* parent)
    : QFrame(parent), plot_(new PlotView(spec, state, this)) {
  setObjectName(QStringLiteral("card"));
  QHBoxLayout* head = hbox(nullptr, {12, 0, 10, 0}, 7,
                           {named("chartTitle", this, spec.title), {new UnitLabel(spec.unit, this), 1}});
  for (std::size_t i = 0; i < spec.lines.size(); ++i) {
    auto* button = new LegendButton(spec.lines[i], this);
    connect(button, &LegendButton::toggled, plot_,
            [this, i](bool isShown) { plot_->setHidden(i, !isShown); });
    head->addWidget(button);
    legend_.push_back(button);
  }
  vbox(this, {1, 7, 1, 1}, 0, {head, {plot_, 1}});
}

void ChartCard::setCompared(const std::vector<SceneRun>& runs, GroupBands bands) {
  for (std::size_t i = 0; i < legend_.size(); ++i) legend_[i]->setCompared(!runs.empty(), i);
  plot_->setCompared(runs, bands);
}

}  // namespace batchscope::desktop
