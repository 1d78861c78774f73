// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dashboard, or in its place the goodput explorer, why it scaled, a lesson's experiment, or the page of a
// program that reports nothing; and the docks below it, one panel each, behind tabs.
#pragma once

#include <QMainWindow>
#include <vector>

class QAction;
class QDockWidget;
class QSettings;
class QStackedWidget;

namespace batchscope::desktop {

class Instrument : public QMainWindow {
  Q_OBJECT
 public:
  struct Panel {
    const char* name;  // of its dock
    QString title;     // on its tab
    QWidget* widget;
  };
  Instrument(QWidget* dashboard, QWidget* explorer, QWidget* scaling, QWidget* sharing, QWidget* silent,
             const std::vector<Panel>& panels, QWidget* parent);

  const std::vector<QDockWidget*>& docks() const { return docks_; }  // in the order of their tabs
  // One of them at a time, whichever was asked for last; a lesson's is over both.
  void showExplorer(bool isShown);
  void showScaling(bool isShown);
  void showSharing(bool isShown);
  void showSilent(bool isShown);
  void raisePanel(const QString& name);
  // Shows and hides the docks, all at once; checked while one is there.
  QAction* panelsAction() const { return panels_; }
  void restoreDefaultLayout();

  // The docks, for the next time.
  void save(QSettings& settings) const;
  void restore(const QSettings& settings);

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QDockWidget* addDock(const Panel& panel);
  void showPage();
  void showPanels(bool areShown);
  void updatePanelsAction();
  void layOutPanels();
  int panelHeight() const;

  QStackedWidget* charts_;
  std::vector<QDockWidget*> docks_, hidden_;  // those that come back
  QAction* panels_;
  QByteArray defaultDocks_;
  bool isExplorer_ = false, isScaling_ = false, isSharing_ = false, isSilent_ = false;
  int panelHeight_ = 0;     // to which the docks with their tabs were dragged; 0: they were not
  bool hasLayout_ = false;  // as the person left it
};

}  // namespace batchscope::desktop
