// SPDX-License-Identifier: Apache-2.0
//
// The pool's lines to the supervisors of the runs that take part. One that does not answer holds nobody up:
// it is busy until it has.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "batchscope/protocol/control.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/run/client.h"
#include "world.h"

namespace batchscope::pool {

class Supervisors {
 public:
  // `clock`: s, monotonic.
  explicit Supervisors(std::function<double()> clock = protocol::monotonic_seconds)
      : clock_(std::move(clock)) {}

  // Something has changed that the pool should look at.
  std::function<void()> on_news;

  // Keeps lines to these runs, and to no others.
  void follow(const std::set<std::string>& runs);
  Contact contact(const std::string& run) const;

  // One request at a time to a run. `refused` is called where it is turned down; else the run counts as busy
  // until its state or its devices have changed, or two seconds have passed.
  void send(const std::string& run, protocol::Request request,
            std::function<void(const std::string& why)> refused);
  // A supervisor was started for it: it counts as busy until it answers, or ten seconds have passed.
  void expect(const std::string& run);
  bool expected(const std::string& run) const;
  // It did not come up.
  void give_up(const std::string& run);

 private:
  struct Line {
    std::unique_ptr<run::ControlClient> client;
    std::optional<protocol::RunStatus> status;
    double asked = 0;       // monotonic, when; 0: all was answered
    double busy_until = 0;  // monotonic
    bool starting = false;  // a supervisor is to come up
  };

  void connect(const std::string& run, Line& line);

  const std::function<double()> clock_;
  std::map<std::string, Line> lines_;
};

}  // namespace batchscope::pool
