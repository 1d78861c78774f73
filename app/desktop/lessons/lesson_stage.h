// SPDX-License-Identifier: GPL-3.0-or-later
//
// Carries out the directives of a lesson's page in the window. A recorded run is imported into the store
// once, by `batchscope import`, and known by its tag from then on; the rest of the page waits until it is
// open. After the lesson the run that was open before, and its view, come back.
#pragma once

#include <QObject>
#include <QPointer>
#include <QSet>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "lessons/lesson.h"
#include "series/view_state.h"

class QAction;
class QWidget;

namespace batchscope::storage {
struct Run;
}

namespace batchscope::desktop {

class CatalogueWatcher;
class Launcher;
class LessonPanel;
class RunSession;
class SharingPanel;

class LessonStage : public QObject {
  Q_OBJECT
 public:
  struct Parts {
    CatalogueWatcher* watcher;
    RunSession* session;
    ViewState* view;
    Launcher* launcher;
    SharingPanel* sharing;
    const QAction *explorer, *why;  // checked while it is shown
    // Targets that a lesson may point at: charts, by a series of theirs (null: none has it), and other cards
    // by name.
    std::function<QWidget*(const std::string& series)> chartWith;
    std::map<QString, QWidget*> cards = {};
  };
  LessonStage(const Parts& parts, LessonPanel* panel, QObject* parent = nullptr);

 Q_SIGNALS:
  void runRequested(const QString& id);
  void instrumentRequested(batchscope::desktop::ShowInstrument::Page page);
  void replicasChosen(int replicas);
  void sharingRequested(bool isShown);
  void panelRequested(const QString& name);
  void said(const QString& message);

 private:
  void show(const LessonPage& page);
  void goOn();
  void leave();
  void remember();
  void restore();
  void apply(const Directive& directive);
  ShowInstrument::Page shownPage() const;
  void openRecorded(const QString& run);
  void share(const ShareDevices& share);
  const storage::Run* find(const QString& recorded) const;  // null: it has not been taken in
  void highlight(const QString& what);
  QWidget* named(const QString& what) const;

  // The view before the lesson began.
  struct Before {
    std::string run;  // its id; empty: none
    ViewState::Look look;
    ShowInstrument::Page page = ShowInstrument::Page::Charts;
  };

  Parts parts_;
  LessonPanel* panel_;
  std::optional<Before> before_;
  std::deque<Directive> waiting_;
  QString awaited_;          // tag of the run that the page waits for
  QSet<QString> importing_;  // tags of those that are on their way, for this page or one before
  QPointer<QWidget> highlighted_;
};

}  // namespace batchscope::desktop
