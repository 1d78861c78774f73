// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window, composed: runs left, the instrument in the middle, control right. Each part owns what it shows
// and does; here they are wired together, and every action gets its place in a menu and a key.
#pragma once

#include <QMainWindow>
#include <vector>

#include "window/page_bar.h"

namespace batchscope::desktop {

class CatalogueWatcher;
class CheckpointsPanel;
class CompareMenu;
class ComparedSeries;
class Comparison;
class ComparisonBar;
class ComparisonPanel;
class ControlPanel;
class Dashboard;
class ExplorerPanel;
class HeaderBar;
class Instrument;
class LessonPanel;
class LogPanel;
class Pages;
class QueuePage;
class QueueSession;
class ReplayBar;
class RunActions;
class RunChoice;
class RunEdits;
class RunListPanel;
class RunModel;
class RunSession;
class RunStarter;
class RunTablePage;
class ScalingPage;
class SharingPanel;
class SilentPage;
class StatusLine;
class SweepPage;
class SweepSession;
class Toasts;
class ViewState;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  // `remembers`: size, docks and theme are taken from the last time and kept for the next.
  explicit MainWindow(CatalogueWatcher* watcher, bool remembers = true, QWidget* parent = nullptr);
  ~MainWindow() override;

  // Shows a run; an empty id: the newest active one, else the one of last time, else the newest.
  void openRun(const std::string& id);
  // Starts the demo, its program with these arguments, or shows the one that is running.
  void startDemo(const QStringList& arguments = {});
  // Takes in exported runs and shows the last of them.
  void importRuns(const QStringList& files);

  // The goodput explorer in place of the dashboard, or the dashboard again.
  void showExplorer(bool isShown);
  // Why it scaled in place of the dashboard, or the dashboard again.
  void showScaling(bool isShown);
  // Shows a page. Where fewer than two runs are compared, the table takes the place of Page::Compare, with a
  // notice that says how to compare.
  void showPage(Page page);
  Page page() const { return page_; }
  // The page before this one; behind all of them the run's.
  void goBack();
  // How a program is made elastic.
  void showGuide();

  RunSession* session() const { return session_; }
  ViewState* view() const { return view_; }
  Comparison* comparison() const { return comparison_; }
  Dashboard* dashboard() const { return dashboard_; }
  ControlPanel* control() const { return control_; }
  ExplorerPanel* explorer() const { return explorer_; }
  ScalingPage* scaling() const { return scaling_; }
  SharingPanel* sharing() const { return sharing_; }
  LessonPanel* lessons() const { return lessons_; }
  QueuePage* queue() const { return queue_; }
  SweepPage* sweeps() const { return sweeps_; }

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void connectSession();
  void connectRuns();
  void connectQueue();
  void connectSweeps();
  void connectControl();
  void connectComparison();
  void connectLessons();
  void buildMenus();
  void needsRun(QAction* action);
  void tellsWithoutRun(QAction* action);
  void fillRunMenu(QMenu* menu);
  void fillPanelsMenu(QMenu* menu);
  void fillLearnMenu(QMenu* menu);
  void fillHelpMenu(QMenu* menu);
  void restore();
  void setPage(Page page);
  void showInstrument();
  bool isComparing() const;
  void updateRunPages();
  void updateStatus();
  void raisePanel(const QString& name);

  CatalogueWatcher* watcher_;
  bool remembers_;
  ViewState* view_;
  RunSession* session_;
  QueueSession* queueSession_;
  SweepSession* sweepSession_;
  RunStarter* starter_;
  Comparison* comparison_;
  ComparedSeries* compared_;
  RunModel* runs_;
  RunEdits* edits_;
  RunActions* actions_;
  RunListPanel* list_;
  LessonPanel* lessons_;
  RunTablePage* table_;
  QueuePage* queue_;
  SweepPage* sweeps_;
  HeaderBar* header_;
  Dashboard* dashboard_;
  ControlPanel* control_;
  ExplorerPanel* explorer_;
  ReplayBar* replay_;
  ScalingPage* scaling_;
  SharingPanel* sharing_;
  CheckpointsPanel* checkpoints_;
  ComparisonPanel* values_;
  SilentPage* silent_;
  LogPanel* log_;
  Instrument* instrument_;
  StatusLine* status_;
  Toasts* toasts_;
  QAction *tableAction_, *queueAction_, *sweepAction_;
  CompareMenu* compare_;
  ComparisonBar* legend_;
  Pages* pages_;
  PageBar* bar_;
  RunChoice* choice_;
  Page page_ = Page::Run;
  std::vector<Page> left_;  // those before this one, each once
  bool hasRun_ = false;
};

}  // namespace batchscope::desktop
