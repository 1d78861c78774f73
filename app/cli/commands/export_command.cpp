// SPDX-License-Identifier: Apache-2.0
//
// export: writes a run to a file. jsonl and sqlite hold the whole record, which import reads back; csv, json
// and tensorboard are for other programs, and html is for people.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "batchscope/common/data_forms.h"
#include "batchscope/protocol/suggestion.h"
#include "batchscope/run/own_program.h"
#include "commands/commands.h"
#include "commands/follow_export.h"
#include "files/export_sink.h"
#include "records/record_line.h"
#include "records/store.h"
#include "terminal/interruption.h"
#include "terminal/json_output.h"
#include "terminal/transfer_progress.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string usualExportName(const storage::Run& run, const std::string& format) {
  return common::exportName(run, format == "tensorboard" ? "" : "." + format);
}

namespace {

// Refuses to replace a folder that holds more than event files.
void refuseOtherFolders(const OutputTarget& target, bool isFolder) {
  if (target.kind() != OutputTarget::Kind::file || !fs::is_directory(target.path())) return;
  if (!isFolder) throw Error(ErrorKind::conflict, say("{} is a folder; name a file", target.name()));
  for (const auto& entry : fs::directory_iterator(target.path()))
    if (!entry.path().filename().string().starts_with("events.out.tfevents"))
      throw Error(
          ErrorKind::conflict,
          say("{} holds more than event files and is not overwritten; name another folder", target.name()));
}

// Returns the series to write: the named ones, or all.
std::vector<storage::SeriesInfo> chosenSeries(storage::SampleReader* samples,
                                              const std::vector<std::string>& names) {
  if (samples == nullptr) return {};
  std::vector<storage::SeriesInfo> all = samples->series();
  if (names.empty()) return all;
  std::vector<std::string> known;
  for (const storage::SeriesInfo& info : all) known.push_back(info.name);
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error(ErrorKind::not_found, say("there is no series \"{}\"{}; batchscope show lists them",
                                            printable(name), protocol::did_you_mean(name, known)));
  std::erase_if(all, [&](const storage::SeriesInfo& info) {
    return std::find(names.begin(), names.end(), info.name) == names.end();
  });
  return all;
}

// Becomes the program that has the page.
[[noreturn]] void exportPage(const storage::Run& run, const ExportOptions& options) {
  if (!options.series.empty())
    throw Error(ErrorKind::usage, say("--format html holds all series: leave out --series"));
  const std::string program = run::own_program("batchscope-serve").string();
  std::vector<std::string> words{"batchscope", "export", run.id};
  if (!options.output.empty()) words.push_back("--output=" + options.output);
  if (options.force) words.emplace_back("--force");
  if (options.json) words.emplace_back("--json");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw Error(ErrorKind::io, say("cannot start {}: {}", program, std::strerror(errno)));
}

std::int64_t copySamples(storage::SampleReader& samples, const std::vector<storage::SeriesInfo>& series,
                         const std::string& label, ExportSink& sink) {
  std::int64_t total = 0, done = 0;
  for (const storage::SeriesInfo& info : series) total += info.count;
  TransferProgress progress(label, total);
  for (const storage::SeriesInfo& info : series)
    for (const int generation : samples.generations(info.name))
      for (std::int64_t position = 0;;) {
        const std::vector<storage::Sample> block =
            samples.read_positions(info.name, generation, position, kBlockSamples);
        if (block.empty()) break;
        sink.add(info.name, generation, block);
        position += static_cast<std::int64_t>(block.size());
        done += static_cast<std::int64_t>(block.size());
        progress.add(static_cast<std::int64_t>(block.size()));
      }
  return done;
}

}  // namespace

int exportRun(const ExportOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve(options.run);
  if (options.follow) return followExport(catalogue, run, options);
  if (options.format == "html") exportPage(run, options);
  const storage::RunRecord record = catalogue.record(run.id);
  const OutputTarget target(options.output.empty() ? usualExportName(record.run, options.format)
                                                   : options.output);
  target.refuseExisting(options.force);
  refuseOtherFolders(target, options.format == "tensorboard");

  const fs::path database = protocol::run_paths(record.run.id).samples;
  std::unique_ptr<storage::SampleReader> samples;
  if (fs::exists(database)) samples = std::make_unique<storage::SampleReader>(database);
  const std::vector<storage::SeriesInfo> series = chosenSeries(samples.get(), options.series);
  const InterruptionGuard guard;
  const std::unique_ptr<ExportSink> sink = makeExportSink(options.format, target, record, samples.get());
  const std::int64_t count =
      samples ? copySamples(*samples, series, say("exporting {}", title(record.run)), *sink) : 0;
  sink->finish();
  if (target.kind() == OutputTarget::Kind::standardOutput) return kExitOk;
  return answer(options.json, {{"written", target.name()}, {"run", record.run.id}, {"samples", count}},
                say("wrote {}: {} with {}", target.name(), title(record.run), plural(count, "sample")));
}

}  // namespace batchscope::cli
