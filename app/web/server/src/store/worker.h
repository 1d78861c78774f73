// SPDX-License-Identifier: Apache-2.0
//
// A thread that reads the store, one job after another, so that the event loop never waits for a disk.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <functional>

#include "store/store.h"

namespace batchscope::web {

class Worker {
 public:
  // The part of a job that is left to the thread that made the worker.
  using Rest = std::function<void()>;
  using Job = std::function<Rest(Store& store)>;

  Worker();
  // Waits for the job that is under way; the jobs behind it are not begun, and the part of it that is left to
  // the other thread is not done.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Neither the job nor what it leaves may throw.
  void post(Job job);

 private:
  Store store_;  // of the thread alone
  QObject home_;
  QThreadPool thread_;
};

}  // namespace batchscope::web
