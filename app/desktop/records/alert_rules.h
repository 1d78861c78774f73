// SPDX-License-Identifier: GPL-3.0-or-later
//
// Alerts for a person who looks elsewhere: a loss that is not finite, a run that makes no progress, a restart
// that takes long, a run that failed or finished. Plain rules over the runs in the catalogue; each alert is
// raised once until its cause is gone. Runs that were over at the first look raise none.
#pragma once

#include <QString>
#include <map>
#include <string>
#include <vector>

#include "batchscope/storage/catalogue.h"

namespace batchscope::desktop {

struct Alert {
  enum class Kind { NotFinite, Stalled, LongPause, Failed, Finished };
  Kind kind;
  std::string run;  // id
  QString title, text;
  bool isUrgent() const { return kind != Kind::Finished; }
};

class AlertRules {
 public:
  static constexpr double kStall = 120;     // s without a step
  static constexpr double kLongPause = 30;  // s of a restart

  // Takes the runs as they are at `now`, in seconds on any clock that only grows, and returns the new alerts.
  std::vector<Alert> observe(const std::vector<storage::Run>& runs, double now);

 private:
  struct Watched {
    storage::RunState state;
    std::int64_t step;
    double since;  // when state or step changed
    bool saidNotFinite = false, saidStalled = false, saidLongPause = false;
  };

  std::map<std::string, Watched> watched_;
};

}  // namespace batchscope::desktop
