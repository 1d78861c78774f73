// SPDX-License-Identifier: Apache-2.0
//
// import of runs that other trackers have recorded (trackers/run_source.h): all of them once, or with --watch
// also what is being written, until Ctrl-C. A run that cannot be read does not stop the others.
#include "commands/import_trackers.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <thread>

#include "records/store.h"
#include "terminal/interruption.h"
#include "terminal/json_output.h"
#include "terminal/standard_output.h"
#include "terminal/transfer_progress.h"
#include "text/say.h"
#include "trackers/imported_run.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;
using protocol::Json;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenLooks{1000}, kSliceOfWait{50};
// Seconds without a new byte until a watched run is not taken for one that trains.
constexpr double kTrainsUntil = 60;

std::vector<RunSource> sourcesOf(const std::vector<fs::path>& paths) {
  std::map<fs::path, RunSource> sources;  // files of one folder are one run
  for (const fs::path& path : paths)
    for (RunSource& source : sourcesAt(path)) sources.try_emplace(source.place, source);
  std::vector<RunSource> list;
  for (auto& [place, source] : sources) list.push_back(std::move(source));
  return list;
}

// The folder above all of them.
fs::path commonFolder(const std::vector<RunSource>& sources) {
  fs::path common = sources.front().place.parent_path();
  for (const RunSource& source : sources)
    while (source.place != common && source.place.lexically_relative(common).string().starts_with(".."))
      common = common.parent_path();
  return common;
}

// Returns the name that TensorBoard gives a run: its path below the folder that is shown.
std::string nameBelow(const fs::path& common, const RunSource& source) {
  fs::path name = source.place == common ? source.place.filename() : source.place.lexically_relative(common);
  if (source.tracker == Tracker::csv) name.replace_extension();
  return name.string();
}

std::int64_t bytesOf(const RunSource& source) {
  std::int64_t bytes = 0;
  for (const fs::path& file : source.files()) {
    std::error_code fault;
    if (const auto size = fs::file_size(file, fault); !fault) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

// s since the newest byte was written.
double ageOf(const RunSource& source) {
  auto newest = fs::file_time_type::min();
  for (const fs::path& file : source.files()) {
    std::error_code fault;
    if (const auto time = fs::last_write_time(file, fault); !fault) newest = std::max(newest, time);
  }
  return std::chrono::duration<double>(fs::file_time_type::clock::now() - newest).count();
}

class TrackerImport {
 public:
  TrackerImport(const ImportOptions& options, const std::vector<fs::path>& paths)
      : options_(options), paths_(paths), sources_(sourcesOf(paths)), catalogue_(openCatalogue()) {
    if (!options.name.empty() && sources_.size() > 1)
      throw Error(ErrorKind::usage, say("--name is for one run; these paths hold {}", sources_.size()));
    if (!sources_.empty()) common_ = commonFolder(sources_);
  }

  int once() {
    std::int64_t bytes = 0;
    for (const RunSource& source : sources_) bytes += bytesOf(source);
    try {
      TransferProgress progress(say("importing {}", plural(sources_.size(), "run")), bytes);
      for (const RunSource& source : sources_)
        attempt(source, [&] {
          const auto run = begin(source);
          run->read([&](std::int64_t count) { progress.add(count); }, false);
          report(*run);
        });
    } catch (const Interrupted&) {
      fmt::print(stderr, "batchscope: {}\n",
                 say("what was read so far is in the store; the same command reads the rest"));
      throw;
    }
    return tell();
  }

  int watch() {
    fmt::print(stderr, "batchscope: {}\n", say("watching; Ctrl-C ends it"));
    try {
      for (;; pause()) look();
    } catch (const Interrupted&) {
    }
    for (auto& [place, watched] : watched_)
      if (watched.run)
        attempt(watched.run->source(), [&] {
          readWatched(watched, false);
          report(*watched.run);
        });
    return tell();
  }

 private:
  struct Watched {
    std::unique_ptr<ImportedRun> run;  // none: it cannot be read
    bool isLive = false, isTold = false;
  };

  std::unique_ptr<ImportedRun> begin(const RunSource& source) {
    return std::make_unique<ImportedRun>(catalogue_, source,
                                         options_.name.empty() ? nameBelow(common_, source) : options_.name);
  }

  template <class Body>
  void attempt(const RunSource& source, Body&& body) {
    try {
      body();
    } catch (const Error& error) {
      if (sources_.size() == 1) throw;
      const std::string place = source.place.string();
      const std::string what = error.what();
      troubles_.push_back(what.find(place) == std::string::npos ? printable(place) + ": " + what : what);
      code_ = exit_code(error.kind());
    }
  }

  void report(const ImportedRun& run) {
    const std::vector<std::string> troubles = run.troubles();
    troubles_.insert(troubles_.end(), troubles.begin(), troubles.end());
    const std::string place = printable(run.source().place.string());
    if (run.run().id.empty()) {
      if (troubles.empty()) troubles_.push_back(say("{}: it holds no values", place));
      return;
    }
    samples_ += run.samples();
    runs_.push_back({{"id", run.run().id},
                     {"name", run.run().name},
                     {"tracker", trackerName(run.source().tracker)},
                     {"from", run.source().place.string()},
                     {"new", run.isNew()},
                     {"samples", run.samples()},
                     {"not_read", troubles}});
    lines_.push_back(run.isNew() ? say("imported {} with {} of {} series from {} ({})", title(run.run()),
                                       plural(run.samples(), "sample"), run.series(), place,
                                       trackerName(run.source().tracker))
                     : run.samples() == 1
                         ? say("{} was here already; 1 sample is new", title(run.run()))
                         : say("{} was here already; {} samples are new", title(run.run()), run.samples()));
  }

  int tell() const {
    for (const std::string& trouble : troubles_) fmt::print(stderr, "batchscope: {}\n", trouble);
    if (runs_.empty()) {
      if (code_ != kExitOk) return code_;
      throw Error(ErrorKind::not_found,
                  say("nothing was imported: import reads what `batchscope export` wrote, and "
                      "runs of TensorBoard, CSV, W&B and MLflow (batchscope import --help)"));
    }
    if (options_.json) {
      printJson({{"imported", runs_.back()["id"]}, {"samples", samples_}, {"runs", runs_}});
    } else {
      for (const std::string& line : lines_) fmt::print("{}\n", line);
      flushOutput();
    }
    return code_;
  }

  // Takes what is new of all runs, and runs that are new.
  void look() {
    sources_ = sourcesOf(paths_);
    if (common_.empty() && !sources_.empty()) common_ = commonFolder(sources_);
    for (const RunSource& source : sources_) {
      throwIfInterrupted();
      const auto [found, isNew] = watched_.try_emplace(source.place);
      Watched& watched = found->second;
      attempt(source, [&, isNew = isNew] {
        if (isNew) watched.run = begin(source);
        const bool isLive = ageOf(source) < kTrainsUntil;
        if (watched.run && (watched.run->hasGrown() || isLive != watched.isLive))
          readWatched(watched, isLive);
      });
    }
  }

  void readWatched(Watched& watched, bool isLive) {
    watched.run->read([](std::int64_t) {}, isLive);
    watched.isLive = isLive;
    if (watched.isTold || watched.run->run().id.empty()) return;
    watched.isTold = true;
    fmt::print(
        stderr, "batchscope: {}\n",
        say("reading {} as {}", printable(watched.run->source().place.string()), title(watched.run->run())));
  }

  static void pause() {
    for (auto waited = milliseconds(0); waited < kBetweenLooks; waited += kSliceOfWait) {
      throwIfInterrupted();
      std::this_thread::sleep_for(kSliceOfWait);
    }
  }

  const ImportOptions& options_;
  std::vector<fs::path> paths_;
  std::vector<RunSource> sources_;
  fs::path common_;
  storage::Catalogue catalogue_;
  std::map<fs::path, Watched> watched_;
  std::int64_t samples_ = 0;
  Json runs_ = Json::array();
  std::vector<std::string> lines_, troubles_;
  int code_ = kExitOk;
};

}  // namespace

int importFromTrackers(const ImportOptions& options, const std::vector<fs::path>& paths) {
  const InterruptionGuard guard;
  TrackerImport import(options, paths);
  return options.watch ? import.watch() : import.once();
}

}  // namespace batchscope::cli
