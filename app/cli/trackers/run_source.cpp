// SPDX-License-Identifier: Apache-2.0
#include "trackers/run_source.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "text/say.h"
#include "trackers/csv_series_reader.h"
#include "trackers/event_file_reader.h"
#include "trackers/json_facts.h"
#include "trackers/mlflow_metric_reader.h"
#include "trackers/number_in.h"
#include "trackers/wandb_log_reader.h"

namespace batchscope::cli {
namespace {

namespace fs = std::filesystem;
using protocol::Json;
using protocol::RunState;

bool isEventFile(const fs::path& file) {
  return file.filename().string().starts_with("events.out.tfevents.");
}

std::vector<fs::path> filesIn(const fs::path& folder, auto&& isWanted) {
  std::vector<fs::path> files;
  std::error_code fault;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, fault))
    if (entry.is_regular_file(fault) && isWanted(entry.path())) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> filesBelow(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code fault;
  for (auto entry = fs::recursive_directory_iterator(folder, fault);
       entry != fs::recursive_directory_iterator(); entry.increment(fault))
    if (entry->is_regular_file(fault)) files.push_back(entry->path());
  std::ranges::sort(files);
  return files;
}

bool isWandbLog(const fs::path& file) { return file.extension() == ".wandb"; }

bool isWandbRun(const fs::path& folder) {
  std::error_code fault;
  for (const char* name : {"config.yaml", "wandb-summary.json", "wandb-metadata.json"})
    if (fs::exists(folder / "files" / name, fault)) return true;
  return !filesIn(folder, isWandbLog).empty();
}

bool isMlflowRun(const fs::path& folder) {
  std::error_code fault;
  return fs::exists(folder / "meta.yaml", fault) &&
         (fs::is_directory(folder / "metrics", fault) || fs::is_directory(folder / "params", fault));
}

std::optional<Tracker> trackerOf(const fs::path& folder) {
  if (isWandbRun(folder)) return Tracker::wandb;
  if (isMlflowRun(folder)) return Tracker::mlflow;
  if (!filesIn(folder, isEventFile).empty()) return Tracker::tensorboard;
  return std::nullopt;
}

// wandb/run-DATE-ID/files: config.yaml and wandb-summary.json count if the log has no such values.
void describeWandb(const fs::path& folder, Findings& findings) {
  RunFacts& run = findings.run;
  const auto object = [&](const char* name) {
    const auto text = smallFile(folder / "files" / name);
    const auto json = text ? jsonIn(*text) : std::nullopt;
    if (text && (!json || !json->is_object())) findings.leaveOut(say("{} that is not JSON", name));
    return json && json->is_object() ? *json : Json::object();
  };
  if (const auto text = smallFile(folder / "files/config.yaml"); text && run.hyperparameters.empty()) {
    const auto config = yamlIn(*text);
    if (!config || !config->is_object()) findings.leaveOut(say("config.yaml that is not YAML"));
    if (config && config->is_object())
      for (const auto& [key, entry] : config->items())
        if (entry.is_object() && entry.contains("value") && !key.starts_with('_') &&
            !key.starts_with("wandb_"))
          visitLeaves(key, entry["value"], [&](const std::string& name, const Json& leaf) {
            run.hyperparameters[name] = leafText(leaf);
          });
  }
  const Json summary = object("wandb-summary.json");
  for (const auto& [key, value] : summary.items()) {
    if (key == "_timestamp" && value.is_number()) run.ended = value;
    if (!key.starts_with('_'))
      visitLeaves(key, value, [&](const std::string& name, const Json& leaf) {
        if (leaf.is_number()) run.summary.try_emplace(name, leaf.get<double>());
      });
  }
  const Json metadata = object("wandb-metadata.json");
  if (const auto program = metadata.find("program"); program != metadata.end() && program->is_string())
    run.program = *program;
  if (run.name.empty()) run.name = folder.filename();
  if (filesIn(folder, isWandbLog).empty())
    findings.leaveOut(say("histories, because the folder has no .wandb file,"));
}

// mlruns/EXPERIMENT/RUN
void describeMlflow(const fs::path& folder, Findings& findings) {
  RunFacts& run = findings.run;
  const auto yaml = [&](const fs::path& file) {
    const auto text = smallFile(file);
    const auto json = text ? yamlIn(*text) : std::nullopt;
    if (text && (!json || !json->is_object())) findings.leaveOut(say("meta.yaml that is not YAML"));
    return json && json->is_object() ? *json : Json::object();
  };
  const auto textAt = [](const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const Json meta = yaml(folder / "meta.yaml");
  run.started = numberIn(textAt(meta, "start_time")).value_or(0) / 1000;
  run.ended = numberIn(textAt(meta, "end_time")).value_or(0) / 1000;
  const std::string status = textAt(meta, "status");
  if (status == "3" || status == "FINISHED") run.state = RunState::finished;
  if (status == "4" || status == "FAILED") run.state = RunState::failed;
  run.group = textAt(yaml(folder.parent_path() / "meta.yaml"), "name");
  const auto tag = [&](const char* name) { return smallFile(folder / "tags" / name).value_or(""); };
  run.name = tag("mlflow.runName");
  if (run.name.empty()) run.name = textAt(meta, "run_name");
  if (run.name.empty()) run.name = folder.filename();
  run.note = tag("mlflow.note.content");
  run.program = tag("mlflow.source.name");
  for (const fs::path& file : filesBelow(folder / "params"))
    if (const auto text = smallFile(file))
      run.hyperparameters[file.lexically_relative(folder / "params").string()] = *text;
    else
      findings.leaveOut(say("parameters that cannot be read or have over 4 MiB"));
  run.tags.clear();
  for (const fs::path& file : filesIn(folder / "tags", [](const fs::path& path) {
         return !path.filename().string().starts_with("mlflow.");
       }))
    run.tags.push_back(file.filename().string() + "=" + smallFile(file).value_or(""));
}

}  // namespace

const char* trackerName(Tracker tracker) {
  switch (tracker) {
    case Tracker::tensorboard: return "TensorBoard";
    case Tracker::csv: return "CSV";
    case Tracker::wandb: return "W&B";
    case Tracker::mlflow: return "MLflow";
  }
  return "";
}

std::vector<fs::path> RunSource::files() const {
  switch (tracker) {
    case Tracker::tensorboard: return filesIn(place, isEventFile);
    case Tracker::csv: return {place};
    case Tracker::wandb: return filesIn(place, isWandbLog);
    case Tracker::mlflow: return filesBelow(place / "metrics");
  }
  return {};
}

std::unique_ptr<FileReader> RunSource::reader(const fs::path& file) const {
  switch (tracker) {
    case Tracker::tensorboard: return std::make_unique<EventFileReader>();
    case Tracker::csv: return std::make_unique<CsvSeriesReader>();
    case Tracker::wandb: return std::make_unique<WandbLogReader>();
    case Tracker::mlflow:
      return std::make_unique<MlflowMetricReader>(file.lexically_relative(place / "metrics").string());
  }
  return nullptr;
}

void RunSource::describe(Findings& findings) const {
  if (tracker == Tracker::wandb) describeWandb(place, findings);
  if (tracker == Tracker::mlflow) describeMlflow(place, findings);
}

std::vector<RunSource> sourcesAt(const fs::path& path) {
  std::error_code fault;
  const fs::path place = fs::canonical(path, fault);
  if (fault) return {};
  if (fs::is_regular_file(place, fault)) {
    if (place.extension() == ".csv") return {{Tracker::csv, place}};
    if (isEventFile(place)) return {{Tracker::tensorboard, place.parent_path()}};
    if (isWandbLog(place)) return {{Tracker::wandb, place.parent_path()}};
    if (place.filename() == "meta.yaml" && isMlflowRun(place.parent_path()))
      return {{Tracker::mlflow, place.parent_path()}};
    return {};
  }
  if (place.filename() == "files" && isWandbRun(place.parent_path()))
    return {{Tracker::wandb, place.parent_path()}};
  std::vector<RunSource> sources;
  if (const auto tracker = trackerOf(place)) sources.push_back({*tracker, place});
  // Files in a run of W&B or MLflow are that run's: artifacts, event files that it has copied.
  const auto isClosed = [](std::optional<Tracker> tracker) {
    return tracker && *tracker != Tracker::tensorboard;
  };
  if (!sources.empty() && isClosed(sources.front().tracker)) return sources;
  for (auto entry =
           fs::recursive_directory_iterator(place, fs::directory_options::skip_permission_denied, fault);
       entry != fs::recursive_directory_iterator(); entry.increment(fault)) {
    if (entry->is_symlink(fault) || !entry->is_directory(fault)) continue;
    const auto tracker = trackerOf(entry->path());
    if (tracker) sources.push_back({*tracker, entry->path()});
    if (isClosed(tracker)) entry.disable_recursion_pending();
  }
  std::ranges::sort(sources, {}, &RunSource::place);
  return sources;
}

}  // namespace batchscope::cli
