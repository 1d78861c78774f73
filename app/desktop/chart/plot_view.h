// SPDX-License-Identifier: GPL-3.0-or-later
//
// The plot of one chart: axes and grid, and over them the SeriesPainter; at the cross-hair the values of all
// lines, in the chart under the pointer, or in every chart where keys move it. Mouse: the wheel zooms around
// the pointer, dragging zooms to a range, dragging with Shift or the middle button pans, double click shows
// everything. A click on the mark of a checkpoint, below the plot, presses it. The y axes scale themselves.
#pragma once

#include <QWidget>
#include <optional>

#include "chart/axis.h"
#include "chart/series_painter.h"
#include "chart/values_box.h"
#include "scene/scene_builder.h"
#include "series/view_state.h"

namespace batchscope::desktop {

class PlotView : public QWidget {
  Q_OBJECT
 public:
  PlotView(const common::ChartSpec& spec, ViewState* state, QWidget* parent = nullptr);

  // Borrowed; may be null. Call again, or refresh, after the model has new samples.
  void setModel(SeriesModel* model);
  void setHidden(std::size_t line, bool isHidden);
  const std::vector<bool>& hidden() const { return hidden_; }  // by line
  // Runs that are compared, the open one first, as lines or in bands of their groups; none: it is alone.
  void setCompared(std::vector<SceneRun> runs, GroupBands bands);
  // Sets how much larger the plot is seen than it is laid out, so that it is drawn as finely.
  void setMagnification(double magnification);
  // Computes and paints again with the next event if the plot is visible, otherwise once it is.
  void refresh();

  // Returns the text in place of lines where there are none.
  QString emptyText() const;
  // The tool tip of the restart whose line or "×3" is here; empty where there is none.
  QString restartAt(const QPointF& position) const;

  const common::ChartSpec& spec() const { return spec_; }
  SeriesModel* model() const { return model_; }
  const SeriesPainter& painter() const { return painter_; }
  const AxisTicks& ticks() const { return ticks_; }
  QRectF plotArea() const;
  // Returns the values beside the cross-hair; no rows: there are none.
  ValuesBox values() const;

 Q_SIGNALS:
  // Emitted when there is a note on how the values are drawn; empty: none.
  void noted(const QString& note);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  enum class Drag { None, Zoom, Pan };

  void rebuild();
  XAxis axis() const;
  double xAt(double px) const;
  std::optional<double> cursorPx() const;
  // The checkpoint whose mark is at this place.
  std::optional<StepRef> markAt(const QPointF& place) const;
  std::optional<QPointF> placeOf(const StepRef& mark) const;
  void paintMarks(QPainter& painter) const;
  void paintCursor(QPainter& painter) const;
  void note();

  common::ChartSpec spec_;
  ViewState* state_;
  SeriesModel* model_ = nullptr;
  SeriesPainter painter_;
  AxisTicks ticks_;
  std::vector<bool> hidden_;
  std::vector<SceneRun> compared_;
  GroupBands bands_ = GroupBands::None;
  double magnification_ = 1;
  bool stale_ = true;
  Drag drag_ = Drag::None;
  double dragFrom_ = 0, dragTo_ = 0;  // pixels
  std::optional<QPointF> pointer_;
};

}  // namespace batchscope::desktop
