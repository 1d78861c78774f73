// SPDX-License-Identifier: Apache-2.0
//
// Fits the performance model on a thread of its own. Requests do not queue up: the newest rows replace those
// that still wait.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "batchscope/goodput/fit.h"

namespace batchscope::replica {

class ModelFitter {
 public:
  // Called on the fitter's thread. Returns the model, with what it adds to it.
  using Done = std::function<goodput::PerfParams(goodput::PerfParams)>;

  ModelFitter() = default;
  ~ModelFitter();

  // `rows` is not empty, `done` neither; `guess` is goodput::fit's. Starts the thread at the
  // first call.
  void fit(std::vector<goodput::ProfileRow> rows, const goodput::FirstGuess& guess, Done done);
  void settle();  // waits until all requests are fitted

  std::optional<goodput::PerfParams> model() const;  // the newest; empty: none yet

 private:
  struct Request {
    std::vector<goodput::ProfileRow> rows;
    goodput::FirstGuess guess;
    Done done;
  };
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Request> waiting_;
  bool busy_ = false, stop_ = false;
  std::optional<goodput::PerfParams> model_;
  std::thread thread_;
};

}  // namespace batchscope::replica
