// SPDX-License-Identifier: Apache-2.0
#include "slurm/holders.h"

#include <QCryptographicHash>
#include <algorithm>
#include <array>
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

double notice(const HolderJob& job) { return std::min(kLongestNotice, kShareOfLimit * job.limit); }

}  // namespace

std::string holderName(const std::string& catalogue) {
  const QByteArray hash =
      QCryptographicHash::hash(QByteArray::fromStdString(catalogue), QCryptographicHash::Sha256).toHex();
  return "batchscope-pool-" + hash.left(kDigits).toStdString();
}

std::vector<HolderJob> parseHolders(const std::string& lines) {
  std::vector<HolderJob> jobs;
  std::istringstream text(lines);
  for (std::string line; std::getline(text, line);) {
    std::array<std::string, 5> fields;
    std::istringstream words(line);
    for (std::string& field : fields) std::getline(words, field, '|');
    const auto& [number, state, node, left, limit] = fields;
    jobs.push_back({number, state, node, secondsOf(left), secondsOf(limit)});
  }
  return jobs;
}

HolderPlan planHolders(const std::vector<HolderJob>& jobs, int wanted, const std::set<std::string>& empty,
                       const NodeRange& range) {
  HolderPlan plan;
  Strings waiting;
  int missing = wanted > 0 ? std::clamp(wanted, range.least, range.most) : 0;
  for (const HolderJob& job : jobs) {
    if (job.waits()) {
      waiting.push_back(job.number);
    } else if (job.runs() && empty.contains(job.name())) {
      plan.cancel.push_back(job.number);
    } else if (job.runs()) {
      plan.nodes.push_back(job.name() + "=" + job.number + (job.left <= notice(job) ? " leaving" : ""));
      if (job.left > 2 * notice(job)) --missing;
    }
  }
  missing -= static_cast<int>(waiting.size());
  plan.submit = std::clamp(missing, 0, kMostAtOnce);
  // The last ones, since the first has waited longest.
  for (; missing < 0 && !waiting.empty(); ++missing) {
    plan.cancel.push_back(waiting.back());
    waiting.pop_back();
  }
  return plan;
}

}  // namespace batchscope::cli::slurm
