// SPDX-License-Identifier: Apache-2.0
//
// import --run-folder: continues a run from a folder that several machines see in this store. What its
// processes write for later jobs stays in that folder. The run's own folder here has links to it, which only
// this user can have made.
#include "commands/import_folder.h"

#include <fmt/core.h>

#include <cstdio>

#include "batchscope/storage/annotation.h"
#include "records/record_file.h"
#include "records/record_taker.h"
#include "records/store.h"
#include "terminal/interruption.h"
#include "terminal/json_output.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

storage::RecordPart newRun(const RunFolder& folder) {
  storage::RecordPart part;
  storage::Run& run = part.record.run;
  run.id = folder.id;
  run.name = folder.spec.name;
  run.spec = folder.spec;
  run.state = protocol::RunState::stopped;
  run.created = storage::now();
  return part;
}

}  // namespace

int importRunFolder(const ImportOptions& options) {
  if (!options.name.empty())
    throw Error(ErrorKind::usage, say("--name does not go with --run-folder: the run keeps its name"));
  const RunFolder folder = openRunFolder(options.runFolder);
  storage::check_name(folder.spec.name);
  const InterruptionGuard guard;
  storage::Origins origins(protocol::catalogue_path());
  storage::Origin origin{.folder = folder.path.string()};
  if (const auto before = origins.find(folder.id)) {
    // A run that was only followed has no program that can be started here.
    if (!before->followed && beginsLine(folder.record(), before->taken)) origin.taken = before->taken;
    origins.take(folder.id, origin, {});
  } else {
    const storage::RecordPart part = newRun(folder);
    origins.take(folder.id, origin, {&part, 1});
  }
  linkRunFolder(folder.id, folder.path);

  RecordTaker taker(folder.id, origin, folder.spec);
  readFrom(folder.record(), taker.offset(), [&](std::string_view bytes) {
    throwIfInterrupted();
    taker.feed(bytes);
  });
  taker.commit();
  for (const std::string& trouble : taker.troubles())
    fmt::print(stderr, "batchscope: {}: {}\n", folder.record().string(), trouble);
  const storage::Run run = *openCatalogue().run(folder.id);
  return answer(options.json, {{"imported", run.id}, {"samples", taker.samples()}, {"taken", taker.offset()}},
                say("{} is here, with {}; `batchscope resume {}` continues it", title(run),
                    taker.samples() == 1 ? say("1 sample that is new")
                                         : say("{} samples that are new", taker.samples()),
                    run.id));
}

}  // namespace batchscope::cli
