// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "batchscope/pool/queue.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/run/fork.h"
#include "batchscope/run/pool.h"
#include "batchscope/sweep/driver.h"
#include "batchscope/sweep/sweeps.h"
#include "trials/runs.h"

namespace batchscope::sweep {
namespace {

using protocol::RunState;
using storage::SweepLeg;
using storage::SweepState;

constexpr auto kTick = std::chrono::milliseconds(50);
constexpr double kLook = 1;              // s: at the latest so long after the last look
constexpr double kFarewell = 1;          // s without a sweep that is running, before the driver ends
constexpr std::size_t kHopeless = 3;     // trials that failed, with none that did not
constexpr std::size_t kMostResting = 8;  // paused runs that keep their processes, to go on at once

class Driver {
 public:
  Driver(Workplace& elsewhere, const std::function<double()>& tick)
      : catalogue_(protocol::catalogue_path()), sweeps_(catalogue_), elsewhere_(elsewhere), tick_(tick) {}

  // Runs until no sweep is running, and no run of one elsewhere.
  void exec() {
    for (double now = tick_(), last_look = now - kLook, needed = now;; now = tick_()) {
      if (!std::filesystem::exists(protocol::catalogue_path())) return;  // the store was removed
      if (!catalogue_.changed() && now - last_look < kLook) continue;
      last_look = now;
      if (look()) needed = now;
      if (now - needed > kFarewell) return;
    }
  }

 private:
  // Whether there is anything to do.
  bool look() {
    bool running = false, recalling = false;
    try {
      for (const storage::Sweep& sweep : sweeps_.all()) {
        if (sweep.state != SweepState::running) {
          recalling = recall(sweep) || recalling;
          continue;
        }
        running = true;
        recalled_.erase(sweep.name);
        drive_safely(sweep);
      }
      if (running && catalogue_.pool_needed()) run::kPool.start();
      troubled_ = false;
    } catch (const std::exception& error) {
      // A full disk or a catalogue in somebody's hands: trials train on, and this is tried again.
      if (!std::exchange(troubled_, true)) std::fprintf(stderr, "sweeps cannot go on: %s\n", error.what());
      return true;
    }
    return running || recalling;
  }

  // Returns whether any of the runs that a sweep, which is not running, has elsewhere still does; recalls
  // them.
  bool recall(const storage::Sweep& sweep) {
    if (sweep.workplace.empty() || recalled_.contains(sweep.name)) return false;
    std::vector<std::string> runs;
    for (const storage::TrialRun& trial : sweeps_.runs(sweep.name)) runs.push_back(trial.run);
    const bool living = !elsewhere_.recall(sweep, runs).empty();
    const auto now = sweeps_.find(sweep.name);
    if (now && now->state == SweepState::running) {
      sweeps_.resume(sweep.name);  // once more: what was called back behind its back is to go on, too
      return true;
    }
    if (!living) recalled_.insert(sweep.name);
    return living;
  }

  // A fault of one sweep must not stop the others.
  void drive_safely(const storage::Sweep& sweep) {
    try {
      drive(sweep);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::io || error.kind() == ErrorKind::timeout) throw;
      end(sweep.name, SweepState::failed, error.what());
    } catch (const std::invalid_argument& error) {
      end(sweep.name, SweepState::failed, error.what());
    }
  }

  SweepView view_of_rows(const storage::Sweep& sweep) {
    return view_of(sweep, sweeps_.legs(sweep.name), sweeps_.runs(sweep.name));
  }

  void drive(const storage::Sweep& sweep) {
    SweepView view = view_of_rows(sweep);
    if (hear(view, tend(view))) view = view_of_rows(sweep);
    if (sweeps_.find(sweep.name)->state != SweepState::running) return;
    submit(view);
    bool begun = false;
    while (begin(view)) {
      begun = true;
      view = view_of_rows(sweep);
      submit(view);  // at once: a checkpoint that is copied lies there until its own run goes on
    }
    if (begun) tend(view);
    if (std::ranges::none_of(view.legs, [](const LegRecord& leg) { return !leg.outcome; }))
      return view.best ? end(sweep.name, SweepState::finished, why_finished(view))
                       : end(sweep.name, SweepState::failed, "no trial has a value");
    retire(view);
  }

  // Returns the runs elsewhere of which more is to be heard.
  std::set<std::string> tend(const SweepView& view) {
    if (view.sweep.workplace.empty()) return {};
    std::vector<std::string> runs;
    for (const SweepLeg& leg : view.rows)
      if (leg.outcome == SweepLeg::Outcome::under_way)
        for (const std::string& run : view.trials[leg.trial].runs)
          if (!run.empty()) runs.push_back(run);
    return runs.empty() ? std::set<std::string>() : elsewhere_.tend(view.sweep, runs);
  }

  // Writes down what has come of legs that were under way. Whether there was anything.
  bool hear(const SweepView& view, const std::set<std::string>& unheard) {
    bool any_ended = false;
    for (std::size_t number = 0; number < view.rows.size(); ++number) {
      const SweepLeg& leg = view.rows[number];
      const std::vector<std::string>& runs = view.trials[leg.trial].runs;
      // A run that is missing has not been submitted yet; one that was further is gone.
      const bool missing = std::ranges::find(runs, "") != runs.end();
      if (leg.outcome != SweepLeg::Outcome::under_way || (missing && begins_run(leg))) continue;
      if (std::ranges::any_of(runs, [&](const std::string& run) { return unheard.contains(run); })) continue;
      const Judgement judgement = judge(catalogue_, view.file, leg, runs, !view.sweep.workplace.empty());
      for (const std::string& run : judgement.early) sweeps_.go_on(run);
      if (judgement.leg.outcome == SweepLeg::Outcome::under_way) continue;
      sweeps_.end_leg(view.sweep.name, number, judgement.leg);
      any_ended = true;
      if (judgement.leg.outcome == SweepLeg::Outcome::failed && give_up(view, judgement)) break;
    }
    return any_ended;
  }

  // A sweep of which nothing can come ends at once rather than after all its trials. Who resumes it has as
  // many more to fail.
  bool give_up(const SweepView& view, const Judgement& judgement) {
    if (has_value(sweeps_.legs(view.sweep.name))) return false;
    const std::string& name = view.sweep.name;
    if (judgement.no_metric) {
      end(name, SweepState::failed,
          fmt::format("{}. Correct `metric` in the file{}, then call `batchscope sweep rm {}` and begin the "
                      "sweep again",
                      judgement.leg.message,
                      judgement.leg.at_end ? "" : ", or raise `min` below [stop] if the metric comes later",
                      name));
      return true;
    }
    if (++failures_[name] < kHopeless) return false;
    end(name, SweepState::failed,
        fmt::format("{} trials failed, and none has a value; the last failure: {}", kHopeless,
                    judgement.leg.message));
    return true;
  }

  static bool has_value(const std::vector<SweepLeg>& legs) {
    return std::ranges::any_of(legs, [](const SweepLeg& leg) {
      return leg.outcome == SweepLeg::Outcome::value || leg.outcome == SweepLeg::Outcome::diverged;
    });
  }

  // The next leg; false: there is none to begin now.
  bool begin(const SweepView& view) {
    const auto next = next_leg(view.file, static_cast<std::size_t>(view.sweep.width), view.legs);
    if (!next) return false;
    SweepLeg leg;
    leg.trial = next->trial;
    leg.rung = next->rung;
    leg.heard = next->heard;
    leg.origin = next->origin;
    leg.parameters = Space(view.file.parameters).texts(next->point);
    // One that had no value yet at the rung before has gone on to this one.
    const bool is_at_rung = leg.rung > 0 && !leg.origin &&
                            have_reached(catalogue_, view.file.stop, leg.rung, view.trials[leg.trial].runs);
    sweeps_.begin_leg(view.sweep.name, view.legs.size(), leg, is_at_rung);
    return true;
  }

  // The runs of legs that have begun, as far as they are not there yet.
  void submit(SweepView& view) {
    for (std::size_t number = 0; number < view.rows.size(); ++number) {
      const SweepLeg& leg = view.rows[number];
      if (leg.outcome != SweepLeg::Outcome::under_way) continue;
      std::vector<std::string>& runs = view.trials[leg.trial].runs;
      for (std::size_t seed = 0; seed < runs.size(); ++seed)
        if (runs[seed].empty() && begins_run(leg)) runs[seed] = submit(view, number, static_cast<int>(seed));
    }
  }

  static bool begins_run(const SweepLeg& leg) { return leg.rung == 0 || leg.origin; }

  std::string submit(const SweepView& view, std::size_t number, int seed) {
    const SweepLeg& leg = view.rows[number];
    const storage::TrialRun place{leg.trial, seed, number, ""};
    auto spec = trial_spec(view.file, view.sweep.spec, leg.trial, leg.parameters, seed);
    if (!leg.origin) return add_run(view.sweep, place, std::move(spec), {});
    for (const storage::TrialRun& former : sweeps_.runs(view.sweep.name))
      if (former.trial == leg.trial && former.seed == seed) stop(former.run);
    spec.name += fmt::format(" from {} at rung {}", *leg.origin, leg.rung - 1);
    const std::string& from = view.trials[*leg.origin].runs[static_cast<std::size_t>(seed)];
    std::int64_t step = 0;
    const std::string id = add_run(view.sweep, place, std::move(spec), [&](const std::string& fork) {
      step = run::lay_checkpoint(from, "", fork);
    });
    catalogue_.add_event(id, 0, step, "info", fmt::format("Forked from run {} after step {}.", from, step));
    return id;
  }

  // `prepare` may be empty.
  std::string add_run(const storage::Sweep& sweep, const storage::TrialRun& place, protocol::RunSpec spec,
                      const std::function<void(const std::string& id)>& prepare) {
    if (sweep.workplace.empty()) return sweeps_.submit(sweep.name, place, spec, prepare);
    // A run that rests at a rung there must not keep a machine for it.
    for (protocol::Trigger& trigger : spec.triggers) trigger.action = protocol::Trigger::Action::stop;
    return sweeps_.submit_elsewhere(sweep.name, place, spec, [&](const std::string& id) {
      storage::Origin origin = elsewhere_.prepare(sweep, id, spec);
      if (prepare) prepare(id);
      return origin;
    });
  }

  // Ends the paused runs that never go on, and of the others those that have rested longest: they have
  // processes of their own, and begin anew from their checkpoints where they go on after all.
  void retire(const SweepView& view) {
    std::vector<std::pair<double, std::string>> resting;  // since when
    for (const TrialView& trial : view.trials) {
      if (trial.standing.state == Standing::State::running) continue;
      const bool for_good = trial.standing.state != Standing::State::paused;
      for (const std::string& id : trial.runs) {
        if (id.empty() || retired_.contains(id)) continue;
        const auto run = catalogue_.run(id);
        if (!run || run->state != RunState::paused || run->supervisor_pid == 0)
          retired_.insert(id);
        else
          resting.emplace_back(for_good ? 0 : trial.ended, id);
      }
    }
    std::ranges::sort(resting);
    while (!resting.empty() && (resting.size() > kMostResting || resting.front().first == 0)) {
      stop(resting.front().second);
      resting.erase(resting.begin());
    }
    for (const SweepLeg& leg : view.rows)
      if (leg.outcome == SweepLeg::Outcome::under_way)
        for (const std::string& id : view.trials[leg.trial].runs) retired_.erase(id);
  }

  void stop(const std::string& id) {
    retired_.insert(id);
    try {
      pool::cancel(catalogue_, id);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::conflict && error.kind() != ErrorKind::not_found) throw;
    }
  }

  static std::string why_finished(const SweepView& view) {
    if (view.file.device_hours && view.device_hours >= *view.file.device_hours)
      return fmt::format("its {:.3g} device-hours are used up", *view.file.device_hours);
    return "";
  }

  // Ends a sweep, whatever kills this process in between: runs of a finished sweep that rest are stopped by
  // the next one, as long as the sweep is not over; those of legs that are under way are not to be taken for
  // stopped by a person.
  void end(const std::string& name, SweepState state, const std::string& message) {
    const auto stop_all = [&] {
      for_living_runs(catalogue_, name, [this](const std::string& run) { pool::cancel(catalogue_, run); });
    };
    failures_.erase(name);
    if (state == SweepState::finished) stop_all();
    sweeps_.set_state(name, state, message);
    if (state != SweepState::finished) stop_all();
  }

  storage::Catalogue catalogue_;
  storage::Sweeps sweeps_;
  Workplace& elsewhere_;
  const std::function<double()>& tick_;
  std::set<std::string> recalled_;  // sweeps that are not running, of whose runs elsewhere none does
  std::set<std::string> retired_;   // runs that rest without processes, as far as this process knows
  std::map<std::string, std::size_t>
      failures_;           // of sweeps that have no value yet, since they were begun or resumed
  bool troubled_ = false;  // the catalogue could not be used, and that was said
};

bool has_work() {
  if (!std::filesystem::exists(protocol::catalogue_path())) return false;  // and none is to be made
  storage::Catalogue catalogue(protocol::catalogue_path());
  return std::ranges::any_of(storage::Sweeps(catalogue).all(),
                             [](const storage::Sweep& sweep) { return sweep.state == SweepState::running; });
}

}  // namespace

double next_tick() {
  std::this_thread::sleep_for(kTick);
  return protocol::monotonic_seconds();
}

int run_driver(Workplace& elsewhere, const std::function<double()>& tick) {
  // A client that came with a sweep while the last one was about to end took it for alive.
  do {
    const run::StoreLock lock(kDriver);
    if (!lock.held()) return kExitOk;
    Driver(elsewhere, tick).exec();
  } while (has_work());
  return kExitOk;
}

}  // namespace batchscope::sweep
