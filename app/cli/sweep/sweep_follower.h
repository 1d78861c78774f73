// SPDX-License-Identifier: Apache-2.0
//
// Watches a sweep until it is over, paused or left alone: feeds a display, and acts on Ctrl-C and SIGTERM. It
// reads everything from the catalogue.
#pragma once

#include <QEventLoop>
#include <QObject>
#include <QTimer>
#include <exception>
#include <set>
#include <string>

#include "batchscope/sweep/sweeps.h"
#include "sweep/sweep_display.h"
#include "terminal/interrupts.h"

namespace batchscope::cli {

// How the watching ended.
struct SweepEnd {
  sweep::SweepView view;     // as it is now
  bool left = false;         // while it went on
  bool interrupted = false;  // stopped by our Ctrl-C
  bool neglected = false;    // it is running, and no process drives it
};

class SweepFollower : public QObject {
  Q_OBJECT

 public:
  // Effect of the first Ctrl-C: stop the sweep, or leave it alone.
  enum class Interrupt { stops, leaves };

  // The catalogue, the display and the interrupts must outlive it.
  SweepFollower(storage::Catalogue& catalogue, std::string name, Interrupt interrupt, SweepDisplay& display,
                Interrupts& interrupts);

  // Runs an event loop until there is an end. Throws Error, for example if the sweep is removed meanwhile.
  SweepEnd follow();

 private:
  void tick();
  void look();
  void tellNews();
  bool isOver();
  bool isTraining();
  void interrupt();

  storage::Catalogue& catalogue_;
  std::string name_;
  Interrupt interrupt_;
  SweepDisplay& display_;
  QTimer ticks_;
  QEventLoop loop_;
  std::exception_ptr fault_;    // an exception must not cross the event loop
  std::set<std::size_t> told_;  // trials that failed or diverged
  double driven_ = 0;           // when it was seen to be driven last
  SweepEnd end_;
};

}  // namespace batchscope::cli
