// SPDX-License-Identifier: Apache-2.0
#include "simulation/recorded_queue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <ranges>
#include <stdexcept>

#include "batchscope/goodput/noise_scale.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/series.h"
#include "batchscope/run/model.h"
#include "batchscope/run/step_times.h"
#include "batchscope/storage/catalogue.h"
#include "records/store.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace series = protocol::series;
using storage::Run;

constexpr char kPrefix[] = "runs:";
constexpr int kMostEpochs = 100'000;
constexpr double kSizeGrowth = 1.5;  // of the local batch sizes in a profile

// A recording of one run. Throws std::invalid_argument, naming what is missing.
class Recording {
 public:
  Recording(storage::Catalogue& catalogue, const Run& run)
      : catalogue_(catalogue), run_(run), file_(protocol::run_paths(run.id).samples) {
    require(std::filesystem::exists(file_), say("it has not trained yet"));
    const std::optional<protocol::Model> model = catalogue.model(run.id);
    require(model && model->perf && model->init_batch_size > 0,
            say("no performance model has been fitted yet"));
    model_ = *model;
    samples_.emplace(file_);
  }

  policy::ProfileData profile(const std::string& name) {
    policy::ProfileData data;
    data.name = name;
    data.epoch_rounding = 0;  // they may be shorter than a second
    data.accumulation = model_.accumulation;
    data.single_gradient = model_.single_gradient;
    const std::vector<Epoch> epochs = finished_epochs();
    const std::int64_t init = model_.init_batch_size, largest = std::max(model_.max_batch_size, init);
    for (const std::int64_t size : {init, largest}) data.trainings[size] = training(epochs, size);
    for (const auto& [replicas, factor] : measured_factors())
      data.placements[{replicas}] = step_times(replicas, factor, largest);
    return data;
  }

  std::int64_t init_batch_size() const { return model_.init_batch_size; }
  int most_replicas() { return measured_factors().rbegin()->first; }

 private:
  struct Epoch {
    double progress = 0;  // scale-invariant iterations in it
    goodput::GradParams gradient;
  };

  static void require(bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument(what);
  }

  // The newest value that there is of a step.
  std::optional<double> at(const char* name, std::int64_t step) {
    const std::vector<int> generations = samples_->generations(name);
    for (auto generation = generations.rbegin(); generation != generations.rend(); ++generation)
      if (const auto found = samples_->read(name, *generation, step, step);
          !found.empty() && std::isfinite(found.back().value))
        return found.back().value;
    return std::nullopt;
  }

  double mean(const char* name, std::int64_t first, std::int64_t last, double otherwise) {
    double sum = 0, count = 0;
    for (const int generation : samples_->generations(name))
      for (const storage::Bucket& bucket : samples_->summarize(name, generation, first, last, 1)) {
        if (!std::isfinite(bucket.mean)) continue;
        sum += bucket.mean * static_cast<double>(bucket.count);
        count += static_cast<double>(bucket.count);
      }
    return count > 0 ? sum / count : otherwise;
  }

  std::vector<Epoch> finished_epochs() {
    std::map<int, storage::Epoch> ended;  // by number, the newest
    for (const storage::Epoch& epoch : catalogue_.epochs(run_.id))
      if (epoch.last_step > 0) ended[epoch.number] = epoch;
    std::vector<Epoch> epochs;
    double before = 0;
    for (const auto& [number, epoch] : ended) {
      const std::optional<double> progress = at(series::kProgress, epoch.last_step);
      if (!progress || !(*progress > before)) continue;
      goodput::GradParams gradient{
          mean(series::kGradSqr, epoch.first_step, epoch.last_step, model_.grad_sqr),
          mean(series::kGradVar, epoch.first_step, epoch.last_step, model_.grad_var)};
      if (!(gradient.sqr >= 0 && gradient.var >= 0 && gradient.sqr + gradient.var > 0)) gradient = {1, 0};
      epochs.push_back({*progress - before, gradient});
      before = *progress;
    }
    require(!epochs.empty(), say("no epoch of it has ended"));
    const int epochCount = std::max(run_.epochs, static_cast<int>(epochs.size()));
    require(epochCount <= kMostEpochs, say("it has more epochs than can be simulated"));
    epochs.resize(static_cast<std::size_t>(epochCount), epochs.back());
    return epochs;
  }

  std::vector<policy::MeasuredEpoch> training(const std::vector<Epoch>& epochs, std::int64_t size) const {
    const double scale = static_cast<double>(size) / static_cast<double>(model_.init_batch_size);
    std::vector<policy::MeasuredEpoch> training;
    policy::MeasuredEpoch end;
    for (const Epoch& epoch : epochs) {
      end.progress += epoch.progress;
      end.iteration += epoch.progress / goodput::gain_of(epoch.gradient.sqr, epoch.gradient.var, scale);
      end.gradient = epoch.gradient;
      training.push_back(end);
    }
    return training;
  }

  // Returns the ratios of the time that steps took to the model's predictions, by the replicas that the run
  // has had.
  std::map<int, double> measured_factors() {
    std::map<int, std::pair<double, double>> sums;
    const std::vector<storage::Epoch> epochs = catalogue_.epochs(run_.id);
    for (const storage::Generation& generation : catalogue_.generations(run_.id)) {
      double steps = 0, measured = 0, predicted = 0;
      for (const run::StepTime& time : run::measure_step_times({generation}, *samples_, model_)) {
        const auto count = static_cast<double>(time.steps);
        steps += count;
        measured += count * time.measured;
        predicted += count * time.predicted;
      }
      if (steps == 0) continue;
      auto& [sum, all] = sums[generation.replicas];
      sum += whole_step(epochs, generation.number).value_or(measured / steps) / (predicted / steps) * steps;
      all += steps;
    }
    std::map<int, double> factors;
    for (const auto& [replicas, sum] : sums) factors[replicas] = sum.first / sum.second;
    require(!factors.empty(), say("no steps of it have been measured"));
    return factors;
  }

  // Returns the time from epoch to epoch within a generation, by step; none where it has not seen two begin.
  static std::optional<double> whole_step(const std::vector<storage::Epoch>& epochs, int generation) {
    const storage::Epoch *first = nullptr, *last = nullptr;
    for (const storage::Epoch& epoch : epochs) {
      if (epoch.generation != generation) continue;
      if (first == nullptr || epoch.number < first->number) first = &epoch;
      if (last == nullptr || epoch.number > last->number) last = &epoch;
    }
    if (first == last || last->first_step <= first->first_step) return std::nullopt;
    const double seconds = last->started - first->started;
    if (!(seconds > 0)) return std::nullopt;  // a clock was set back
    return seconds / static_cast<double>(last->first_step - first->first_step);
  }

  std::vector<policy::MeasuredStep> step_times(int replicas, double factor, std::int64_t largest) const {
    const goodput::PerfParams perf = run::perf_params(model_);
    const goodput::Devices own{.cores_per_replica = run::devices(model_).cores(replicas),
                               .fastest = model_.keeps_fastest_cores};
    const std::int64_t low = std::max<std::int64_t>(model_.min_local_batch_size, 1);
    const std::int64_t high = std::max(
        low, model_.max_local_batch_size > 0 ? std::min(model_.max_local_batch_size, largest) : largest);
    std::vector<policy::MeasuredStep> steps;
    for (std::int64_t size = low;;) {
      const double step = factor * goodput::step_time(perf, {1, replicas, size, 0}, own);
      const double alone =
          factor * (goodput::accumulation_time(perf, size, own.cores(replicas), replicas) + perf.update);
      steps.push_back({1, replicas, size, {step, replicas > 1 ? std::max(step - alone, 0.0) : 0}});
      if (size == high) return steps;
      size = std::min(high, static_cast<std::int64_t>(std::ceil(static_cast<double>(size) * kSizeGrowth)));
    }
  }

  storage::Catalogue& catalogue_;
  const Run& run_;
  const std::filesystem::path file_;
  protocol::Model model_;
  std::optional<storage::SampleReader> samples_;
};

class Reader {
 public:
  explicit Reader(const std::string& group) : catalogue_(openCatalogue()) {
    for (Run& run : catalogue_.runs())
      if (run.spec.group == group && run.state != storage::RunState::damaged) runs_.push_back(std::move(run));
    if (runs_.empty())
      throw Error(ErrorKind::not_found, say("no run is in the group \"{}\"; batchscope ls --where "
                                            "group!=\"\" lists those that are in one",
                                            printable(group)));
    std::stable_sort(runs_.begin(), runs_.end(),
                     [](const Run& a, const Run& b) { return a.created < b.created; });
    for (const Run& run : runs_) ++names_[run.name];
  }

  RecordedQueue read() {
    std::map<std::string, std::string> lacking;  // by id
    for (const Run& run : runs_)
      if (std::string why = record(run, run); !why.empty()) lacking[run.id] = std::move(why);
    if (queue_.applications.empty()) {
      std::string all;
      for (const Run& run : runs_) all += fmt::format("; {}: {}", nameOf(run), lacking[run.id]);
      throw Error(ErrorKind::usage, say("none of these runs has recorded enough to be simulated") + all);
    }
    for (const Run& run : runs_)
      if (lacking.contains(run.id)) substitute(run, lacking);
    for (const Run& run : runs_)
      if (const auto found = sizes_.find(nameOf(run)); found != sizes_.end())
        queue_.workload.push_back({nameOf(run), std::llround(run.created - runs_.front().created),
                                   nameOf(run), std::max(run.spec.replicas, 1), found->second});
    queue_.restart = restart();
    const std::map<std::string, double> given = first_devices();
    queue_.start = start(given);
    if (!given.empty()) queue_.opens = std::ranges::min(given | std::views::values) - runs_.front().created;
    queue_.turn = catalogue_.pool_settings().turn;
    return std::move(queue_);
  }

 private:
  static std::optional<double> mean(const std::vector<double>& seconds) {
    if (seconds.empty()) return std::nullopt;
    return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  }

  std::optional<double> restart() {
    std::vector<double> pauses;
    for (const Run& run : runs_)
      for (const storage::Generation& generation : catalogue_.generations(run.id))
        if (generation.pause >= 0) pauses.push_back(generation.pause);
    return mean(pauses);
  }

  // Returns when each run was given devices first, s since 1970, by its id.
  std::map<std::string, double> first_devices() {
    std::map<std::string, double> given;
    for (const storage::LeaseEvent& lease : catalogue_.lease_events(runs_.front().created))
      if (std::ranges::find(runs_, lease.run, &Run::id) != runs_.end())
        given.try_emplace(lease.run, lease.since);
    return given;
  }

  std::optional<double> start(const std::map<std::string, double>& given) {
    std::vector<double> seconds;
    for (const Run& run : runs_) {
      const std::vector<storage::Epoch> epochs = catalogue_.epochs(run.id);
      const auto begin = given.find(run.id);
      if (epochs.empty() || begin == given.end() || run.ended <= 0) continue;
      double first = epochs.front().started, last = epochs.front().ended;
      for (const storage::Epoch& epoch : epochs) {
        first = std::min(first, epoch.started);
        last = std::max(last, epoch.ended);
      }
      if (last > 0) seconds.push_back(std::max(first - begin->second, 0.0) + std::max(run.ended - last, 0.0));
    }
    return mean(seconds);
  }

  std::string nameOf(const Run& run) const {
    return names_.at(run.name) == 1 ? run.name : run.name + "-" + run.id;
  }

  // Takes the profile that `from` has recorded for `run`. Returns "", or what is missing.
  std::string record(const Run& run, const Run& from) {
    try {
      Recording recording(catalogue_, from);
      const std::string name = nameOf(run);
      queue_.applications.emplace(name, policy::Application(recording.profile(name)));
      sizes_[name] = recording.init_batch_size();
      if (recording.most_replicas() == 1 && &run == &from)
        queue_.notes.push_back(
            say("{} has trained on one replica only: the simulation assumes that more replicas cost "
                "nothing extra",
                printable(name)));
      return {};
    } catch (const std::exception& fault) {
      return fault.what();
    }
  }

  void substitute(const Run& run, const std::map<std::string, std::string>& lacking) {
    for (const Run& other : runs_) {
      if (lacking.contains(other.id) || other.spec.program != run.spec.program) continue;
      record(run, other);
      queue_.notes.push_back(say("{} has the profile of {}: {}", printable(nameOf(run)),
                                 printable(nameOf(other)), lacking.at(run.id)));
      return;
    }
    queue_.notes.push_back(say("{} is left out: {}", printable(nameOf(run)), printable(lacking.at(run.id))));
  }

  storage::Catalogue catalogue_;
  std::vector<Run> runs_;                      // the oldest first
  std::map<std::string, int> names_;           // and how many runs have each
  std::map<std::string, std::int64_t> sizes_;  // initial batch sizes, by name
  RecordedQueue queue_;
};

}  // namespace

std::optional<std::string> groupOf(const std::string& profiles) {
  if (!profiles.starts_with(kPrefix)) return std::nullopt;
  return profiles.substr(sizeof(kPrefix) - 1);
}

RecordedQueue readRecordedQueue(const std::string& group) { return Reader(group).read(); }

}  // namespace batchscope::cli
