// SPDX-License-Identifier: Apache-2.0
#include "slurm/job_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>

#include "batchscope/protocol/telemetry.h"
#include "slurm/job_script.h"
#include "slurm/programs.h"

namespace batchscope::cli::slurm {
namespace {

const std::string kPrefix = jobName("");

}  // namespace

void JobQueue::look(const std::vector<std::string>& runs) {
  if (runs.empty()) return;
  Strings names;
  for (const std::string& run : runs) names.push_back(jobName(run));
  std::istringstream lines(told("squeue", {"--noheader", "--sort=i", "--format=%j|%i|%T|%r|%S|%P|%N|%D",
                                           fmt::format("--name={}", fmt::join(names, ","))}));
  jobs_.clear();
  for (std::string line; std::getline(lines, line);) {
    std::array<std::string, 8> fields;
    std::istringstream text(line);
    for (std::string& field : fields) std::getline(text, field, '|');
    const auto& [name, number, state, reason, start, partition, nodes, count] = fields;
    if (name.starts_with(kPrefix))
      jobs_[name.substr(kPrefix.size())].push_back(
          {number, state, reason, start == "N/A" ? "" : start, partition, nodes.empty() ? count : nodes});
  }
  looked_ = protocol::monotonic_seconds();
}

double JobQueue::age() const {
  return looked_ < 0 ? std::numeric_limits<double>::infinity() : protocol::monotonic_seconds() - looked_;
}

const std::vector<QueuedJob>& JobQueue::of(const std::string& run) const {
  static const std::vector<QueuedJob> kNone;
  const auto found = jobs_.find(run);
  return found == jobs_.end() ? kNone : found->second;
}

void JobQueue::add(const std::string& run, const std::string& number) {
  jobs_[run].push_back({number, "PENDING", "", ""});
}

bool JobQueue::isNew(const std::string& run) const {
  return std::ranges::any_of(of(run), [](const QueuedJob& job) { return job.reason.empty(); });
}

}  // namespace batchscope::cli::slurm
