// SPDX-License-Identifier: GPL-3.0-or-later
//
// Parallel coordinates (Inselberg, 1985): parallel axes for every parameter and for the metric, and each
// trial a line through its values, the stronger the better it did. A trial without a value on an axis passes
// below it. Dragging along an axis brushes it; trials outside of a brush fade.
//
// A thousand lines are painted once, into a picture, and again only when they have changed; axes, brushes and
// what is pointed at are painted over it.
#pragma once

#include <QPixmap>
#include <QWidget>
#include <set>

#include "sweep/brushes.h"

namespace batchscope::desktop {

class ParallelPlot : public QWidget {
  Q_OBJECT
 public:
  explicit ParallelPlot(QWidget* parent = nullptr);

  // A line, by the number of the trial.
  struct Line {
    double rank = 0;  // 1: the best, 0: the worst; NaN: it has no value
    QString text;     // what a person who points at it reads
  };
  // The metric's axis is the last.
  void setTrials(std::vector<TrialAxis> axes, std::vector<Line> lines, std::optional<std::size_t> best);
  // Sets the lines that are kept; the others fade.
  void setKept(std::vector<bool> kept);
  void setSelected(std::set<std::size_t> trials);
  void setHovered(std::optional<std::size_t> trial);
  void clearBrushes();

  const std::vector<TrialAxis>& axes() const { return axes_; }
  const Brushes& brushes() const { return brushes_; }
  // Where an axis stands, and where on the widget a trial crosses it.
  double axisX(std::size_t axis) const;
  QPointF crossing(std::size_t axis, std::size_t trial) const;
  const QRectF& plot() const { return plot_; }  // from the first axis to the last
  // Returns the nearest kept trial within reach of the place.
  std::optional<std::size_t> trialAt(QPointF place) const;

  QSize sizeHint() const override { return {720, 250}; }
  QSize minimumSizeHint() const override { return {320, 190}; }

 Q_SIGNALS:
  void brushed();
  void hovered(std::optional<std::size_t> trial);
  void clicked(std::size_t trial, Qt::KeyboardModifiers modifiers);
  void opened(std::size_t trial);

 protected:
  bool event(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  // A drag along an axis: of a brush as a whole, or of the end that is not `fixed`.
  struct Drag {
    std::size_t axis;
    QPointF press;
    std::optional<double> fixed;  // none: the brush is moved
    Stretch before;
    bool isMoved = false;
  };

  void place();
  double shareAt(double y) const;
  double yOf(double share) const;
  QRectF boxOf(std::size_t axis, const Stretch& stretch) const;
  std::optional<std::size_t> axisAt(QPointF place) const;
  QPolygonF lineOf(std::size_t trial) const;
  void beginDrag(std::size_t axis, QPointF place);
  void dragTo(QPointF place);
  void pointAt(QPointF place, QPoint global);
  void changeBrush();
  void repaintLines();
  void paintLines(QPainter& painter) const;
  void paintStrong(QPainter& painter, std::size_t trial, double width) const;
  void paintAxes(QPainter& painter) const;
  void paintBrushes(QPainter& painter) const;

  std::vector<TrialAxis> axes_;
  std::vector<Line> lines_;
  std::vector<std::size_t> order_;  // in which they are painted, the best last
  std::vector<bool> kept_;
  std::set<std::size_t> selected_;
  std::optional<std::size_t> best_, hovered_;
  bool hasGaps_ = false;  // some trial has no value on some axis
  QRectF plot_;
  Brushes brushes_;
  std::optional<Drag> drag_;
  std::size_t current_ = 0;  // axis that keys work
  QPixmap picture_;          // of all lines; null: to be painted
};

}  // namespace batchscope::desktop
