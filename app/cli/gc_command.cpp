// SPDX-License-Identifier: Apache-2.0
//
// gc: deletes what nobody will miss: runs that have been in the trash for long, folders whose run is in no
// catalogue, and, when asked, checkpoints of runs at rest but for the newest and those made by hand. What it
// would delete is said before it asks.
#include <fmt/core.h>
#include <unistd.h>

#include <functional>

#include "commands.h"
#include "run_folders.h"
#include "run_json.h"
#include "standard_output.h"
#include "store.h"
#include "table.h"

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
  }

  const std::vector<Item>& items() const { return items_; }

 private:
  void collectTrash() {
    const double now = storage::now();
    for (const storage::Run& run : catalogue_.trash()) {
      if (now - run.removed < options_.days * kDay || protocol::is_active(run.state)) continue;
      items_.push_back({"run", title(run), "removed " + formatAge(now - run.removed),
                        folderBytes(protocol::run_paths(run.id).root),
                        [this, id = run.id] { purgeRun(catalogue_, id); }});
    }
  }

  void collectFolders() {
    for (const auto& folder : orphanedFolders(catalogue_))
      items_.push_back(
          {"folder", folder.string(), "of no run", folderBytes(folder), [folder] { removeFolder(folder); }});
  }

  void collectCheckpoints() {
    for (const storage::Run& run : catalogue_.runs()) {
      if (protocol::is_active(run.state)) continue;
      const std::vector<storage::Checkpoint> all = catalogue_.checkpoints(run.id);  // newest first
      for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i].reason == "manual") continue;
        const auto folder = protocol::run_paths(run.id).checkpoints / all[i].name;
        items_.push_back({"checkpoint", fmt::format("{} of {}", printable(all[i].name), title(run)),
                          "not the newest", folderBytes(folder),
                          [this, id = run.id, name = all[i].name, folder] {
                            removeFolder(folder);
                            catalogue_.remove_checkpoint(id, name);
                          }});
      }
    }
  }

  const CollectOptions& options_;
  storage::Catalogue catalogue_;
  std::vector<Item> items_;
};

std::int64_t totalBytes(const std::vector<Item>& items) {
  std::int64_t bytes = 0;
  for (const Item& item : items) bytes += item.bytes;
  return bytes;
}

void printItems(const std::vector<Item>& items) {
  Table table({{"KIND"}, {"NAME", Table::Align::left, true}, {"WHY"}, {"SIZE", Table::Align::right}});
  for (const Item& item : items) table.addRow({item.kind, item.name, item.why, formatBytes(item.bytes)});
  fmt::print("{}", table.text(terminalStyle(STDOUT_FILENO)));
}

void printAnswer(const std::vector<Item>& items, bool done, bool json) {
  if (json) {
    protocol::Json list = protocol::Json::array();
    for (const Item& item : items)
      list.push_back({{"kind", item.kind}, {"name", item.name}, {"why", item.why}, {"bytes", item.bytes}});
    printJson({{"items", list}, {"bytes", totalBytes(items)}, {"deleted", done}});
  } else {
    fmt::print("{} {}, {}\n", done ? "deleted" : "would delete",
               plural(static_cast<std::int64_t>(items.size()), "item"), formatBytes(totalBytes(items)));
  }
}

}  // namespace

int collectGarbage(const CollectOptions& options) {
  const Collector collector(options);
  const std::vector<Item>& items = collector.items();
  if (!options.json && !items.empty()) printItems(items);
  if (items.empty() || options.dryRun) {
    if (items.empty() && !options.json)
      fmt::print("There is nothing to delete.\n");
    else
      printAnswer(items, false, options.json);
    return kExitOk;
  }
  flushOutput();
  const std::string what = fmt::format("{}, {}", plural(static_cast<std::int64_t>(items.size()), "item"),
                                       formatBytes(totalBytes(items)));
  if (!options.yes && !isConfirmed(fmt::format("Delete {}, for good?", what), "deleting " + what)) {
    fmt::print(stderr, "batchscope: nothing was deleted\n");
    return kExitConflict;
  }
  for (const Item& item : items) item.remove();
  printAnswer(items, true, options.json);
  return kExitOk;
}

}  // namespace batchscope::cli
