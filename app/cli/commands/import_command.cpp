// SPDX-License-Identifier: Apache-2.0
//
// import: takes runs into this store. For an exported run, the samples are written first, in a folder of
// another name, so that a run is listed only when it is complete. gc finds what an import that was killed
// leaves behind.
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include "batchscope/storage/annotation.h"
#include "commands/commands.h"
#include "commands/import_folder.h"
#include "commands/import_trackers.h"
#include "files/import_source.h"
#include "records/run_folders.h"
#include "records/sample_stretches.h"
#include "records/store.h"
#include "terminal/interruption.h"
#include "terminal/json_output.h"
#include "terminal/transfer_progress.h"
#include "text/say.h"

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

// Gives a similar name to each series that no run could record today: older stores accepted any name.
class SeriesNames {
 public:
  const std::string& operator()(const std::string& name) {
    const auto [found, isNew] = names_.try_emplace(name, name);
    if (isNew && (name.empty() || name.size() > storage::kLongestSeries)) {
      const std::string number = fmt::format("~{}", ++changed_);
      found->second =
          (name.empty() ? "unnamed" : beginning(name, storage::kLongestSeries - number.size())) + number;
    }
    return found->second;
  }

  int changed() const { return changed_; }

 private:
  // Whole characters.
  static std::string beginning(const std::string& utf8, std::size_t bytes) {
    while (bytes > 0 && (static_cast<unsigned char>(utf8[bytes]) & 0xC0) == 0x80) --bytes;
    return utf8.substr(0, bytes);
  }

  std::map<std::string, std::string> names_;
  int changed_ = 0;
};

std::int64_t copySamples(ImportSource& source, const std::filesystem::path& file, const std::string& label) {
  storage::SampleWriter writer(file);
  TransferProgress progress(label, kWhole);
  SeriesNames names;
  std::int64_t count = 0, pending = 0, shown = 0;
  for (;;) {
    const storage::RunFileReader::Block block = source.next();
    if (block.samples.empty()) {
      if (names.changed() > 0)
        fmt::print(stderr, "batchscope: {}\n",
                   say("{} series without a name, or with a name of over {} bytes, got new names",
                       names.changed(), storage::kLongestSeries));
      return count;
    }
    appendStretches(writer, names(block.series), block.generation, block.samples);
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

void checkName(const std::string& file, const std::string& name) {
  try {
    storage::check_name(name);
  } catch (const Error& error) {
    throw Error(ErrorKind::corrupt, say("{}: run.name {}; --name gives it another one", file, error.what()));
  }
}

int importExported(const ImportOptions& options, const std::string& file) {
  const std::unique_ptr<ImportSource> source = openImportSource(file);
  storage::RunRecord record = source->record();
  storage::Catalogue catalogue = openCatalogue();
  const std::string before = record.run.id;
  record.run.id = freeId(catalogue, before);
  if (!options.name.empty()) record.run.name = options.name;
  checkName(file, record.run.name);
  const std::filesystem::path root = protocol::run_paths(record.run.id).root,
                              partial = partialFolder(record.run.id);
  std::int64_t count = 0;
  bool isWhole = false;
  const InterruptionGuard guard;
  try {
    storage::remove_folder(partial);
    count = copySamples(*source, partial / protocol::run_paths(record.run.id).samples.filename(),
                        say("importing {}", printable(record.run.name)));
    if (std::rename(partial.c_str(), root.c_str()) != 0)
      throw Error(ErrorKind::io, say("cannot make {}: {}", root.string(), std::strerror(errno)));
    isWhole = true;
    storage::RunRecord whole = source->record();
    whole.run.id = record.run.id;
    whole.run.name = record.run.name;
    catalogue.add_record(whole);
  } catch (const Error& error) {
    storage::remove_folder(isWhole ? root : partial);
    if (error.kind() != ErrorKind::usage) throw;
    throw Error(ErrorKind::corrupt, fmt::format("{}: {}", file, error.what()));
  } catch (const Interrupted&) {
    storage::remove_folder(isWhole ? root : partial);
    throw;
  }
  return answer(
      options.json, {{"imported", record.run.id}, {"exported_as", before}, {"samples", count}},
      say("imported {} with {}{}", title(record.run), plural(count, "sample"),
          before == record.run.id ? ""
                                  : say("; there is a run {} here already, so it has a new id", before)));
}

// Imports several runs. One that cannot be imported does not stop the others.
int importEach(const ImportOptions& options, const std::vector<std::string>& files) {
  if (files.size() == 1) return importExported(options, files.front());
  int code = kExitOk;
  for (const std::string& file : files) try {
      importExported(options, file);
    } catch (const Error& error) {
      fmt::print(stderr, "batchscope: {}\n", error.what());
      code = exit_code(error.kind());
    }
  return code;
}

}  // namespace

int importRun(const ImportOptions& options) {
  if (options.files.empty() == options.runFolder.empty())
    throw Error(ErrorKind::usage,
                say("name a file or folder to import, or a run's shared folder with --run-folder"));
  if (!options.runFolder.empty()) return importRunFolder(options);
  if (!options.name.empty()) storage::check_name(options.name);
  std::vector<std::string> exported;
  std::vector<std::filesystem::path> ofTrackers;
  std::error_code fault;
  for (const std::string& file : options.files)
    if (std::filesystem::is_directory(file, fault) || !sourcesAt(file).empty())
      ofTrackers.emplace_back(file);
    else
      exported.push_back(file);
  if (options.watch && !exported.empty())
    throw Error(ErrorKind::usage, say("--watch follows files of other trackers, and {} is not one; "
                                      "batchscope follow takes a record that grows",
                                      printable(exported.front())));
  if (!options.name.empty() && exported.size() + (ofTrackers.empty() ? 0 : 1) > 1)
    throw Error(ErrorKind::usage, say("--name is for one run: give one path"));
  const int code = exported.empty() ? kExitOk : importEach(options, exported);
  if (ofTrackers.empty()) return code;
  const int other = importFromTrackers(options, ofTrackers);
  return code == kExitOk ? other : code;
}

}  // namespace batchscope::cli
