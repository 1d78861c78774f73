// SPDX-License-Identifier: Apache-2.0
/// \file
/// The machines whose devices the pool gives away, and which run has each device (engine/run/NODES.md).
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "batchscope/protocol/json.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// A device, and the run that has it.
struct HeldDevice {
  std::string device = {};                             ///< with its node: "n2/cpu:0"
  std::string run = {};                                ///< its id; empty: nobody has the device
  std::string name = {};                               ///< the run's
  bool operator==(const HeldDevice&) const = default;  ///< the same
};

/// A machine of the pool.
struct NodeLane {
  std::string node = {};                             ///< its name; empty: the pool's own machine
  bool there = true;                                 ///< its agent answers
  double since = 0;                                  ///< s since 1970, when that changed last; 0: unknown
  std::string why = {};                              ///< a clause on why it is not there; empty: it is
  std::vector<HeldDevice> devices = {};              ///< as seen last, GPUs first
  bool operator==(const NodeLane&) const = default;  ///< the same
};

/// Returns the pool's own machine, where its devices are given away, and the nodes of its settings. Throws
/// Error as the catalogue does.
std::vector<NodeLane> nodeLanes(storage::Catalogue& catalogue);
/// Returns whether there is a machine besides the pool's own.
bool areSeveral(const std::vector<NodeLane>& lanes);

QString nodeName(const NodeLane& lane);              ///< "n2"; "here" for the pool's own machine
QString nodeText(const NodeLane& lane, double now);  ///< "1 of 2 cores in use", or why it is not there
QString nodeRunsText(const NodeLane& lane);          ///< "one cpu:0-1, two cpu:3"
protocol::Json nodeLanesJson(const std::vector<NodeLane>& lanes);  ///< as `queue --json` has them

}  // namespace batchscope::common
