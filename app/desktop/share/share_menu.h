// SPDX-License-Identifier: GPL-3.0-or-later
//
// The Share menu, and each chart's own: any chart or the whole dashboard as a picture, the numbers behind
// them, and a report of the run. It asks for the file's name and reports the result. It saves what was shown
// when a person asked for it, even if another run is open by the time that the file has a name.
#pragma once

#include <QMenu>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace batchscope::desktop {

class ChartCard;
class Dashboard;
class FigureCard;
class RunSession;

class ShareMenu : public QMenu {
  Q_OBJECT
 public:
  ShareMenu(RunSession* session, Dashboard* dashboard, QWidget* parent);

  // Adds the figures of why it scaled, to be saved alone and with the report; `draw` is called before, since
  // they may not have been shown yet.
  void addFigures(const std::vector<FigureCard*>& figures, std::function<void()> draw);

 Q_SIGNALS:
  void said(const QString& message);  // saved, or why not

 private:
  void fill(QMenu* menu, void (ShareMenu::*save)(ChartCard*));
  void savePictureOf(ChartCard* card);
  void saveDataOf(ChartCard* card);
  void savePicture(const QString& title, QWidget* widget, const QString& what);
  void saveData(const std::set<std::string>& series, const QString& what);
  void savePictureOfFigure(FigureCard* card);
  void saveDataOfFigure(FigureCard* card);
  void saveReport();
  // Opens a file dialog without blocking; `save` writes and may throw Error.
  void ask(const QString& title, const QString& what, const QStringList& filters,
           std::function<void(const QString&)> save);

  RunSession* session_;
  Dashboard* dashboard_;
  std::vector<FigureCard*> figures_;
  std::function<void()> drawFigures_ = [] {};
};

}  // namespace batchscope::desktop
