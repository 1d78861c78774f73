// SPDX-License-Identifier: Apache-2.0
//
// import: a run that was exported, into this store. Its samples are written first, in a folder of another
// name, so that a run is listed when it is whole; what an import that was killed leaves behind gc finds.
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>

#include "commands.h"
#include "import_source.h"
#include "interruption.h"
#include "run_folders.h"
#include "run_json.h"
#include "store.h"
#include "transfer_progress.h"

namespace batchscope::cli {
namespace {

constexpr std::int64_t kSamplesPerCommit = 200'000;
constexpr std::int64_t kWhole = 1000;  // what a fraction of 1 is to the progress bar

// The run's own id, unless it is taken here.
std::string freeId(storage::Catalogue& catalogue, std::string id) {
  while (catalogue.run(id) || std::filesystem::exists(protocol::run_paths(id).root))
    id = protocol::new_run_id();
  return id;
}

// Stretches of consecutive steps take the store less than samples one by one.
void append(storage::SampleWriter& writer, const storage::RunFileReader::Block& block) {
  std::vector<double> values;
  const std::span<const storage::Sample> samples = block.samples;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    values.push_back(samples[i].value);
    const bool goesOn =
        i + 1 < samples.size() && samples[i].step < INT64_MAX && samples[i + 1].step == samples[i].step + 1;
    if (goesOn) continue;
    writer.append(block.generation, block.series,
                  samples[i].step - static_cast<std::int64_t>(values.size()) + 1, values);
    values.clear();
  }
}

std::int64_t copySamples(ImportSource& source, const std::filesystem::path& file, const std::string& label) {
  storage::SampleWriter writer(file);
  TransferProgress progress(label, kWhole);
  std::int64_t count = 0, pending = 0, shown = 0;
  for (;;) {
    const storage::RunFileReader::Block block = source.next();
    if (block.samples.empty()) return count;
    append(writer, block);
    count += static_cast<std::int64_t>(block.samples.size());
    pending += static_cast<std::int64_t>(block.samples.size());
    if (pending > kSamplesPerCommit) {
      writer.commit();
      pending = 0;
    }
    const auto done = static_cast<std::int64_t>(source.fraction() * kWhole);
    progress.add(done - shown);
    shown = done;
  }
}

}  // namespace

int importRun(const ImportOptions& options) {
  const std::unique_ptr<ImportSource> source = openImportSource(options.file);
  storage::RunRecord record = source->record();
  storage::Catalogue catalogue = openCatalogue();
  const std::string before = record.run.id;
  record.run.id = freeId(catalogue, before);
  if (!options.name.empty()) record.run.name = options.name;
  const std::filesystem::path root = protocol::run_paths(record.run.id).root,
                              partial = partialFolder(record.run.id);
  std::int64_t count = 0;
  bool isWhole = false;
  const InterruptionGuard guard;
  try {
    removeFolder(partial);
    count = copySamples(*source, partial / protocol::run_paths(record.run.id).samples.filename(),
                        fmt::format("importing {}", printable(record.run.name)));
    if (std::rename(partial.c_str(), root.c_str()) != 0)
      throw Error(ErrorKind::io, fmt::format("cannot make {}: {}", root.string(), std::strerror(errno)));
    isWhole = true;
    catalogue.add_record(record);
  } catch (const Error& error) {
    removeFolder(isWhole ? root : partial);
    if (error.kind() != ErrorKind::usage) throw;
    throw Error(ErrorKind::corrupt, fmt::format("{}: {}", options.file, error.what()));
  } catch (const Interrupted&) {
    removeFolder(isWhole ? root : partial);
    throw;
  }
  if (options.json)
    printJson({{"imported", record.run.id}, {"exported_as", before}, {"samples", count}});
  else
    fmt::print("imported {} with {}{}\n", title(record.run), plural(count, "sample"),
               before == record.run.id
                   ? ""
                   : fmt::format("; there is a run {} here already, so it has a new id", before));
  return kExitOk;
}

}  // namespace batchscope::cli
