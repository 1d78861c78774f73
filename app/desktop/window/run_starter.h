// SPDX-License-Identifier: GPL-3.0-or-later
//
// Starts what a person asks for in the window: a run of a recipe, the demo, a lesson's experiment; resumes,
// forks and imports runs. It reports what is under way and what goes wrong.
#pragma once

#include <QObject>
#include <QStringList>

namespace batchscope::common {
struct Launch;
}
namespace batchscope::storage {
struct Checkpoint;
}

namespace batchscope::desktop {

class CatalogueWatcher;
class Importer;
class Launcher;
class NewRunDialog;
class RunSession;
struct NewRun;

class RunStarter : public QObject {
  Q_OBJECT
 public:
  RunStarter(CatalogueWatcher* watcher, RunSession* session, QWidget* window);

  Launcher* launcher() const { return launcher_; }

  // Starts the demo on two replicas, its program with these arguments, or shows the one that is running.
  void startDemo(const QStringList& arguments);
  void startLesson(const common::Launch& launch);
  // Asks which and how; now, or by the queue of the pool.
  void newRun(bool isQueued = false);
  void clone(const QString& id);  // the same, filled in with what this run was started with
  void resume(int replicas);
  void fork(const storage::Checkpoint& checkpoint);  // asks how
  void import(const QStringList& files);
  void chooseImports();  // asks which files

 Q_SIGNALS:
  void said(const QString& message);  // empty: nothing is to be said any more
  void runRequested(const QString& id);

 private:
  template <class Do>
  void attempt(Do act);
  NewRunDialog* newRunDialog();
  void start(const NewRun& run);
  void tellImported(const QStringList& runs, const QStringList& refusals);

  CatalogueWatcher* watcher_;
  RunSession* session_;
  QWidget* window_;
  Launcher* launcher_;
  Importer* importer_;
};

}  // namespace batchscope::desktop
