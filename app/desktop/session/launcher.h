// SPDX-License-Identifier: GPL-3.0-or-later
//
// Starts, resumes and forks runs, and imports those of lessons, without blocking the window. Starts, resumes
// and forks wait for a supervisor to answer, up to ten seconds, on a thread of their own with a catalogue
// connection of its own. Destroying it waits for requests under way.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <filesystem>
#include <functional>
#include <string>

#include "batchscope/run/fork.h"
#include "batchscope/storage/catalogue.h"
#include "session/run_command.h"

namespace batchscope::desktop {

class Launcher : public QObject {
  Q_OBJECT
 public:
  explicit Launcher(const std::filesystem::path& catalogue, QObject* parent = nullptr);

  // Starts a run now, or adds it to the queue of the pool.
  void start(const NewRun& run);
  void resume(const std::string& id, int replicas);
  void fork(const std::string& id, const run::ForkOptions& options);
  // Imports a recorded run that is compiled in.
  void importRecorded(const QString& file);

 Q_SIGNALS:
  void launched(const QString& id);
  void failed(const QString& message);

 private:
  void work(std::function<std::string(storage::Catalogue&)> job);

  std::filesystem::path catalogue_;
  QThreadPool threads_;  // the last member, so that the others outlive its threads
};

}  // namespace batchscope::desktop
