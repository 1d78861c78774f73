// SPDX-License-Identifier: Apache-2.0
//
// gc: deletes what nobody will miss: runs that have been in the trash for long, remains of a purge or an
// import that was killed, and empty folders that belong to no run. When asked, also checkpoints of runs at
// rest, except the newest and those made by hand. It lists what it would delete, and then asks. It never
// deletes a folder that holds a run which the catalogue does not list: it may be all that is left of that
// run.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "commands/commands.h"
#include "records/run_folders.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "terminal/standard_output.h"
#include "text/say.h"
#include "text/table.h"

namespace batchscope::cli {
namespace {

constexpr double kDay = 86400;  // s

struct Item {
  std::string kind;  // "run", "folder", "checkpoint"
  std::string name;
  std::string why;
  std::int64_t bytes = 0;
  std::function<void()> remove;
};

class Collector {
 public:
  explicit Collector(const CollectOptions& options) : options_(options), catalogue_(openCatalogue()) {
    collectTrash();
    collectFolders();
    if (options_.checkpoints) collectCheckpoints();
    unlisted_ = unlistedRuns(catalogue_);
  }

  const std::vector<Item>& items() const { return items_; }
  const std::vector<std::string>& unlisted() const { return unlisted_; }

 private:
  void collectTrash() {
    const double now = storage::now();
    for (const storage::Run& run : catalogue_.trash()) {
      if (now - run.removed < options_.days * kDay || isHeld(run)) continue;
      items_.push_back({word("run"), title(run), say("removed {}", formatAge(now - run.removed)),
                        protocol::valid_run_id(run.id) ? folderBytes(protocol::run_paths(run.id).root) : 0,
                        [this, id = run.id] { storage::purge_removed(catalogue_, id); }});
    }
  }

  void collectFolders() {
    for (const auto& folder : orphanedFolders(catalogue_))
      items_.push_back(
          {word("folder"), folder.string(), say("belongs to no run"), folderBytes(folder), [this, folder] {
             // A process may have begun to fill it while the person was asked.
             const auto orphans = orphanedFolders(catalogue_);
             if (std::find(orphans.begin(), orphans.end(), folder) != orphans.end())
               storage::remove_folder(folder);
           }});
  }

  void collectCheckpoints() {
    for (const storage::Run& run : catalogue_.runs()) {
      if (isHeld(run) || run.state == protocol::RunState::damaged) continue;
      std::vector<storage::Checkpoint> all;  // newest first
      try {
        all = catalogue_.checkpoints(run.id);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::corrupt) throw;
        fmt::print(stderr, "batchscope: {}\n", say("left alone: {}", printable(error.what())));
      }
      for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i].reason == "manual") continue;
        const auto folder = protocol::run_paths(run.id).checkpoints / all[i].name;
        items_.push_back({word("checkpoint"), say("{} of {}", printable(all[i].name), title(run)),
                          say("not the newest"), folderBytes(folder),
                          [this, id = run.id, name = all[i].name, folder] {
                            storage::remove_folder(folder);
                            catalogue_.remove_checkpoint(id, name);
                          }});
      }
    }
  }

  const CollectOptions& options_;
  storage::Catalogue catalogue_;
  std::vector<Item> items_;
  std::vector<std::string> unlisted_;
};

std::int64_t totalBytes(const std::vector<Item>& items) {
  std::int64_t bytes = 0;
  for (const Item& item : items) bytes += item.bytes;
  return bytes;
}

// Returns "3 items, 41 MB".
std::string itemsText(const std::vector<Item>& items) {
  return fmt::format("{}, {}", plural(static_cast<std::int64_t>(items.size()), "item"),
                     formatBytes(totalBytes(items)));
}

void printItems(const std::vector<Item>& items) {
  Table table({{say("KIND")},
               {say("NAME"), Table::Align::left, true},
               {say("WHY")},
               {say("SIZE"), Table::Align::right}});
  for (const Item& item : items)
    table.addRow({translated(item.kind), item.name, item.why, formatBytes(item.bytes)});
  fmt::print("{}", table.text(terminalStyle(STDOUT_FILENO)));
}

void printAnswer(const Collector& collector, bool done, bool json) {
  const std::vector<Item>& items = collector.items();
  if (json) {
    protocol::Json list = protocol::Json::array();
    for (const Item& item : items)
      list.push_back({{"kind", item.kind}, {"name", item.name}, {"why", item.why}, {"bytes", item.bytes}});
    printJson({{"items", list},
               {"bytes", totalBytes(items)},
               {"deleted", done},
               {"unlisted", collector.unlisted()}});
    return;
  }
  if (items.empty())
    fmt::print("{}\n", say("There is nothing to delete."));
  else
    fmt::print("{}\n", done ? say("deleted {}", itemsText(items)) : say("would delete {}", itemsText(items)));
  if (const auto unlisted = static_cast<std::int64_t>(collector.unlisted().size()); unlisted > 0)
    fmt::print("{}\n", say("left alone: {} that the catalogue does not list; batchscope adopt adds them",
                           plural(unlisted, "run folder")));
}

}  // namespace

int collectGarbage(const CollectOptions& options) {
  const Collector collector(options);
  const std::vector<Item>& items = collector.items();
  if (!options.json && !items.empty()) printItems(items);
  if (items.empty() || options.dryRun) {
    printAnswer(collector, false, options.json);
    return kExitOk;
  }
  flushOutput();
  const std::string what = itemsText(items);
  if (!options.yes && !isConfirmed(say("Delete {}, for good?", what), say("deleting {}", what))) {
    fmt::print(stderr, "batchscope: {}\n", say("nothing was deleted"));
    return kExitConflict;
  }
  for (const Item& item : items) item.remove();
  printAnswer(collector, true, options.json);
  return kExitOk;
}

}  // namespace batchscope::cli
