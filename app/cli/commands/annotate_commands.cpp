// SPDX-License-Identifier: Apache-2.0
//
// tag, note, rename: change a run's tags, note and name, also while it trains.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "batchscope/storage/annotation.h"
#include "batchscope/storage/record_json.h"
#include "commands/commands.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "terminal/terminal.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Strings = std::vector<std::string>;

std::string standardInput() {
  std::string text(std::istreambuf_iterator<char>(std::cin), {});
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

int print(const storage::Run& run, bool json, const std::string& sentence) {
  return answer(json, {{"run", storage::run_json(run)}}, sentence);
}

}  // namespace

int tagRun(const TagOptions& options) {
  Strings added, removed;
  for (const std::string& word : options.changes) {
    const bool isSigned = word.starts_with('+') || word.starts_with('-');
    const std::string tag = word.substr(isSigned ? 1 : 0);
    storage::check_tag(tag);
    (word.starts_with('-') ? removed : added).push_back(tag);
  }
  for (const std::string& tag : added)
    if (std::find(removed.begin(), removed.end(), tag) != removed.end())
      throw Error(ErrorKind::usage,
                  say("tag \"{}\" cannot be both added and removed; give either +{} or -{}", tag, tag, tag));
  storage::Catalogue catalogue = openCatalogue();
  const std::string id = catalogue.resolve(options.run).id;
  if (!options.changes.empty()) catalogue.change_tags(id, added, removed);
  const storage::Run run = catalogue.resolve(id);
  return print(run, options.json,
               run.tags.empty() ? say("{} has no tags", title(run))
                                : fmt::format("{}: {}", title(run),
                                              printable(fmt::format("{}", fmt::join(run.tags, ", ")))));
}

int noteRun(const NoteOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  storage::Run run = catalogue.resolve(options.run);
  if (options.text) {
    const std::string text = *options.text == "-" ? standardInput() : *options.text;
    storage::check_note(text);
    catalogue.set_note(run.id, text);
    run = catalogue.resolve(run.id);
  }
  if (options.text || options.json)
    return print(run, options.json,
                 run.note.empty() ? say("cleared the note of {}", title(run))
                                  : say("wrote the note of {}", title(run)));
  if (run.note.empty())
    fmt::print(stderr, "batchscope: {}\n", say("{} has no note", title(run)));
  else
    fmt::print("{}\n", isTerminal(STDOUT_FILENO) ? printable_lines(run.note) : run.note);
  return kExitOk;
}

int renameRun(const RenameOptions& options) {
  const std::string& name = options.name;
  storage::check_name(name);
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run before = catalogue.resolve(options.run);
  catalogue.set_name(before.id, name);
  const storage::Run run = catalogue.resolve(before.id);
  return print(run, options.json, say("{} is now called {}", title(before), printable(name)));
}

}  // namespace batchscope::cli
