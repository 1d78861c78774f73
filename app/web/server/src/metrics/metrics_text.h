// SPDX-License-Identifier: Apache-2.0
//
// The text that Prometheus reads: OpenMetrics 1.0
// (https://github.com/OpenObservability/OpenMetrics/blob/main/specification/OpenMetrics.md), or the older
// 0.0.4. Names end with their unit, units are base units, and each family has its HELP and TYPE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace batchscope::web {

struct Metrics {
  struct Run {
    std::string id, name;
    int replicas = 0;  // that train; 0 while it is paused
    std::size_t devices = 0;
    std::int64_t step = 0;
    double fraction = 0;  // of the whole run
    int restarts = 0;
    std::size_t pauses = 0;                // of restarts, those that are over
    double pause_seconds = 0;              // their sum
    std::map<std::string, double> latest;  // newest value of each series (protocol/series.h)
  };
  struct Wait {
    std::string id, name;  // the run's
    double seconds = 0;
  };
  struct Completed {
    std::size_t count = 0;
    double seconds = 0;  // their sum, from submission to end
  };
  using Counts = std::map<std::string, std::size_t>;

  std::string version;  // of this program
  Counts runs;          // by state
  std::vector<Run> live;
  Counts jobs;  // by state
  std::vector<Wait> waits;
  std::size_t submitted = 0;
  std::map<std::string, Completed> completed;  // by how they ended
  Counts devices, devices_in_use;              // by kind
};

enum class MetricsFormat { openmetrics, prometheus };

std::string metrics_text(const Metrics& metrics, MetricsFormat format);

}  // namespace batchscope::web
