// SPDX-License-Identifier: GPL-3.0-or-later
//
// The charts of one run as a list of cards that a person arranges: in as many columns as the width has room
// for, as high as there is room, and scrolled where there are more than can be read at once. Charts can be
// shown, hidden and moved, and one of them can fill the dashboard. What the open run records by names of its
// own joins the list.
#pragma once

#include <QScrollArea>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "chart/chart_card.h"
#include "chart/chart_layout.h"
#include "chart/view_state.h"

class QMenu;
class QSettings;
class QToolButton;

namespace batchscope::desktop {

class Dashboard : public QScrollArea {
  Q_OBJECT
 public:
  explicit Dashboard(ViewState* state, QWidget* parent = nullptr);

  void setModel(SeriesModel* model);
  // Runs that are compared, the open one first; none: it is alone.
  void setCompared(const std::vector<SceneRun>& runs, GroupBands bands);
  // New samples are in the model.
  void refresh();

  // Returns the shown cards, in their order.
  const std::vector<ChartCard*>& cards() const { return cards_; }
  std::set<std::string> series() const;
  // Another card that shows the same; the lines that its legend hides are those of the card. The caller's.
  ChartCard* copyOf(ChartCard* card) const;
  // All cards as one widget, whatever is scrolled out of sight: for pictures.
  QWidget* sheet() const { return widget(); }
  const ChartLayout& layout() const { return layout_; }

  void setShown(const std::string& chart, bool isShown);
  // Past its neighbour; `by` is 1 or -1.
  void moveCard(ChartCard* card, int by);
  // Fills the dashboard with one chart; null: all again.
  void enlarge(ChartCard* card);
  ChartCard* enlarged() const { return enlarged_; }
  // Returns the card that keys and menus mean: the one with the focus, else the one under the mouse, else the
  // first.
  ChartCard* current() const;
  // Gives the focus to a neighbour of the current one.
  void focusNeighbour(int by);
  // The first that draws the series, scrolled into sight; null: none does.
  ChartCard* reveal(const std::string& series);

  void restoreDefaultLayout();
  void save(QSettings& settings) const { layout_.save(settings); }
  void restore(const QSettings& settings);

 Q_SIGNALS:
  void chartsChanged();  // others are shown, or in another order
  void modelChanged();
  void comparedChanged();
  void enlargedChanged();
  // A menu for the chart is about to be shown: what can be done with it goes in.
  void menuRequested(QMenu* menu, ChartCard* card);
  // All charts there are to choose from, here.
  void choiceRequested(const QPoint& global);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  std::set<std::string> wanted() const;
  void updateAvailable();
  void updateCards(bool isBeingDragged = false);
  ChartCard* cardOf(const common::ChartSpec& spec) const;
  ChartCard* makeCard(const common::ChartSpec& spec);
  void layOut();
  QWidget* makeOffer();
  void drag(ChartCard* card, const QPoint& global);

  ViewState* state_;
  SeriesModel* model_ = nullptr;
  ChartLayout layout_;
  std::vector<std::string> recorded_;
  std::map<std::string, ChartCard*> made_;  // by name
  std::vector<ChartCard*> cards_;
  ChartCard* enlarged_ = nullptr;
  std::vector<SceneRun> runs_;
  GroupBands bands_ = GroupBands::None;
  bool isMoved_ = false;  // a card, by a drag that goes on
  QToolButton* more_;
  QWidget* offer_;  // where all charts are hidden
};

}  // namespace batchscope::desktop
