// SPDX-License-Identifier: GPL-3.0-or-later
//
// The charts of one run as a list of cards that a person arranges: in as many columns as fit the width, as
// high as there is room, and scrolled where not all can be read at once. Charts can be shown, hidden and
// moved, and one of them can fill the dashboard. Series that the open run names itself join the list.
#pragma once

#include <QScrollArea>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "chart/chart_card.h"
#include "chart/chart_layout.h"
#include "series/view_state.h"

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
  // Draws the new samples of the model.
  void refresh();

  // Returns the shown cards, in their order.
  const std::vector<ChartCard*>& cards() const { return cards_; }
  std::set<std::string> series() const;
  // Returns a copy of the card, with the same lines hidden; the caller owns it.
  ChartCard* copyOf(ChartCard* card) const;
  // Returns all cards as one widget, those out of sight too: for pictures.
  QWidget* sheet() const { return widget(); }
  const ChartLayout& layout() const { return layout_; }

  void setShown(const std::string& chart, bool isShown);
  // Moves the card past its neighbour; `by` is 1 or -1.
  void moveCard(ChartCard* card, int by);
  // Fills the dashboard with one chart; null: all again.
  void enlarge(ChartCard* card);
  ChartCard* enlarged() const { return enlarged_; }
  // Returns the card that keys and menus mean: the one with the focus, else the one under the mouse, else the
  // first.
  ChartCard* current() const;
  // Gives the focus to a neighbour of the current one.
  void focusNeighbour(int by);
  // Scrolls the first card that draws the series into sight and returns it; null: none does.
  ChartCard* reveal(const std::string& series);

  void restoreDefaultLayout();
  void save(QSettings& settings) const { layout_.save(settings); }
  void restore(const QSettings& settings);

 Q_SIGNALS:
  void chartsChanged();  // others are shown, or in another order
  void modelChanged();
  void comparedChanged();
  void enlargedChanged();
  // Emitted before the menu of a chart is shown, to add actions to it.
  void menuRequested(QMenu* menu, ChartCard* card);
  // Emitted to ask for the menu of all charts, here.
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
