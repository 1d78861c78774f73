// SPDX-License-Identifier: GPL-3.0-or-later
//
// The queue of the pool as of one moment, and how well the devices were shared, from its history.
#pragma once

#include <QString>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "batchscope/common/node_lanes.h"
#include "batchscope/pool/queue.h"
#include "batchscope/protocol/pool.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/run/store_process.h"
#include "batchscope/storage/queue.h"

namespace batchscope::desktop {

// Totals of the whole queue, in seconds; none where nothing can be said yet.
struct QueueTotals {
  std::optional<double> meanCompletion;  // of those that succeeded, from their submission to their end
  std::optional<double> meanWait;        // without devices, of all
  std::optional<double> use;             // share of the devices' time that runs had them, while any was there
  // The largest finish-time fairness of those that succeeded (Mahajan et al., NSDI 2020; Qiao et al., OSDI
  // 2021): how long the run took over how long it would have taken on its fair share alone,
  //
  //     rho = (end - submission) G(F) / integral of G(n(t)) dt,    F = devices / mean number of runs there
  //
  // with n(t) the devices that it had and G its newest model, or linear where it has none.
  std::optional<double> worstFairness;
  QString worstRun;  // whose
};

struct QueueSnapshot {
  std::vector<pool::QueueEntry> entries;  // in the queue's order, behind them the newest that have ended
  protocol::PoolSettings settings;
  std::vector<protocol::PoolDecision> decisions;                        // oldest first
  std::vector<common::NodeLane> nodes;                                  // whose devices are given away
  std::vector<storage::LeaseEvent> leases;                              // by their begin
  std::map<std::string, std::vector<storage::Generation>> generations;  // of the runs in `leases`
  std::set<std::string> guests;  // runs that are only followed here, whose devices are not the pool's
  QueueTotals totals;
  std::optional<run::ProcessHeartbeat> heartbeat;  // the pool's, where it is there
  std::string hang;                                // as run::StoreProcess::hang
  bool isWhole = false;              // else there is nothing but the entries that have not ended
  std::map<std::string, int> rungs;  // where trials wait for their sweep, by the ids of their runs
};

bool hasEnded(const pool::QueueEntry& entry);
// Returns the number of entries that have not ended; they come first.
std::size_t queueLength(const std::vector<pool::QueueEntry>& entries);

// Adds the ended entries, and all else, of the previous snapshot to one that has only entries that have not
// ended.
void mergeFinishedEntries(QueueSnapshot& fresh, QueueSnapshot&& before);

// Computes the totals of a snapshot, with the models of its runs, at `now` (s since 1970).
QueueTotals totalsOf(const QueueSnapshot& snapshot, const std::map<std::string, protocol::Model>& models,
                     double now);

}  // namespace batchscope::desktop
