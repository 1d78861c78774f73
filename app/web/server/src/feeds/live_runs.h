// SPDX-License-Identifier: Apache-2.0
//
// Statuses from the supervisors of runs: one connection for each run, however many pages look at it, kept for
// as long as anybody asks.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/run/client.h"

namespace batchscope::web {

class LiveRun {
 public:
  explicit LiveRun(const std::string& id);

  // The newest status, as PROTOCOL.md has it, with `shown` (common/shown_json.h); null while no supervisor
  // answers.
  const protocol::Json& status() const { return status_; }
  run::ControlClient& client() { return client_; }

  // Called after every change of the status. Empty: nobody wants to know.
  std::function<void()> on_status;

 private:
  run::ControlClient client_;
  protocol::Json status_;
  int present_ = 0;  // replicas, or those before the restart that is under way; 0: not known
};

class LiveRuns {
 public:
  LiveRuns();

  // The same one for as long as anybody keeps it.
  std::shared_ptr<LiveRun> of(const std::string& id);

  using Statuses = std::map<std::string, protocol::Json>;  // by id; none of those that do not answer
  // Calls `done` when each has answered, or after a moment.
  void ask(const std::vector<std::string>& ids, std::function<void(const Statuses&)> done);

 private:
  struct Kept {
    std::shared_ptr<LiveRun> run;
    QElapsedTimer used;
  };
  void forget();  // those that nobody has asked for lately

  QTimer timer_;
  QObject context_;  // of what waits
  std::map<std::string, Kept> kept_;
};

}  // namespace batchscope::web
