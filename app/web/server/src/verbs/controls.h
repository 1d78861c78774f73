// SPDX-License-Identifier: Apache-2.0
//
// The commands of a page to a run: to its supervisor, or to the machine on which it trains where it is only
// followed here, or to start it again; and the commands to the queue. Each waits for its answer on a thread
// of its own.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <filesystem>
#include <functional>
#include <string>

#include "batchscope/http/request.h"
#include "batchscope/http/response.h"
#include "batchscope/http/server.h"
#include "store/store.h"
#include "verbs/lesson_runs.h"
#include "verbs/sweep_removal.h"

namespace batchscope::web {

class Controls {
 public:
  // `program`: `batchscope` (ServerOptions).
  explicit Controls(const std::filesystem::path& program);
  // Waits for what has been asked.
  ~Controls();

  // {"command":"rescale","replicas":3} and the like (API.md). Answers {"result":..}. The run's events name a
  // `person` other than the owner who asks.
  void answer(const std::string& run, const std::string& person, const http::Request& request,
              const http::Reply& reply);
  // {"command":"hold"} and the like, of a job of the queue (queue_verbs.h). Who has asked stands there, too.
  void answer_job(const std::string& run, const std::string& person, const http::Request& request,
                  const http::Reply& reply);
  // {"set":{"name":..}} of a run's fields, and {"removed":true} (run_edits.h).
  void answer_edit(const std::string& run, const std::string& person, const http::Request& request,
                   const http::Reply& reply);
  void answer_trash(const std::string& run, const std::string& person, const http::Request& request,
                    const http::Reply& reply);
  // {"checkpoint":..,"replicas":2}: a new run that begins there (forks.h).
  void answer_fork(const std::string& run, const std::string& person, const http::Request& request,
                   const http::Reply& reply);
  // {"recipe":"digits"} and the like: a new run in the queue, or started at once (new_run.h).
  void answer_new_run(const std::string& person, bool at_once, const http::Request& request,
                      const http::Reply& reply);
  // {"recipe":"digits","search":{..}} and the like: a new sweep (new_sweep.h).
  void answer_new_sweep(const std::string& person, const http::Request& request, const http::Reply& reply);
  // {"command":"pause"} and the like, of a sweep (sweep_verbs.h, sweep_removal.h).
  void answer_sweep(const std::string& sweep, const std::string& person, const http::Request& request,
                    const http::Reply& reply);
  // Takes in the recorded runs of a lesson (lesson_runs.h).
  void answer_lesson(const std::string& lesson, const http::Reply& reply);
  // {"policy":"fast"} and the like, of the pool.
  void answer_pool(const http::Request& request, const http::Reply& reply);

 private:
  // Replies with what `act` makes of the store, on another thread.
  void start(const http::Reply& reply, std::function<http::Response(Store&)> act);

  const QString program_;
  RemovedSweeps removed_;
  LessonRuns lessons_;
  QObject home_;
  QThreadPool threads_;
};

}  // namespace batchscope::web
