// SPDX-License-Identifier: GPL-3.0-or-later
//
// The history of devices, as lanes of bars: a lane a device, GPUs before cores and each by number, those of
// other nodes last; a bar a lease, with the restarts of the run during it. Where there are several nodes, a
// line above the lanes of each says how it is.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "session/queue_snapshot.h"

namespace batchscope::desktop {

struct LaneRestart {
  double time = 0;  // s since 1970
  int generation = 0;
  int replicas = 0;
  std::string why;
};

struct LaneBar {
  storage::LeaseEvent lease;
  std::vector<LaneRestart> restarts;  // within it, not the one that it began with

  double since() const { return lease.since; }
  double until(double now) const { return lease.until > 0 ? lease.until : now; }
};

struct Lane {
  std::string device;         // with its node; empty: a heading
  std::vector<LaneBar> bars;  // by their begin
  QString label;              // of the device on its node, or the heading
};

// `more`: devices that have a lane also where nobody had them. `nodes`: those that are given away, which have
// headings, as of `now`, where they are several.
std::vector<Lane> lanesOf(const std::vector<storage::LeaseEvent>& leases,
                          const std::map<std::string, std::vector<storage::Generation>>& generations,
                          const std::set<std::string>& more = {},
                          const std::vector<common::NodeLane>& nodes = {}, double now = 0);

}  // namespace batchscope::desktop
