// SPDX-License-Identifier: Apache-2.0
//
// adopt: adds to the catalogue the runs that have a folder in the store and are not in the catalogue. A new
// catalogue does so by itself.
#include <fmt/core.h>

#include <algorithm>

#include "commands/commands.h"
#include "records/run_folders.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

std::vector<std::string> chosenFolders(storage::Catalogue& catalogue,
                                       const std::vector<std::string>& wanted) {
  const std::vector<std::string> unlisted = unlistedRuns(catalogue);
  for (const std::string& id : wanted) {
    if (std::find(unlisted.begin(), unlisted.end(), id) != unlisted.end()) continue;
    if (catalogue.run(id)) throw Error(ErrorKind::conflict, say("run {} is listed already", id));
    throw Error(ErrorKind::not_found,
                say("there is no run folder {} beside {}, or a process still writes into it", printable(id),
                    protocol::catalogue_path().string()));
  }
  return wanted.empty() ? unlisted : wanted;
}

}  // namespace

int adoptRuns(const AdoptOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const std::vector<std::string> adopted = catalogue.adopt(chosenFolders(catalogue, options.runs));
  if (options.json) {
    printJson({{"adopted", adopted}});
    return kExitOk;
  }
  if (adopted.empty()) fmt::print("{}\n", say("Every run that has a folder is listed."));
  for (const std::string& id : adopted) fmt::print("{}\n", say("listed {}", title(catalogue.resolve(id))));
  return kExitOk;
}

}  // namespace batchscope::cli
