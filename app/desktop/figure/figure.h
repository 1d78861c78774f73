// SPDX-License-Identifier: GPL-3.0-or-later
//
// Draws a FigureData in the look of the window. Qt Charts draws the axes, lines, dots, bars and the legend,
// with the ticks that all charts have; cells, notes and the mark of the pointed place are painted with them.
// Logarithms are taken here, because a logarithmic axis of Qt Charts writes powers alone and goes blank at a
// zero.
//
// The mouse or, with the focus, the arrow keys choose a point, and its text is shown. A figure has few
// points, so every change of the data makes all series again.
#pragma once

#include <QChartView>
#include <optional>

#include "figure/figure_axes.h"

namespace batchscope::desktop {

class Figure : public QChartView {
  Q_OBJECT
 public:
  explicit Figure(QWidget* parent = nullptr);

  void setData(FigureData data);
  const FigureData& data() const { return data_; }

  // Maps a place on the bottom and left axes to the widget, and back.
  QPointF place(double x, double y) const;
  double valueAt(double pixel) const;
  // Returns the text of the point under the mouse; empty: there is none.
  QString chosenText() const;

 protected:
  void changeEvent(QEvent* event) override;
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  // A place that can be pointed at.
  struct Target {
    double x, y;
    bool isRight;
    QString text;
    QRectF cell;  // empty: a point
  };

  void rebuild();
  void addAxes();
  void addAxis(const FigureAxis& axis, Qt::Alignment side);
  void addBars();
  void addLegend();
  void addTargets();
  void add(QAbstractSeries* series, bool isRight);
  QPointF placeOf(const Target& target) const;
  QRectF boxOf(const QRectF& cell) const;
  bool isLow() const;
  int ticksAcross() const;
  std::optional<std::size_t> targetAt(QPointF place) const;
  std::optional<std::size_t> neighbour(int key) const;
  void choose(std::optional<std::size_t> target);
  void paintNotes(QPainter& painter) const;
  void paintChosen(QPainter& painter) const;

  FigureData data_;
  FigureAxes axes_;
  QAbstractAxis *bottomAxis_ = nullptr, *leftAxis_ = nullptr, *rightAxis_ = nullptr;
  const Theme* theme_ = nullptr;  // in whose colours it is made
  int across_ = 0;                // ticks at the bottom that there is room for
  std::vector<Target> targets_;
  std::optional<std::size_t> chosen_;
};

}  // namespace batchscope::desktop
