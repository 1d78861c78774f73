// SPDX-License-Identifier: Apache-2.0
//
// logs: prints what the replicas wrote, line by line from logs/g<generation>-r<rank>.log, and with --follow
// also what they write from now on, through restarts, until the run has come to rest.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/run_spec.h"
#include "batchscope/run/log_times.h"
#include "commands/commands.h"
#include "files/log_tail.h"
#include "records/job_records.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "terminal/standard_output.h"
#include "terminal/terminal.h"
#include "text/format.h"
#include "text/program_text.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(200);

constexpr std::size_t kMostNamed = 3;  // generations, the newest

using protocol::LogName;

class LogPrinter {
 public:
  LogPrinter(const storage::Run& run, const LogOptions& options)
      : folder_(protocol::run_paths(run.id).logs), options_(options) {
    const auto names = listLogs(folder_);
    if (!options.since.empty()) from_ = storage::now() - protocol::parse_duration(options.since);
    if (!options.generation && !names.empty()) first_ = names.rbegin()->first.generation;
  }

  // False where nothing was new.
  bool printNew() {
    for (const auto& [name, path] : listLogs(folder_))
      if (wanted(name) && !tails_.contains(name))
        tails_.emplace(name, LogTail(path, from_ > 0 ? run::log_offset(path, from_) : 0));
    bool any = false;
    for (auto& [name, tail] : tails_)
      any = tail.read([&, &name = name](const std::string& line) { print(name, line); }) || any;
    flushOutput();
    return any;
  }

  void printRest() {
    for (const auto& [name, tail] : tails_)
      if (!tail.rest().empty()) print(name, tail.rest());
    flushOutput();
  }

  bool foundNone() const { return tails_.empty(); }
  // "generation 1: replica 0; generation 0: replicas 0 to 3": the newest.
  std::string presentLogs() const {
    std::map<int, std::set<int>, std::greater<>> ranks;
    for (const auto& [name, path] : listLogs(folder_)) ranks[name.generation].insert(name.rank);
    std::vector<std::string> texts;
    for (const auto& [generation, present] : ranks) {
      if (texts.size() == kMostNamed) break;
      texts.push_back(present.size() == 1 ? say("generation {}: replica {}", generation, *present.begin())
                                          : say("generation {}: replicas {} to {}", generation,
                                                *present.begin(), *present.rbegin()));
    }
    return texts.empty() ? say("none") : fmt::format("{}", fmt::join(texts, "; "));
  }

 private:
  bool wanted(const LogName& name) const {
    if (options_.replica && name.rank != *options_.replica) return false;
    return options_.generation ? name.generation == *options_.generation : name.generation >= first_;
  }

  // Prints a line; to a file or a pipe exactly as the program wrote it.
  void print(const LogName& name, const std::string& line) const {
    if (options_.json)
      return printJson({{"generation", name.generation}, {"replica", name.rank}, {"line", line}});
    const std::string shown = isOnTerminal_ ? shownLine(line) : line;
    if (options_.replica)
      fmt::print("{}\n", shown);
    else
      fmt::print("g{} r{} | {}\n", name.generation, name.rank, shown);
  }

  std::filesystem::path folder_;
  LogOptions options_;
  bool isOnTerminal_ = isTerminal(STDOUT_FILENO);
  int first_ = 0;    // the newest generation when we came
  double from_ = 0;  // s since 1970
  std::map<LogName, LogTail> tails_;
};

}  // namespace

int printLogs(const LogOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  storage::Run run = catalogue.resolve(options.run);
  LogPrinter printer(run, options);
  for (;;) {
    const bool mayGrow =
        options.follow && !isAtRest(catalogue, run);  // asked before reading: nothing is written later
    const bool grew = printer.printNew();
    if (!options.follow || (!grew && !mayGrow)) break;
    std::this_thread::sleep_for(kPollInterval);
    run = catalogue.resolve(run.id);
  }
  printer.printRest();
  if (printer.foundNone() && !options.follow) common::refusePending(catalogue, run);
  if (printer.foundNone() && !options.follow)
    throw Error(ErrorKind::not_found, say("{} has no such log in {}; it has {}", title(run),
                                          protocol::run_paths(run.id).logs.string(), printer.presentLogs()));
  return kExitOk;
}

}  // namespace batchscope::cli
