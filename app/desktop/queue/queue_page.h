// SPDX-License-Identifier: GPL-3.0-or-later
//
// The queue of the pool in place of the charts: which run has which devices and which waits, in an order that
// a person changes by dragging; the time line of the devices; and the pool's decisions with their reasons.
#pragma once

#include <QWidget>
#include <string>
#include <utility>
#include <vector>

class QLabel;
class QTableView;
class QToolButton;

namespace batchscope::desktop {

class Comparison;
class DecisionsPanel;
class DeviceTimeline;
class PlainTable;
class PoolBar;
class QueueModel;
class QueueSession;
class TotalsBar;

class QueuePage : public QWidget {
  Q_OBJECT
 public:
  // `comparison` has the colours of runs that are compared.
  QueuePage(QueueSession* session, Comparison* comparison, QWidget* parent = nullptr);

  QTableView* table() const;
  // Returns the least height, so that the page is scrolled only where it cannot shrink. A scroll area asks
  // for it because a label wraps.
  int heightForWidth(int width) const override;
  DeviceTimeline* timeline() const { return timeline_; }
  // Makes the run the current one, where it is in the table.
  void select(const std::string& id);

 Q_SIGNALS:
  void runOpened(const QString& id);
  void newRunRequested();
  void said(const QString& message);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  // Priorities as they were before a move, to take it back.
  using Priorities = std::vector<std::pair<std::string, int>>;

  QWidget* buildQueue();
  QWidget* buildTimeline();
  void takeSnapshot();
  void recolour();
  std::vector<std::string> selectedIds(bool alsoEnded = false) const;
  void updateActions();
  bool pressKey(int key, Qt::KeyboardModifiers modifiers, bool isRepeated);
  void showContextMenu(const QPoint& place);
  void move(int rows);                                       // the selected ones, up or down
  void place(const std::vector<std::string>& ids, int row);  // before the one that is there
  void prioritise(const Priorities& priorities);
  void undo();
  void holdOrRelease();
  void confirmCancel();
  void openCurrent();

  QueueSession* session_;
  Comparison* comparison_;
  QueueModel* model_;
  PlainTable* table_;
  PoolBar* pool_;
  QLabel* hang_;  // what to do about a pool that hangs
  TotalsBar* totals_;
  DeviceTimeline* timeline_;
  DecisionsPanel* decisions_;
  QToolButton *up_, *down_, *hold_, *cancel_, *open_, *undo_, *now_;
  std::vector<Priorities> moves_;
};

}  // namespace batchscope::desktop
