// SPDX-License-Identifier: GPL-3.0-or-later
//
// The choice of the open run: the one that is asked for, else the newest active one, else the one of last
// time, else the newest. The list of runs follows the catalogue. It is drawn before a run is opened and its
// series are read.
#pragma once

#include <QObject>
#include <string>

class QSettings;
class QWidget;

namespace batchscope::desktop {

class CatalogueWatcher;
class Comparison;
class RunListPanel;
class RunModel;
class RunSession;

class RunChoice : public QObject {
  Q_OBJECT
 public:
  struct Parts {
    CatalogueWatcher* watcher;
    RunSession* session;
    Comparison* comparison;
    RunModel* runs;
    RunListPanel* list;
    QWidget* page;  // the run's own: where the window is narrow there may be no list beside it
  };
  explicit RunChoice(const Parts& parts, QObject* parent = nullptr);

  void open(const QString& id);  // empty: as above
  void refresh();                // the catalogue has changed

  // The open run, for the next time.
  void save(QSettings& settings) const;
  void restore(const QSettings& settings);

 Q_SIGNALS:
  void chosen(bool hasRun);  // one is open, or about to be

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void takeStatus();
  void followDeletion();

  Parts parts_;
  QString lastRun_;
  std::string opened_, gone_;  // the run that is open; the one that was deleted while it was
  bool isDrawn_ = false;
  bool wantsAny_ = true;  // none has been opened yet
};

}  // namespace batchscope::desktop
