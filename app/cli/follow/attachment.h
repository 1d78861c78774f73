// SPDX-License-Identifier: Apache-2.0
//
// Attaches to a run: follows it until it has ended or is paused, or for --detach until it has begun, feeds a
// view, and turns Ctrl-C, SIGTERM and the time-out into requests to its supervisor. Statuses come over the
// control socket. Events and the end come from the catalogue, so that none is missed or shown twice when the
// connection breaks.
#pragma once

#include <QDeadlineTimer>
#include <QEventLoop>
#include <QObject>
#include <QTimer>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "batchscope/run/client.h"
#include "batchscope/storage/catalogue.h"
#include "follow/replica_output.h"
#include "follow/view.h"
#include "terminal/interrupts.h"

namespace batchscope::cli {

struct AttachOptions {
  // Effect of the first Ctrl-C: ask for a checkpoint and stop, or leave the run alone.
  enum class Interrupt { stops, detaches };

  Interrupt interrupt = Interrupt::stops;
  std::optional<double> timeout;  // s; then the run is stopped as by Ctrl-C
  std::int64_t eventsAfter = 0;   // show events after this id
  OutputPosition outputAfter;     // show output after this position
  bool quiet = false;             // leave out what the program prints
  bool untilBegun = false;        // return as soon as the supervisor has started replicas
};

struct Outcome {
  storage::Run run;  // as it is now
  bool timedOut = false;
  bool detached = false;     // left while it went on
  bool interrupted = false;  // stopped by our Ctrl-C
  bool hasCheckpoint = false;
  std::string silence;  // what the supervisor says of a program that reported no steps
  std::string frames;   // of a program that failed (follow/crash.h), unless its output was shown
};

class Attachment : public QObject {
  Q_OBJECT

 public:
  // The catalogue, the view and the interrupts must outlive it.
  Attachment(storage::Catalogue& catalogue, const std::string& id, const AttachOptions& options, View& view,
             Interrupts& interrupts);

  // Runs an event loop until there is an outcome. Throws Error(not_found) if the run is removed meanwhile,
  // Error(timeout) if untilBegun is set and the run has not begun within half a minute.
  Outcome follow();

 private:
  void tick();
  void leave();
  storage::Run currentRun();
  void showOutput();
  void showRestOfOutput();
  void showNewEvents();
  std::string framesOfFailure();
  void showPlace();
  bool hasEnded();
  bool endsWithoutCheckpoint() const;
  void stopForTime();
  void interrupt();
  void stopRun(const std::string& notice);
  void sendStop();

  storage::Catalogue& catalogue_;
  std::string id_;
  AttachOptions options_;
  View& view_;
  run::ControlClient client_;
  QTimer ticks_;
  QDeadlineTimer deadline_{QDeadlineTimer::Forever};  // a timer's milliseconds end after 24 days
  QEventLoop loop_;
  std::exception_ptr fault_;                   // an exception must not cross the event loop
  std::optional<protocol::RunStatus> status_;  // the newest
  bool statusIsNew_ = false;
  std::optional<ReplicaOutput> output_;  // none: it is not shown
  std::string place_;                    // in the queue of the pool, as it was last told
  bool stopAsked_ = false;
  bool stopSent_ = false;
  Outcome outcome_;
};

}  // namespace batchscope::cli
