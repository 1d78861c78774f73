// SPDX-License-Identifier: Apache-2.0
#include "batchscope/replica/record.h"

#include "adapt/loops.h"
#include "adapt/metrics.h"
#include "batchscope/replica/process_group.h"
#include "report/telemetry_client.h"
#include "report/tensorboard.h"

namespace batchscope {

using namespace replica;
namespace {

bool wanted() { return replica_rank() == 0 && (telemetry_connected() || tensorboard::wanted()); }

}  // namespace

void record(std::string_view name, double value) {
  if (!wanted()) return;
  if (running_loop() && running_loop()->training) return metrics::add_recorded(name, value);
  send(protocol::Scalar{std::string(name), metrics::steps(), value, protocol::monotonic_seconds()});
  tensorboard::write(metrics::steps(), {{std::string(name), value}});
}

void record_hyperparameters(const std::map<std::string, std::string>& values) {
  if (wanted()) send(protocol::Hyperparameters{values});
}

}  // namespace batchscope
