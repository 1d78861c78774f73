// SPDX-License-Identifier: Apache-2.0
#include "record/recorder.h"

#include <fmt/format.h>
#include <cmath>
#include <filesystem>
#include <set>
#include <type_traits>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/series.h"
#include "record/checkpoint_ledger.h"
#include "record/predecessor.h"

namespace batchscope::run {

using namespace protocol;

namespace {

constexpr std::size_t kMostRefused = 100;  // series that an event is made of, in a generation
constexpr double kLongestUptime = 1e9;     // s, 31 years

// Throws Error(usage), naming the message and its field, for a time that no machine's CLOCK_MONOTONIC shows:
// that of a program which takes another clock, such as nanoseconds since 1970.
void check_times(const Message& message) {
  const auto check = [&](const char* name, double time) {
    if (!(std::abs(time) < kLongestUptime))
      throw Error(ErrorKind::usage,
                  fmt::format("telemetry message {}, field \"{}\": {} is not a time: it takes seconds of "
                              "CLOCK_MONOTONIC",
                              parse_object(encode(message)).at("type").dump(), name, time));
  };
  std::visit(
      [&](const auto& m) {
        using T = std::decay_t<decltype(m)>;
        if constexpr (requires { m.mono; }) check("mono", m.mono);
        if constexpr (std::is_same_v<T, Hello>) check("started", m.started);
        if constexpr (std::is_same_v<T, Heartbeat>) check("since", m.since);
        if constexpr (std::is_same_v<T, CheckpointWritten>)
          check("began", m.began), check("last_step", m.last_step);
        if constexpr (std::is_same_v<T, Steps>)
          if (const auto mono = m.columns.find(series::kMono); mono != m.columns.end())
            for (const double time : mono->second) check(series::kMono, time);
      },
      message);
}

}  // namespace

Recorder::Recorder(storage::Catalogue& catalogue, const std::string& run, const RunPaths& paths,
                   std::size_t most_waiting)
    : catalogue_(catalogue),
      run_(run),
      paths_(paths),
      samples_(open_samples(paths.samples, samples_set_aside_)),
      offset_(storage::now() - monotonic_seconds()),
      most_waiting_(most_waiting) {
  for (const storage::Epoch& epoch : catalogue.epochs(run)) epochs_[epoch.number] = epoch;
}

// Damaged series do not cost the run: what can be read of them goes on in a new file, and the old one is
// kept.
storage::SampleWriter Recorder::open_samples(const std::filesystem::path& file, std::string& set_aside) {
  try {
    return storage::SampleWriter(file);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    std::filesystem::path aside;
    for (int number = 1; aside.empty() || std::filesystem::exists(aside); ++number)
      aside = fmt::format("{}.damaged-{}", file.string(), number);
    for (const char* suffix : {"-wal", "-shm", ""}) {
      std::error_code ignored;  // neither of the first two need be there
      std::filesystem::rename(file.string() + suffix, aside.string() + suffix, ignored);
    }
    const std::int64_t saved = storage::recover_samples(aside, file);
    set_aside = fmt::format(
        "the series recorded so far are damaged and were set aside as {}; {} of their values could be read "
        "and are kept: {}",
        aside.filename().string(), saved, error.what());
    return storage::SampleWriter(file);
  }
}

void Recorder::begin_generation(int number) {
  generation_ = number;
  last_step_ = dropped_ = 0;
  refused_.clear();
  if (!samples_set_aside_.empty()) event(0, "warning", std::exchange(samples_set_aside_, {}));
}

// Values that a series refuses are left out of it; that does not end the telemetry of a replica.
void Recorder::append(const std::string& series, std::int64_t first_step, std::span<const double> values) {
  try {
    samples_.append(generation_, series, first_step, values);
  } catch (const Error& error) {
    if (refused_.size() < kMostRefused && refused_.insert(series).second)
      event(last_step_, "warning", std::string("values are missing from the charts: ") + error.what());
  }
}

void Recorder::take(const Message& message) {
  check_times(message);
  std::visit(
      [this](const auto& m) {
        using T = std::decay_t<decltype(m)>;
        const int generation = generation_;
        if constexpr (std::is_same_v<T, Steps>) {
          take_steps(m);
        } else if constexpr (std::is_same_v<T, Scalar>) {
          if (m.step < 0) throw Error(ErrorKind::usage, "a scalar needs a step of at least 0");
          append(m.name, m.step, std::span(&m.value, 1));
        } else if constexpr (std::is_same_v<T, EpochMark>) {
          take_epoch(m);
        } else if constexpr (std::is_same_v<T, LedgerEntry>) {
          queue_if_room([=, this](auto& catalogue) { catalogue.add_ledger(run_, generation, m); });
        } else if constexpr (std::is_same_v<T, Model>) {
          queue_if_room([=, this](auto& catalogue) { catalogue.put_model(run_, generation, m); });
        } else if constexpr (std::is_same_v<T, CheckpointWritten>) {
          take_checkpoint(m);
        } else if constexpr (std::is_same_v<T, Hyperparameters>) {
          queue_if_room([=, this](auto& catalogue) { catalogue.put_hyperparameters(run_, m.values); });
        }
      },
      message);
}

void Recorder::measured(std::int64_t step, const std::vector<std::pair<std::string, double>>& values) {
  for (const auto& [series, value] : values) append(series, step, std::span(&value, 1));
}

void Recorder::take_steps(const Steps& steps) {
  const auto mono = steps.columns.find(series::kMono);
  if (steps.first_step < 1 || mono == steps.columns.end())
    throw Error(ErrorKind::usage, "steps begin with 1 and carry the column \"mono\"");
  for (const auto& [name, values] : steps.columns)
    if (name != series::kMono) append(name, steps.first_step, values);
  std::vector<double> times = mono->second;
  for (double& time : times) time = wall(time);
  append(series::kTime, steps.first_step, times);
  if (!times.empty()) last_step_ = steps.first_step + static_cast<std::int64_t>(times.size()) - 1;
  if (steps.dropped > dropped_)
    event(last_step_, "warning",
          fmt::format("{} steps are missing from the charts: the supervisor did not read telemetry in time",
                      steps.dropped - dropped_));
  dropped_ = steps.dropped;
}

// An epoch is one row, in the generation in which it began, however many restarts it saw. After a crash the
// replicas begin again what the checkpoint does not know of, in a row of the new generation.
void Recorder::take_epoch(const EpochMark& mark) {
  if (mark.begin || !epochs_.contains(mark.epoch))
    epochs_[mark.epoch] = {mark.epoch, generation_, wall(mark.mono), 0, mark.step + 1, 0};
  storage::Epoch& epoch = epochs_[mark.epoch];
  if (!mark.begin) {
    epoch.ended = wall(mark.mono);
    epoch.last_step = mark.step;
  }
  queue_if_room([this, epoch](auto& catalogue) { catalogue.put_epoch(run_, epoch); });
}

void Recorder::take_checkpoint(const CheckpointWritten& m) {
  const storage::Checkpoint row{m.name,       generation_,      m.step,  m.epoch, m.progress,
                                wall(m.mono), m.mono - m.began, m.bytes, m.reason};
  queue([this, row](auto& catalogue) {
    catalogue.put_checkpoint(run_, row);
    // The replicas keep the last few and remove the rest.
    std::set<std::string> there;
    for (const auto& directory : present_checkpoints()) there.insert(directory.filename().string());
    if (there.empty()) return;
    for (const auto& known : catalogue.checkpoints(run_))
      if (!there.contains(known.name)) catalogue.remove_checkpoint(run_, known.name);
  });
}

// None where the folder cannot be read: nothing is known of them then, and nothing waits for that.
std::vector<std::filesystem::path> Recorder::present_checkpoints() const {
  try {
    return list_checkpoints(paths_.checkpoints);
  } catch (const Error&) {
    return {};
  }
}

// Adopts checkpoints as they are now: what the next generation writes is told by itself.
void Recorder::adopt_checkpoints() {
  queue([this, generation = generation_, present = present_checkpoints()](auto& catalogue) {
    run::adopt_checkpoints(catalogue, run_, generation, present, paths_.memory);
  });
}

void Recorder::restored(const std::string& checkpoint) {
  Manifest manifest;  // of a fresh start
  try {
    if (!checkpoint.empty()) manifest = read_manifest(paths_.checkpoints / checkpoint, paths_.memory);
  } catch (const Error&) {
    return;  // somebody has removed it since; the next one says as much
  }
  queue([this, manifest](auto& catalogue) {
    catalogue.set_ledger(run_, ledger_at(manifest, catalogue.ledger(run_)));
  });
}

void Recorder::put(const storage::Generation& generation) {
  queue([=, this](auto& catalogue) { catalogue.put_generation(run_, generation); });
}

void Recorder::event(std::int64_t step, const std::string& level, const std::string& text) {
  queue_if_room([=, this, generation = generation_](auto& catalogue) {
    catalogue.add_event(run_, generation, step, level, text);
  });
}

void Recorder::spec(const RunSpec& spec) {
  queue([=, this](auto& catalogue) {
    RunSpec current = spec;
    if (const auto run = catalogue.run(run_)) current.group = run->spec.group;  // a person's, at any time
    catalogue.set_spec(run_, current);
  });
}

void Recorder::state(RunState state, const std::string& message) {
  queue([=, this](auto& catalogue) { catalogue.set_state(run_, state, message); });
}

void Recorder::progress(std::int64_t step, int epoch, int epochs, double fraction,
                        const std::map<std::string, double>& latest) {
  if (!writes_.empty()) return;  // the next one says more
  queue([=, this](auto& catalogue) { catalogue.set_progress(run_, step, epoch, epochs, fraction, latest); });
}

void Recorder::queue_if_room(Write write) {
  if (writes_.size() < most_waiting_)
    queue(std::move(write));
  else
    ++dropped_writes_;
}

void Recorder::flush() {
  bool is_writable = false;
  while (!writes_.empty()) {
    try {
      writes_.front()(catalogue_);
      is_writable = true;
    } catch (const Error& error) {
      trouble(catalogue_trouble_, error.what());
      // A full disk or a lock passes; anything else would fail for ever and hold up what comes after.
      if (error.kind() == ErrorKind::io || error.kind() == ErrorKind::timeout) return;
      ++dropped_writes_;
      is_writable = false;
    }
    writes_.pop_front();
  }
  if (catalogue_trouble_.reported && is_writable)
    tell_resumed(catalogue_trouble_, "events and states", std::exchange(dropped_writes_, 0), "of them");
}

void Recorder::flush(int attempts, const std::function<void()>& wait) {
  flush();
  for (; attempts > 0 && !flushed(); --attempts) {
    wait();
    flush();
  }
}

void Recorder::commit() {
  try {
    samples_.commit();
    const std::int64_t dropped =
        samples_.dropped() - std::exchange(dropped_values_reported_, samples_.dropped());
    if (samples_trouble_.reported) tell_resumed(samples_trouble_, "series", dropped, "values of that time");
  } catch (const Error& error) {
    trouble(samples_trouble_, error.what());
  }
  for (const auto& repairs = samples_.repairs(); repairs_reported_ < repairs.size(); ++repairs_reported_)
    event(last_step_, "warning", repairs[repairs_reported_]);
}

void Recorder::trouble(Trouble& trouble, const std::string& what) {
  if (trouble.reported) return;
  trouble = {true, monotonic_seconds()};
  if (on_trouble) on_trouble("the run's records cannot be written, training goes on: " + what);
}

void Recorder::tell_resumed(Trouble& trouble, const std::string& what, std::int64_t missing,
                            const std::string& unit) {
  const auto seconds = static_cast<std::int64_t>(std::ceil(monotonic_seconds() - trouble.since));
  trouble = {};
  event(last_step_, missing == 0 ? "info" : "warning",
        fmt::format("the run's {} could not be written for {} s; they are recorded again, and {}", what,
                    seconds,
                    missing == 0 ? "none is missing" : fmt::format("{} {} are missing", missing, unit)));
}

}  // namespace batchscope::run
