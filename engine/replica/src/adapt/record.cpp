// SPDX-License-Identifier: Apache-2.0
//
// Recorded values on their way into a step's row, or out by themselves.
#include "batchscope/replica/record.h"

#include <utility>

#include "adapt/loops.h"
#include "adapt/metrics.h"
#include "adapt/record.h"
#include "batchscope/replica/process_group.h"
#include "process/process.h"
#include "report/tensorboard.h"

namespace batchscope {
namespace {

struct Sum {
  double value = 0;
  int count = 0;
};

std::map<std::string, Sum, std::less<>> recorded;

bool heard() { return replica_rank() == 0 && (telemetry_connected() || tensorboard::wanted()); }

}  // namespace

void record(std::string_view name, double value) {
  if (!heard()) return;
  if (!running_loop() || !running_loop()->training) {
    send(protocol::Scalar{std::string(name), metrics::steps(), value, protocol::monotonic_seconds()});
    tensorboard::write(metrics::steps(), {{std::string(name), value}});
    return;
  }
  auto found = recorded.find(name);
  if (found == recorded.end()) found = recorded.emplace(name, Sum{}).first;
  found->second.value += value;
  ++found->second.count;
}

void record_hyperparameters(const std::map<std::string, std::string>& values) {
  if (heard()) send(protocol::Hyperparameters{values});
}

std::map<std::string, double> take_recorded() {
  std::map<std::string, double> means;
  for (const auto& [name, sum] : std::exchange(recorded, {})) means[name] = sum.value / sum.count;
  return means;
}

}  // namespace batchscope
