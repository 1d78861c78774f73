// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/queue_snapshot.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "batchscope/common/goodput_prediction.h"

namespace batchscope::desktop {
namespace {

using pool::JobState;
using pool::QueueEntry;

double endOf(double until, double now) { return until > 0 ? until : now; }

// Returns the spans in which something was in the queue: disjoint, ascending.
std::vector<std::pair<double, double>> busyTimes(const std::vector<QueueEntry>& entries, double now) {
  std::vector<std::pair<double, double>> times, joined;
  for (const QueueEntry& entry : entries)
    times.emplace_back(entry.job.submitted, endOf(entry.run.ended, now));
  std::sort(times.begin(), times.end());
  for (const auto& time : times) {
    if (joined.empty() || time.first > joined.back().second)
      joined.push_back(time);
    else
      joined.back().second = std::max(joined.back().second, time.second);
  }
  return joined;
}

double overlap(double since, double until, double low, double high) {
  return std::max(std::min(until, high) - std::max(since, low), 0.0);
}

std::optional<double> useOf(const QueueSnapshot& snapshot, std::size_t devices, double now) {
  double deviceSecondsAvailable = 0, deviceSecondsUsed = 0;
  for (const auto& [low, high] : busyTimes(snapshot.entries, now)) {
    deviceSecondsAvailable += high - low;
    for (const storage::LeaseEvent& event : snapshot.leases)
      if (!snapshot.guests.contains(event.run))
        deviceSecondsUsed += overlap(event.since, endOf(event.until, now), low, high);
  }
  deviceSecondsAvailable *= static_cast<double>(devices);
  if (deviceSecondsAvailable <= 0 || deviceSecondsUsed <= 0) return std::nullopt;
  return std::min(deviceSecondsUsed / deviceSecondsAvailable, 1.0);
}

// Integrates `value` of the number of devices over the time that the run held them.
template <class Value>
double integrateOverLeases(const std::vector<storage::LeaseEvent>& leases, const std::string& run, double now,
                           Value value) {
  std::vector<std::pair<double, int>> changes;
  for (const storage::LeaseEvent& event : leases) {
    if (event.run != run) continue;
    changes.emplace_back(event.since, 1);
    changes.emplace_back(endOf(event.until, now), -1);
  }
  std::sort(changes.begin(), changes.end());
  double sum = 0, since = 0;
  int count = 0;
  for (const auto& [time, change] : changes) {
    if (count > 0) sum += (time - since) * value(count);
    count += change;
    since = time;
  }
  return sum;
}

// The speed at which a run learns on so many devices, in any unit; linear between whole numbers.
class Speed {
 public:
  explicit Speed(const protocol::Model* model) : model_(model) {}

  double operator()(double devices) {
    const double low = std::floor(devices), share = devices - low;
    const double at = ofCount(static_cast<int>(low));
    return share > 0 ? at + share * (ofCount(static_cast<int>(low) + 1) - at) : at;
  }

 private:
  double ofCount(int devices) {
    if (model_ == nullptr) return devices;
    const auto [known, isNew] = known_.try_emplace(devices, 0);
    if (isNew && devices > 0)
      if (const auto best = common::bestPoint(*model_, devices)) known->second = best->goodput;
    return known->second;
  }

  const protocol::Model* model_;
  std::map<int, double> known_;
};

}  // namespace

bool hasEnded(const QueueEntry& entry) { return entry.state >= JobState::succeeded; }

std::size_t queueLength(const std::vector<QueueEntry>& entries) {
  return static_cast<std::size_t>(std::find_if(entries.begin(), entries.end(), hasEnded) - entries.begin());
}

void mergeFinishedEntries(QueueSnapshot& fresh, QueueSnapshot&& before) {
  std::set<std::string> known;
  for (const QueueEntry& entry : fresh.entries) known.insert(entry.run.id);
  std::vector<QueueEntry> entries = std::move(fresh.entries);
  for (QueueEntry& entry : before.entries)
    if (hasEnded(entry) && !known.contains(entry.run.id)) entries.push_back(std::move(entry));
  fresh = std::move(before);
  fresh.entries = std::move(entries);
}

QueueTotals totalsOf(const QueueSnapshot& snapshot, const std::map<std::string, protocol::Model>& models,
                     double now) {
  QueueTotals totals;
  std::set<std::string> devices;
  for (const storage::LeaseEvent& event : snapshot.leases)
    if (!snapshot.guests.contains(event.run)) devices.insert(event.device);
  totals.use = useOf(snapshot, devices.size(), now);

  double wait = 0, completion = 0, succeeded = 0;
  for (const QueueEntry& entry : snapshot.entries) {
    wait += entry.waited;
    if (entry.state != JobState::succeeded) continue;
    const double begin = entry.job.submitted, end = endOf(entry.run.ended, now), duration = end - begin;
    ++succeeded;
    completion += duration;
    if (duration <= 0) continue;
    double runSeconds = 0;  // of all runs in the queue meanwhile
    for (const QueueEntry& other : snapshot.entries)
      runSeconds += overlap(other.job.submitted, endOf(other.run.ended, now), begin, end);
    const auto model = models.find(entry.run.id);
    Speed speed(model == models.end() ? nullptr : &model->second);
    const double share = std::max(static_cast<double>(devices.size()) * duration / runSeconds, 1.0);
    const double work = integrateOverLeases(snapshot.leases, entry.run.id, now, speed);
    const double fairness = work > 0 ? duration * speed(share) / work : 0;
    if (fairness > totals.worstFairness.value_or(0)) {
      totals.worstFairness = fairness;
      totals.worstRun = QString::fromStdString(entry.run.name);
    }
  }
  if (!snapshot.entries.empty()) totals.meanWait = wait / static_cast<double>(snapshot.entries.size());
  if (succeeded > 0) totals.meanCompletion = completion / succeeded;
  return totals;
}

}  // namespace batchscope::desktop
