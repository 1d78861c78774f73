// SPDX-License-Identifier: GPL-3.0-or-later
//
// Puts the parts together: runs left, instrument in the middle with the docks below it, control right. What
// each part shows is its own business.
#pragma once

#include <QMainWindow>
#include <QTimer>
#include <vector>

#include "batchscope/protocol/run_spec.h"

class QAction;
class QActionGroup;
class QDockWidget;
class QLabel;
class QMenu;
class QStackedWidget;
class QVBoxLayout;

namespace batchscope::desktop {

class CatalogueWatcher;
class ComparedSeries;
class Comparison;
class ControlPanel;
class Dashboard;
class ExplorerPanel;
class HeaderBar;
class Launcher;
class LessonPanel;
class RunListPanel;
class RunModel;
class RunSession;
class RunTablePage;
class ViewState;
struct Launch;

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

  // Takes in an exported run and shows it.
  void importRun(const QString& file);

  RunSession* session() const { return session_; }
  Dashboard* dashboard() const { return dashboard_; }
  ControlPanel* control() const { return control_; }
  ExplorerPanel* explorer() const { return explorer_; }
  // The goodput explorer in place of the dashboard, or the dashboard again.
  void showExplorer(bool isShown);
  // The table of all runs in place of the run, or the run again.
  void showTable(bool isShown);
  Comparison* comparison() const { return comparison_; }
  ViewState* view() const { return view_; }
  // The lessons, in place of the runs.
  LessonPanel* lessons() const { return lessons_; }
  void showLessons(bool isShown);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  void buildCentre();
  void buildDocks();
  void restoreDefaultLayout();
  void buildMenus();
  void buildRunMenu();
  void buildShareMenu();
  void buildViewMenu();
  void buildCompareMenu();
  void addCheckpointActions(QMenu* menu);
  void raiseDock(const char* name);
  void buildLessons();
  void buildLearnMenu();
  void buildHelpMenu();
  void buildStatusBar();
  void runsChanged();
  void sessionOpened();
  void updateStatusBar();
  void newRun();
  void launchLesson(const Launch& launch);
  void moveCursor(int steps);
  void zoom(double factor);
  void pan(double fraction);
  void say(const QString& message);

  CatalogueWatcher* watcher_;
  bool remembers_;
  ViewState* view_;
  RunSession* session_;
  Launcher* launcher_;
  Comparison* comparison_;
  ComparedSeries* compared_;
  RunModel* runs_;
  RunListPanel* list_;
  LessonPanel* lessons_;
  RunTablePage* table_;
  HeaderBar* header_;
  Dashboard* dashboard_;
  ControlPanel* control_;
  ExplorerPanel* explorer_;
  QStackedWidget* instruments_;  // dashboard, explorer
  QMainWindow* inner_;
  QVBoxLayout* runColumn_ = nullptr;  // header, comparison, instrument with docks
  std::vector<QDockWidget*> docks_;   // in the order of their tabs
  QStackedWidget* pages_;             // empty, run
  QStackedWidget* faces_;             // list, page and control; table of runs
  QAction* tableAction_;
  QLabel* machine_;
  QLabel* store_;
  QLabel* recording_;
  QLabel* message_;
  QByteArray defaultDocks_;
  QTimer storeTimer_, messageTimer_;
  std::string lastRun_;       // shown when the window was closed the last time
  bool listIsDrawn_ = false;  // no run is opened, and no series read, before its list is seen
  bool wantsNewest_ = true;
  bool hasLayout_ = false;  // as the person left it
};

}  // namespace batchscope::desktop
