// SPDX-License-Identifier: Apache-2.0
#include "slurm/run_job.h"

#include <QDateTime>
#include <algorithm>

#include "slurm/programs.h"

namespace batchscope::cli::slurm {
namespace {

// "2026-11-23T08:43:37", in the time of this machine; 0 where it is none.
double timeOf(const std::string& text) {
  const auto time = QDateTime::fromString(QString::fromStdString(text), Qt::ISODate);
  return time.isValid() ? static_cast<double>(time.toSecsSinceEpoch()) : 0;
}

int rank(const QueuedJob& job) { return job.state == "COMPLETING" ? 2 : job.waits() ? 1 : 0; }

}  // namespace

std::string clusterOf(const JobFolder& folder) {
  for (const Job& job : folder.jobs())
    if (!job.cluster.empty()) return job.cluster;
  // Thirty kilobytes of lines "Name    = value".
  const auto config = QString::fromStdString(told("scontrol", {"show", "config"}));
  for (const QString& line : config.split(QLatin1Char('\n')))
    if (line.startsWith(QLatin1String("ClusterName ")))
      return line.section(QLatin1Char('='), 1).trimmed().toStdString();
  return {};
}

storage::ClusterJob jobOf(const std::vector<QueuedJob>& jobs) {
  const auto job = std::ranges::min_element(jobs, {}, rank);
  if (job == jobs.end()) return {};
  storage::ClusterJob told{.partition = job->partition, .number = job->number, .state = job->state};
  if (job->waits()) told.reason = job->reason;
  told.start = timeOf(job->start);
  told.nodes = job->nodes;
  return told;
}

storage::ClusterJob jobOf(const JobFolder& folder) {
  JobQueue queue;
  queue.look({folder.run()});
  storage::ClusterJob told = jobOf(queue.of(folder.run()));
  told.cluster = clusterOf(folder);
  return told;
}

}  // namespace batchscope::cli::slurm
