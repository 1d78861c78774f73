// SPDX-License-Identifier: Apache-2.0
/// \file
/// The client's side of a run's control socket, and starting a run's supervisor. The command line and the
/// window use nothing else to drive a run.
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "batchscope/protocol/control.h"
#include "batchscope/protocol/process_id.h"
#include "batchscope/protocol/run_spec.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::run {

/// Makes the run in the catalogue with its directories and starts its supervisor, detached in a session of
/// its own. Blocks until the supervisor answers on its control socket, 10 s at most. Returns the run's id.
/// Throws Error(not_found) where the program does not exist, Error(usage) for a spec that makes no sense,
/// Error(timeout) with the supervisor's log where it does not come up.
std::string start_run(storage::Catalogue& catalogue, const protocol::RunSpec& spec);

/// Checks a spec as start_run does, except for free devices. Throws as start_run.
void check_spec(const protocol::RunSpec& spec);
/// Checks the same, and that enough devices are free now. Throws Error(conflict) where they are too few.
void check_start(storage::Catalogue& catalogue, const protocol::RunSpec& spec);

/// Starts a supervisor for a run that has none; it resumes from the newest good checkpoint, on `replicas`
/// replicas. 0: as many as before, or one for each of the `devices` (protocol/devices.h), which are then its
/// only ones. Blocks as start_run. A run of the queue goes back into the queue and asks for `replicas`
/// replicas; this blocks on nobody, and the pool starts the run when it has devices. Throws Error(conflict)
/// where the run is finished or active, the devices are not to be had, or are named for a run of the queue,
/// and Error(conflict | not_found) where somebody removes it meanwhile.
void resume_run(storage::Catalogue& catalogue, const std::string& id, int replicas = 0,
                const std::vector<std::string>& devices = {});

/// Starts a supervisor without waiting for it, also for a run that never had one: on these replicas and
/// devices, or as the run's spec says where they are 0 and none. The catalogue and the run's supervisor.log
/// tell whether it came up. Returns its process. Throws Error(not_found | io) where the process cannot be
/// started.
protocol::ProcessId spawn_supervisor(const std::string& id, int replicas,
                                     const std::vector<std::string>& devices);

/// Returns the last line of the log of a supervisor that ended before it took its run; empty: there is none.
std::string supervisor_last_words(const std::string& id);

/// Takes an exported run into the catalogue by `batchscope import`, and returns its id here. Blocks until the
/// run is there, about a second for 100 MB. Throws Error(not_found) where the program is missing, Error(io)
/// with its message where it refuses the file.
std::string import_run(const std::filesystem::path& file);

/// Sends a request and returns the result of the reply, for commands. Blocks. Throws Error(not_found) where
/// the run has no supervisor, Error(io) where it has one that does not listen, Error(timeout), or the error
/// of the reply.
protocol::Json request(const std::string& id, const protocol::Request& request, int timeout_ms = 5000);

/// Returns whether a process listens at the run's control socket: its supervisor, also one that hangs, and
/// also the supervisor of a run that only another store lists. Never blocks. Throws Error(usage) for an id
/// that is not one.
bool is_supervised(const std::string& id);

/// The event-driven connection of a window or a progress bar; reconnects while the run is active.
class ControlClient : public QObject {
  Q_OBJECT
 public:
  /// Connects as soon as the event loop runs; needs a QCoreApplication. Never blocks.
  explicit ControlClient(const std::string& id, QObject* parent = nullptr);
  ~ControlClient() override;

  const std::string& run() const { return id_; }  ///< id of the run
  bool connected() const;                         ///< to the run's supervisor, now

  /// Gets the result or the error (one of the two is set), on the event loop's thread.
  using Reply = std::function<void(const protocol::Json* result, const Error* error)>;
  /// Sends a request, without blocking. While nothing is connected the reply is at once an error, as
  /// request() throws it.
  void send(protocol::Request request, Reply done = {});

 Q_SIGNALS:
  void statusChanged(const batchscope::protocol::RunStatus& status);  ///< at most 10 a second
  void eventAdded(const QString& level, const QString& text);         ///< a notice of PROTOCOL.md
  void connectedChanged(bool connected);                              ///< the supervisor came or went

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::string id_;
};

}  // namespace batchscope::run
