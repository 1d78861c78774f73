// SPDX-License-Identifier: Apache-2.0
//
// tail: prints the newest values of some series, a line for each step, and new ones until the run is at rest.
// No step is left out.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

#include "batchscope/protocol/series.h"
#include "batchscope/protocol/suggestion.h"
#include "batchscope/storage/samples.h"
#include "commands/commands.h"
#include "records/job_records.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "terminal/standard_output.h"
#include "terminal/terminal.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace series = protocol::series;
using Strings = std::vector<std::string>;

constexpr auto kTailInterval = std::chrono::milliseconds(200);
constexpr int kLinesPerHead = 40;  // on a terminal the heading is repeated
const Strings kUsual{series::kLoss, series::kGain, series::kBatchSize, series::kGoodput, series::kAccuracy};

class Follower {
 public:
  Follower(const storage::Run& run, const TailOptions& options)
      : options_(options), reader_(protocol::run_paths(run.id).samples), names_(options.series) {
    Strings known;
    for (const storage::SeriesInfo& info : reader_.series()) known.push_back(info.name);
    const auto isKnown = [&](const std::string& name) {
      return std::find(known.begin(), known.end(), name) != known.end();
    };
    for (const std::string& name : names_)
      if (!isKnown(name))
        throw Error(ErrorKind::not_found,
                    say("{} has no series \"{}\"{}; batchscope show lists them", title(run), printable(name),
                        protocol::did_you_mean(name, known)));
    if (names_.empty()) std::copy_if(kUsual.begin(), kUsual.end(), std::back_inserter(names_), isKnown);
    if (names_.empty()) names_ = known;
    begin();
  }

  // False where nothing was new.
  bool printNew() {
    bool any = false;
    for (const int generation : generations()) {
      if (generation < generation_) continue;
      std::map<std::int64_t, std::map<std::string, double>> rows;  // the last value of a step counts
      for (const std::string& name : names_)
        for (const storage::Sample& sample : reader_.read(name, generation, next(generation, name))) {
          next_[{generation, name}] = sample.step + 1;
          if (options_.json)
            printJson({{"generation", generation},
                       {"step", sample.step},
                       {"series", name},
                       {"value", protocol::encode_number(sample.value)}});
          rows[sample.step][name] = sample.value;
          any = true;
        }
      if (!options_.json)
        for (const auto& [step, values] : rows) print(generation, step, values);
    }
    flushOutput();
    return any;
  }

 private:
  std::vector<int> generations() {
    std::vector<int> all;
    for (const std::string& name : names_)
      for (const int generation : reader_.generations(name)) all.push_back(generation);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  // So many steps before the newest, in the newest generation.
  void begin() {
    const std::vector<int> all = generations();
    if (all.empty()) return;
    generation_ = all.back();
    std::int64_t newest = 0;
    for (const std::string& name : names_)
      if (const auto whole = reader_.summarize(name, generation_, 0, INT64_MAX, 1); !whole.empty())
        newest = std::max(newest, whole.back().last_step);
    first_ = std::max<std::int64_t>(0, newest - options_.lines + 1);
  }

  std::int64_t next(int generation, const std::string& name) const {
    const auto found = next_.find({generation, name});
    if (found != next_.end()) return found->second;
    return generation == generation_ ? first_ : 0;
  }

  int width(const std::string& name) const { return std::max(displayWidth(printable(name)), 14); }

  void print(int generation, std::int64_t step, const std::map<std::string, double>& values) {
    if (printed_ == 0 || (isTerminal(STDOUT_FILENO) && printed_ % kLinesPerHead == 0)) {
      std::string head = fmt::format("{:>10}  {:>3}", say("STEP"), say("GEN"));
      for (const std::string& name : names_) head += fmt::format("  {:>{}}", printable(name), width(name));
      fmt::print("{}\n", terminalStyle(STDOUT_FILENO).paint(head, Colour::bold));
    }
    ++printed_;
    std::string line = fmt::format("{:>10}  {:>3}", step, generation);
    for (const std::string& name : names_) {
      const auto found = values.find(name);
      line += fmt::format("  {:>{}}", found == values.end() ? "-" : formatSeriesValue(name, found->second),
                          width(name));
    }
    fmt::print("{}\n", line);
  }

  const TailOptions& options_;
  storage::SampleReader reader_;
  Strings names_;
  int generation_ = 0;      // the newest when we came
  std::int64_t first_ = 0;  // step of it
  std::map<std::pair<int, std::string>, std::int64_t> next_;
  std::int64_t printed_ = 0;
};

}  // namespace

int tailRun(const TailOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  storage::Run run = catalogue.resolve(options.run);
  std::optional<Follower> follower;
  for (;;) {
    const bool mayGrow = !options.once && !isAtRest(catalogue, run);  // asked before reading
    if (!follower && (!mayGrow || std::filesystem::exists(protocol::run_paths(run.id).samples)))
      follower.emplace(run, options);
    const bool grew = follower && follower->printNew();
    if (!mayGrow && !grew) break;
    if (!mayGrow && options.once) break;
    std::this_thread::sleep_for(kTailInterval);
    run = catalogue.resolve(run.id);
  }
  return kExitOk;
}

}  // namespace batchscope::cli
