// SPDX-License-Identifier: Apache-2.0
#include "slurm/holders.h"

#include <fmt/core.h>

#include <QCryptographicHash>
#include <QDateTime>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

namespace batchscope::cli::slurm {
namespace {

// Before the time limit, as the jobs of runs have it (job_script.cpp); a short job has a share of its time.
constexpr double kLongestNotice = 180;  // s
constexpr double kShareOfLimit = 0.25;
constexpr int kMostAtOnce = 10;  // jobs of one call, which the pool does not wait for without end
constexpr int kDigits = 8;       // of a store's name
// A job that ends by itself lasts longer (holderScript in pool_nodes.cpp).
constexpr double kAtOnce = 60;  // s
constexpr double kAgain = 10;   // s after the end of a job that ended at once; then twice as long,
// and so on, up to this. Slurm forgets a job, and so the failures, after MinJobAge, by default 300 s.
constexpr double kLatestAgain = 240;
constexpr int kMostFailures = 20;  // that are counted

// "1-02:03:04" or "3:04", s; infinite for a word, such as UNLIMITED.
double secondsOf(const std::string& text) {
  double days = 0, seconds = 0, part = 0;
  if (text.empty()) return std::numeric_limits<double>::infinity();
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      part = part * 10 + (c - '0');
    } else if (c == '-') {
      days = std::exchange(part, 0);
    } else if (c == ':') {
      seconds = (seconds + std::exchange(part, 0)) * 60;
    } else {
      return std::numeric_limits<double>::infinity();
    }
  }
  return days * 86'400 + seconds + part;
}

// "2026-11-23T08:43:37", in s since 1970; 0 for a word, such as N/A.
double timeOf(const std::string& text) {
  const QDateTime time = QDateTime::fromString(QString::fromStdString(text), Qt::ISODate);
  return time.isValid() ? static_cast<double>(time.toSecsSinceEpoch()) : 0;
}

// The last job that ended at once; none where a later one has lasted.
const HolderJob* lastFailure(const std::vector<HolderJob>& jobs) {
  const HolderJob* last = nullptr;
  for (const HolderJob& job : jobs)
    if (job.ended_at_once())
      last = &job;
    else if (job.runs() && job.lasted >= kAtOnce)
      last = nullptr;
  return last;
}

double patience(int failures) { return std::min(std::ldexp(kAgain, failures - 1), kLatestAgain); }

double notice(const HolderJob& job) { return std::min(kLongestNotice, kShareOfLimit * job.limit); }

}  // namespace

// Not one that was cancelled or preempted, or that lost its node.
bool HolderJob::ended_at_once() const {
  static const std::set<std::string> kByItself{"BOOT_FAIL", "COMPLETED", "FAILED", "OUT_OF_MEMORY"};
  return kByItself.contains(state) && lasted < kAtOnce;
}

std::string holderName(const std::string& catalogue) {
  const QByteArray hash =
      QCryptographicHash::hash(QByteArray::fromStdString(catalogue), QCryptographicHash::Sha256).toHex();
  return "batchscope-pool-" + hash.left(kDigits).toStdString();
}

std::vector<HolderJob> parseHolders(const std::string& lines) {
  std::vector<HolderJob> jobs;
  std::istringstream text(lines);
  for (std::string line; std::getline(text, line);) {
    std::array<std::string, 9> fields;
    std::istringstream words(line);
    for (std::string& field : fields) std::getline(words, field, '|');
    const auto& [number, state, node, left, limit, lasted, ended, reason, comment] = fields;
    jobs.push_back({number, state, node, secondsOf(left), secondsOf(limit), secondsOf(lasted), timeOf(ended),
                    reason, QString::fromStdString(comment).toInt()});
  }
  return jobs;
}

void markClosed(std::vector<HolderJob>& jobs, const std::string& lines) {
  std::set<std::string> closed;
  std::istringstream text(lines);
  for (std::string name; std::getline(text, name);) closed.insert(name);
  for (HolderJob& job : jobs) job.node_is_closed = closed.contains(job.node);
}

HolderPlan planHolders(const std::vector<HolderJob>& jobs, int wanted, const std::set<std::string>& empty,
                       const NodeRange& range, double now) {
  HolderPlan plan;
  Strings waiting;
  int missing = wanted > 0 ? std::clamp(wanted, range.least, range.most) : 0;
  for (const HolderJob& job : jobs) {
    if (job.waits()) {
      waiting.push_back(job.number);
    } else if (job.runs() && empty.contains(job.name())) {
      plan.cancel.push_back(job.number);
    } else if (job.runs()) {
      const bool leaves = job.node_is_closed || job.left <= notice(job);
      plan.nodes.push_back(job.name() + "=" + job.number + (leaves ? " leaving" : ""));
      if (!leaves && job.left > 2 * notice(job)) --missing;
    }
  }
  missing -= static_cast<int>(waiting.size());
  plan.submit = std::clamp(missing, 0, kMostAtOnce);
  if (const HolderJob* const failed = lastFailure(jobs); failed && missing > 0) {
    plan.failures = std::clamp(failed->failures, 0, kMostFailures - 1) + 1;
    const double wait = patience(plan.failures);
    plan.submit = now < failed->ended + wait ? 0 : 1;
    if (plan.submit == 0)
      plan.note =
          fmt::format("job {} on {} ended after {:.0f} s ({}); the next one is submitted {:.0f} s later",
                      failed->number, failed->node, failed->lasted, failed->reason, wait);
  }
  // The last ones, since the first has waited longest.
  for (; missing < 0 && !waiting.empty(); ++missing) {
    plan.cancel.push_back(waiting.back());
    waiting.pop_back();
  }
  return plan;
}

}  // namespace batchscope::cli::slurm
