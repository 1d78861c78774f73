// SPDX-License-Identifier: GPL-3.0-or-later
//
// One chart as a card: title, unit, legend, and the plot below. On a dashboard a person arranges the cards:
// dragging a card's head moves it, a double click on the head opens it. A card takes the keyboard's focus.
#pragma once

#include <QFrame>
#include <optional>
#include <vector>

#include "batchscope/common/charts.h"
#include "chart/plot_view.h"

class QLabel;

namespace batchscope::desktop {

class LegendButton;

class ChartCard : public QFrame {
  Q_OBJECT
 public:
  ChartCard(const common::ChartSpec& spec, ViewState* state, QWidget* parent = nullptr);

  PlotView* plot() const { return plot_; }
  void setCompared(const std::vector<SceneRun>& runs, GroupBands bands);
  void setArrangeable();
  // Returns, by line, whether the legend hides it.
  const std::vector<bool>& hidden() const { return plot_->hidden(); }
  void setHidden(const std::vector<bool>& hidden);

 Q_SIGNALS:
  void hiddenChanged();
  void dragged(const QPoint& global);  // by its head, to here
  void dropped();
  void opened();  // by a double click on its head
  void menuRequested(const QPoint& global);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  PlotView* plot_;
  QLabel* title_;
  std::optional<QPoint> pressed_;  // on the head
  bool isArrangeable_ = false, isDragged_ = false;
  std::vector<LegendButton*> legend_;  // of each line, where there are several
};

}  // namespace batchscope::desktop
