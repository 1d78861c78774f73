// SPDX-License-Identifier: Apache-2.0
#include "command_line/completion.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "batchscope/storage.h"
#include "batchscope/storage/sweeps.h"
#include "command_line/completion_scripts.h"
#include "records/store.h"
#include "text/format.h"

namespace batchscope::cli {
namespace {

using Strings = std::vector<std::string>;
using Values = CommandSet::Values;

constexpr std::size_t kMostCandidates = 500;

class Completer {
 public:
  Completer(const CommandSet& set, const Strings& words) : set_(set), typed_(words.back()) {
    read({words.begin(), std::prev(words.end())});
  }

  Completion complete() {
    if (isBehindDashes_) {
      result_.files = true;
    } else if (pending_ != nullptr) {
      addValues(*pending_, "");
    } else if (const auto equals = typed_.find('=');
               isFlag(typed_) && typed_.starts_with("--") && equals != std::string::npos) {
      const std::string flag = typed_.substr(0, equals);
      if (const CLI::Option* option = command_->get_option_no_throw(flag)) addValues(*option, flag + "=");
    } else if (isFlag(typed_)) {
      addFlags(*command_);
    } else if (CommandSet::isFamily(*command_)) {
      if (positionals_.empty()) addCommands(*command_);
    } else if (const CLI::Option* option = nextPositional()) {
      addValues(*option, "");
    }
    return std::move(result_);
  }

 private:
  void read(const Strings& words) {
    for (const std::string& word : words) {
      if (word == "--" && !flagsHaveEnded_) {
        flagsHaveEnded_ = true;
        isBehindDashes_ = set_.programArguments(*command_) != nullptr;
        if (isBehindDashes_) return;
        continue;
      }
      if (word == "=") continue;  // bash makes a word of it
      if (pending_ != nullptr) {
        pending_ = nullptr;
      } else if (isFlag(word)) {
        const CLI::Option* option = command_->get_option_no_throw(word);
        if (option != nullptr && option->get_items_expected_max() > 0) pending_ = option;
      } else if (const CLI::App* command = CommandSet::find(*command_, word);
                 command && positionals_.empty()) {
        command_ = command;
      } else {
        positionals_.push_back(word);
      }
    }
  }

  bool isFlag(const std::string& word) const { return !flagsHaveEnded_ && word.starts_with('-'); }

  const CLI::Option* nextPositional() const {
    std::size_t wordsUsed = 0;
    for (const CLI::Option* option : command_->get_options()) {
      if (!option->get_positional()) continue;
      const bool isList = option->get_items_expected_max() > 1;
      if (isList || wordsUsed == positionals_.size()) return option;
      ++wordsUsed;
    }
    return nullptr;
  }

  void add(const std::string& text, const std::string& description) {
    if (text.starts_with(typed_) && result_.candidates.size() < kMostCandidates)
      result_.candidates.push_back({text, printable(description)});
  }

  void addCommands(const CLI::App& family) {
    for (const std::string& name : CommandSet::commandNames(family))
      add(name, CommandSet::find(family, name)->get_description());
  }

  // Adds the commands of the family that the words so far name, as `help` takes them.
  void addTopics() {
    const CLI::App* family = &set_.app();
    for (const std::string& word : positionals_)
      if (family != nullptr) family = CommandSet::find(*family, word);
    if (family != nullptr) addCommands(*family);
  }

  void addFlags(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) add("--" + name, option->get_description());
  }

  // `before` is put before each value: the shell takes it as part of the same word.
  void addValues(const CLI::Option& option, const std::string& before) {
    switch (set_.valuesOf(&option)) {
      case Values::unknown: break;
      case Values::words:
        for (const std::string& word : set_.wordsOf(&option)) add(before + word, "");
        break;
      case Values::commands: addTopics(); break;
      case Values::files: result_.files = true; break;
      case Values::runs: addRuns(runs(false), before); break;
      case Values::removedRuns: addRuns(runs(true), before); break;
      case Values::jobs: addNamed(queuedRuns(), before); break;
      case Values::sweeps: addSweeps(before); break;
      case Values::series: addSeries(before); break;
      case Values::fields: addFields(before);
    }
  }

  static std::vector<storage::Run> runs(bool removed) {
    if (!std::filesystem::exists(protocol::catalogue_path())) return {};
    storage::Catalogue catalogue = openCatalogue();
    return removed ? catalogue.trash() : catalogue.runs();
  }

  static std::vector<storage::Run> queuedRuns() {
    std::vector<storage::Run> queued;
    if (!std::filesystem::exists(protocol::catalogue_path())) return queued;
    storage::Catalogue catalogue = openCatalogue();
    for (const storage::Job& job : catalogue.jobs())
      if (auto run = catalogue.run(job.run)) queued.push_back(std::move(*run));
    return queued;
  }

  void addRuns(const std::vector<storage::Run>& runs, const std::string& before) {
    if (!runs.empty()) add(before + "latest", title(runs.front()));
    addNamed(runs, before);
  }

  void addNamed(const std::vector<storage::Run>& runs, const std::string& before) {
    const double now = storage::now();
    const auto describe = [&](const storage::Run& run) {
      return std::string(protocol::run_state_name(run.state)) + ", " + formatAge(now - run.created);
    };
    std::multiset<std::string> names;
    for (const storage::Run& run : runs) names.insert(run.name);
    for (const storage::Run& run : runs)
      if (names.count(run.name) == 1 && printable(run.name) == run.name)
        add(before + run.name, describe(run));
    for (const storage::Run& run : runs) add(before + run.id, run.name + ", " + describe(run));
  }

  void addSweeps(const std::string& before) {
    if (!std::filesystem::exists(protocol::catalogue_path())) return;
    storage::Catalogue catalogue = openCatalogue();
    const std::vector<storage::Sweep> sweeps = storage::Sweeps(catalogue).all();
    if (!sweeps.empty()) add(before + "latest", sweeps.front().name);
    for (const storage::Sweep& sweep : sweeps)
      add(before + sweep.name, fmt::format("{}, {}", storage::sweep_state_name(sweep.state),
                                           formatAge(storage::now() - sweep.created)));
  }

  // Adds the series of the run that the line names.
  void addSeries(const std::string& before) {
    if (!std::filesystem::exists(protocol::catalogue_path()) || positionals_.empty()) return;
    const std::string id = openCatalogue().resolve(positionals_.front()).id;
    storage::SampleReader samples(protocol::run_paths(id).samples);
    for (const storage::SeriesInfo& info : samples.series())
      add(before + info.name, plural(info.count, "sample"));
  }

  // Lists of fields are separated by commas, and -FIELD sorts the other way.
  void addFields(std::string before) {
    const auto comma = typed_.rfind(',');
    if (comma != std::string::npos)
      before = typed_.substr(0, comma + 1);
    else if (typed_.starts_with('-') && before.empty())
      before = "-";
    for (const std::string& name : storage::field_names(runs(false))) add(before + name, "");
  }

  const CommandSet& set_;
  std::string typed_;
  const CLI::App* command_ = &set_.app();
  const CLI::Option* pending_ = nullptr;  // the flag whose value is typed
  Strings positionals_;
  bool isBehindDashes_ = false;  // the word that is typed belongs to the program
  bool flagsHaveEnded_ = false;  // by "--"
  Completion result_;
};

}  // namespace

Completion complete(const CommandSet& set, Strings words) {
  if (words.empty()) words.emplace_back();
  if (words.back() == "=") words.back().clear();
  try {
    return Completer(set, words).complete();
  } catch (const std::exception&) {  // nobody wants to read it in the middle of a line
    return {};
  }
}

std::string completionText(const Completion& completion) {
  if (completion.files) return ":files\n";
  std::string text;
  for (const Candidate& candidate : completion.candidates)
    text += candidate.text + '\t' + candidate.description + '\n';
  return text;
}

const char* completionScript(const std::string& shell) {
  if (shell == "zsh") return scripts::kZsh;
  return shell == "fish" ? scripts::kFish : scripts::kBash;
}

}  // namespace batchscope::cli
