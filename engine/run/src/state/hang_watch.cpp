// SPDX-License-Identifier: Apache-2.0
#include "state/hang_watch.h"

#include <algorithm>

#include "batchscope/protocol/time_outs.h"
#include "words.h"

namespace batchscope::run {
namespace {

using protocol::Heartbeat;
using Seconds = std::chrono::duration<double>;

constexpr double kSilence = Seconds(protocol::time_out::kSilence).count();
// Longer between two looks: we were held up ourselves, with the whole machine or alone.
constexpr double kHeldUp = 1;

constexpr const char* kLeaving = "leaving";  // the phase of one that said goodbye

bool is_leaving(const Heartbeat& beat) { return beat.phase == kLeaving; }

bool in_loop(const Heartbeat& beat) { return beat.phase == "train" || beat.phase == "validate"; }

std::string activity(const Heartbeat& beat) {
  return beat.waiting.empty() ? "computing" : "waiting in " + beat.waiting;
}

}  // namespace

void HangWatch::begin(int replicas) { replicas_.assign(static_cast<std::size_t>(replicas), {}); }

void HangWatch::greeted(int rank, double now) { beat(rank, {rank, 0, "idle", {}, now, now}, now); }

void HangWatch::heard(int rank, double now) { replicas_.at(static_cast<std::size_t>(rank)).heard = now; }

void HangWatch::beat(int rank, const Heartbeat& heartbeat, double now) {
  Replica& replica = replicas_.at(static_cast<std::size_t>(rank));
  replica.heard = now;
  replica.beat = heartbeat;
}

void HangWatch::said_goodbye(int rank, double now) {
  if (replicas_.at(static_cast<std::size_t>(rank)).beat) beat(rank, {rank, 0, kLeaving, {}, now, now}, now);
}

void HangWatch::left(int rank) { replicas_.at(static_cast<std::size_t>(rank)).alive = false; }

bool HangWatch::silent(const Replica& replica, double now) const {
  return now - std::max(replica.heard, resumed_) > kSilence && !(replica.beat && is_leaving(*replica.beat));
}

std::optional<Suspect> HangWatch::check(double now, bool stepping) {
  if (checked_ == 0 || now - checked_ > kHeldUp) resumed_ = now;
  checked_ = now;
  if (patience_ == 0 || replicas_.empty()) return std::nullopt;
  double newest = resumed_;
  for (const Replica& replica : replicas_) {
    if (!replica.beat || !replica.alive) return std::nullopt;
    newest = std::max(newest, replica.beat->since);
  }
  // A process that is silent or leaves hangs wherever it is; one that speaks is judged where it steps.
  const bool judged =
      std::any_of(
          replicas_.begin(), replicas_.end(),
          [&](const Replica& replica) { return silent(replica, now) || is_leaving(*replica.beat); }) ||
      (stepping && std::all_of(replicas_.begin(), replicas_.end(),
                               [](const Replica& replica) { return in_loop(*replica.beat); }));
  if (!judged || now - newest <= patience_) return std::nullopt;
  return suspect(now, 0);
}

std::optional<Suspect> HangWatch::suspect(double now, double at_least) const {
  // Silent before computing before waiting; of equals, who has been so for longest.
  const auto key = [&](const Replica& replica) {
    const int kind = silent(replica, now) ? 0 : replica.beat->waiting.empty() ? 1 : 2;
    return std::pair(kind, kind == 0 ? replica.heard : replica.beat->since);
  };
  const Replica* worst = nullptr;
  for (const Replica& replica : replicas_)
    if (replica.alive && replica.beat && (!worst || key(replica) < key(*worst))) worst = &replica;
  if (!worst || now - key(*worst).second < at_least) return std::nullopt;
  return Suspect{static_cast<int>(worst - replicas_.data()), describe(*worst, now)};
}

std::string HangWatch::describe(const Replica& replica, double now) const {
  const Heartbeat& beat = *replica.beat;
  const std::string step = in_loop(beat) ? " in step " + std::to_string(beat.step + 1) : std::string();
  if (silent(replica, now))
    return "its heartbeats stopped " + seconds_text(now - replica.heard) + " ago, when it was " +
           activity(beat) + step;
  const std::string since = seconds_text(now - beat.since);
  if (is_leaving(beat)) return "it began to end " + since + " ago, but its process has not ended";
  if (beat.waiting.empty()) return "it has computed for " + since + step + " without finishing it";
  return "it has waited for " + since + " in " + beat.waiting + step +
         ", as all replicas wait for one another";
}

}  // namespace batchscope::run
