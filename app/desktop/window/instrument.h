// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dashboard, or the goodput explorer, why it scaled, or what a lesson shows in its place, with the docks below it: one
// panel each, behind tabs.
#pragma once

#include <QMainWindow>
#include <vector>

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
  Instrument(QWidget* dashboard, QWidget* explorer, QWidget* scaling, QWidget* sharing,
             const std::vector<Panel>& panels, QWidget* parent);

  const std::vector<QDockWidget*>& docks() const { return docks_; }  // in the order of their tabs
  // One of them at a time, whichever was asked for last; a lesson's is over both.
  void showExplorer(bool isShown);
  void showScaling(bool isShown);
  void showSharing(bool isShown);
  void raisePanel(const QString& name);
  void restoreDefaultLayout();

  // The docks, for the next time.
  void save(QSettings& settings) const;
  void restore(const QSettings& settings);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QDockWidget* addDock(const Panel& panel);
  void showPage();

  QStackedWidget* charts_;
  std::vector<QDockWidget*> docks_;
  QByteArray defaultDocks_;
  bool isExplorer_ = false, isScaling_ = false, isSharing_ = false;
  bool hasLayout_ = false;  // as the person left it
};

}  // namespace batchscope::desktop
