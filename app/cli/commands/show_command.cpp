// SPDX-License-Identifier: Apache-2.0
//
// show: everything the catalogue knows about one run, in sections.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "batchscope/common/goodput_json.h"
#include "batchscope/common/heard.h"
#include "batchscope/common/queue_json.h"
#include "batchscope/common/recorded.h"
#include "batchscope/common/run_clock.h"
#include "batchscope/common/run_json.h"
#include "batchscope/common/run_text.h"
#include "batchscope/common/shell_words.h"
#include "batchscope/common/translate.h"
#include "batchscope/protocol/series.h"
#include "batchscope/run/forecast.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/number_text.h"
#include "batchscope/storage/origins.h"
#include "batchscope/storage/samples.h"
#include "commands/commands.h"
#include "commands/show_predictions.h"
#include "follow/report.h"
#include "follow/view.h"
#include "records/job_records.h"
#include "records/store.h"
#include "terminal/json_output.h"
#include "text/format.h"
#include "text/job_note.h"
#include "text/progress_bar.h"
#include "text/say.h"
#include "text/table.h"

namespace batchscope::cli {
namespace {

using Align = Table::Align;

constexpr int kIndent = 2;
constexpr std::size_t kShownEvents = 12;
constexpr std::size_t kLastEpochs = 10;

void heading(const Style& style, const std::string& text) {
  fmt::print("\n{}\n", style.paint(text, Colour::bold));
}

void field(const std::string& name, const std::string& value) {
  if (!value.empty()) fmt::print("  {:<11} {}\n", name, printable(value));
}

// Prints nothing for a table without rows.
void section(const Style& style, const std::string& title, const Table& table) {
  if (table.isEmpty()) return;
  heading(style, title);
  fmt::print("{}", table.text(style, kIndent));
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::string commandText(const protocol::RunSpec& spec) {
  std::vector<std::string> words{spec.program};
  words.insert(words.end(), spec.arguments.begin(), spec.arguments.end());
  return joined(words, " ");
}

std::string triggersText(const protocol::RunSpec& spec) {
  std::vector<std::string> texts;
  for (const protocol::Trigger& trigger : spec.triggers) texts.push_back(trigger.text());
  return joined(texts, ", ");
}

std::string momentText(double time) {
  if (!(time > 0)) return say("unknown");
  return fmt::format("{} ({})", formatTime(time), formatAge(storage::now() - time));
}

// Returns when the run came into the queue, and what people have set since.
std::string jobText(storage::Catalogue& catalogue, const common::PlacedJob& placed) {
  const storage::Job& job = placed.entry.job;
  std::string text = momentText(job.submitted);
  if (placed.place > 0) text += say(", number {} in the queue", placed.place);
  if (job.held) text += say(", held");
  if (job.priority != 0) text += say(", priority {}", job.priority);
  if (!job.preemptible) text += say(", keeps its devices until it ends");
  if (const auto before = job.after.empty() ? std::nullopt : catalogue.run(job.after))
    text += say(
        ", after {}{}", title(*before),
        job.after_end == storage::AfterEnd::ok ? "" : std::string(":") + common::afterEndName(job.after_end));
  return text;
}

// "epoch 1/4, step 800, 25 % of the run"; without the share where the program does not say how much there is.
std::string progressText(const storage::Run& run) {
  if (common::isUnrecorded(run)) return tr(common::kNotRecorded).toStdString();
  if (run.epochs == 0 && run.fraction == 0) return say("epoch {}, step {}", run.epoch, run.step);
  return say("epoch {}{}, step {}, {:.0f} % of the run", run.epoch,
             run.epochs > 0 ? fmt::format("/{}", run.epochs) : "", run.step, run.fraction * 100);
}

void showSummary(const storage::Run& run, const Style& style) {
  const double now = storage::now();
  const auto origin = storage::Origins(protocol::catalogue_path()).find(run.id);
  const auto heard = common::lastHeard(run, origin && origin->followed, now);
  const std::string state = heard ? common::lastHeardText(*heard, now) : protocol::run_state_name(run.state);
  fmt::print("{}  {}  {}\n", style.paint(printable(run.name), Colour::bold), run.id,
             style.paint(state, stateColour(state)));
  field(say("message"), run.message);
  if (run.state == protocol::RunState::damaged) {
    field(say("remedy"), say("put a backup of {} in its place, or batchscope rm --purge {}",
                             protocol::catalogue_path().string(), run.id));
    return;
  }
  field(say("command"), commandText(run.spec));
  field(say("directory"), run.spec.working_directory);
  field(say("scripted"), triggersText(run.spec));
  field(say("devices"), run::device_list(run.devices, run.replicas));
  if (run.state != protocol::RunState::pending) field(say("started"), momentText(run.created));
  if (run.ended > 0) field(say("ended"), momentText(run.ended));
  field(say("progress"), progressText(run));
  field(say("folder"), protocol::run_paths(run.id).root.string());
  if (origin) {
    const bool trains = origin->followed && std::filesystem::path(origin->folder).filename() == run.id;
    field(trains ? say("trains in") : say("taken from"), storage::place_of(*origin));
    if (trains && heard)
      field(say("follow it"),
            "batchscope follow " + common::shellWords(std::vector{storage::place_of(*origin)}));
    if (origin->followed && origin->job) field(say("cluster"), jobNote(*origin));
  }
  field(say("group"), run.spec.group);
  field(say("tags"), joined(run.tags, ", "));
  field(say("note"), run.note);
}

// Shows the measured goodput, and what the model predicts for the same configuration.
void showGoodput(storage::Catalogue& catalogue, const storage::Run& run,
                 const std::vector<storage::Generation>& generations) {
  const auto measured = common::measuredRate(run.id, generations);
  if (!measured) return;
  const bool isGoodput = std::isfinite(measured->goodput);
  const std::string rate =
      formatSeriesValue(protocol::series::kGoodput, isGoodput ? measured->goodput : measured->throughput);
  const std::string time = formatDuration(std::max(1.0, measured->seconds));
  std::string text = isGoodput ? say("measured {} at efficiency {:.2f} over the last {} of training", rate,
                                     measured->efficiency, time)
                               : say("measured {} over the last {} of training", rate, time);
  if (const auto predicted = common::predictedNow(run, common::readableModel(catalogue, run.id), generations))
    text += say("; predicted {}", formatSeriesValue(protocol::series::kGoodput,
                                                    isGoodput ? predicted->goodput : predicted->throughput));
  field(isGoodput ? say("goodput") : say("throughput"), text);
}

void showJob(storage::Catalogue& catalogue, const common::PlacedJob& placed) {
  field(say("queued"), jobText(catalogue, placed));
  field(say("waited"), formatDuration(placed.entry.waited));
  if (placed.entry.state < pool::JobState::succeeded) field(say("because"), placed.entry.job.reason);
}

// Returns "none", "12-40", or "41-" for an epoch that has not ended.
std::string stepsText(std::int64_t first, std::int64_t last) {
  if (first == 0) return say("none");
  return last < first ? fmt::format("{}-", first) : fmt::format("{}-{}", first, last);
}

// "predicted goodput 18,410 samples/s, obtained 17,890 samples/s (−3 %)"; empty where nothing was predicted.
std::string forecastText(const storage::Generation& generation) {
  const auto forecast = run::forecast_of(generation);
  if (!forecast) return {};
  const std::string range = run::range_text(forecast->predicted, forecast->error);
  const std::string begin = forecast->is_goodput ? say("predicted goodput {} samples/s", range)
                                                 : say("predicted throughput {} samples/s", range);
  if (!forecast->obtained)
    return generation.ended > 0 ? say("{}, ended before it was steady", begin)
                                : say("{}, still being measured", begin);
  return say("{}, obtained {} ({})", begin,
             formatSeriesValue(protocol::series::kGoodput, *forecast->obtained),
             run::change_text(*forecast->change()));
}

void showGenerations(const std::vector<storage::Generation>& generations, const Style& style) {
  Table table({{"#", Align::right},
               {say("replicas"), Align::right},
               {say("reason")},
               {say("steps")},
               {say("outcome"), Align::left, true},
               {say("pause"), Align::right},
               {say("parts"), Align::left, true}});
  for (const storage::Generation& generation : generations) {
    table.addRow({std::to_string(generation.number), std::to_string(generation.replicas), generation.reason,
                  stepsText(generation.first_step, generation.last_step), generation.outcome,
                  generation.pause < 0 ? "" : formatPause(generation.pause),
                  common::describePause(generation.pause_parts).toStdString()});
    if (const std::string forecast = forecastText(generation); !forecast.empty()) table.addNote(forecast);
  }
  section(style, say("Generations"), table);
}

// The accuracy at the end of each epoch, else its mean loss; NaN for an epoch without one.
struct EpochScores {
  const char* series = nullptr;  // null where the run has neither
  std::vector<double> values;
  std::optional<std::size_t> best;
};

// Returns the generation behind the last one in which this epoch's samples can lie. The next epoch began in
// that last one, unless epochs were begun again there, as after a crash.
int generationBehind(std::size_t place, const std::vector<storage::Epoch>& epochs) {
  if (place + 1 == epochs.size()) return std::numeric_limits<int>::max();
  const storage::Epoch& next = epochs[place + 1];
  return next.number > epochs[place].number ? next.generation + 1 : next.generation;
}

// Returns the accuracy at the end of an epoch, or its mean loss; NaN while it goes on, or without one. An
// epoch goes on over restarts, so its samples lie in several generations.
double scoreOf(storage::SampleReader& reader, const char* series, bool isAccuracy,
               const std::vector<int>& generations, const storage::Epoch& epoch, int behind) {
  double atEnd = NAN, sum = 0;
  std::int64_t count = 0;
  if (epoch.last_step == 0) return NAN;
  for (const int generation : generations) {
    if (generation < epoch.generation || generation >= behind) continue;
    const auto whole = reader.summarize(series, generation, epoch.first_step, epoch.last_step, 1);
    for (const storage::Bucket& bucket : whole) {
      if (!std::isfinite(bucket.mean)) continue;
      atEnd = bucket.max;
      sum += bucket.mean * static_cast<double>(bucket.count);
      count += bucket.count;
    }
  }
  if (isAccuracy) return atEnd;
  return count == 0 ? NAN : sum / static_cast<double>(count);
}

EpochScores scoresOf(const storage::Run& run, const std::vector<storage::Epoch>& epochs) {
  EpochScores scores;
  for (const char* name : {protocol::series::kLoss, protocol::series::kAccuracy})
    if (run.latest.contains(name)) scores.series = name;
  if (scores.series == nullptr) return scores;
  const bool isAccuracy = std::string_view(scores.series) == protocol::series::kAccuracy;
  try {
    storage::SampleReader reader(protocol::run_paths(run.id).samples);
    const std::vector<int> generations = reader.generations(scores.series);
    for (std::size_t place = 0; place < epochs.size(); ++place) {
      const double value = scoreOf(reader, scores.series, isAccuracy, generations, epochs[place],
                                   generationBehind(place, epochs));
      scores.values.push_back(value);
      if (!std::isfinite(value)) continue;
      const std::size_t here = scores.values.size() - 1;
      if (!scores.best ||
          (isAccuracy ? value > scores.values[*scores.best] : value < scores.values[*scores.best]))
        scores.best = here;
    }
  } catch (const Error&) {
    return {};  // `doctor` says what is wrong with the samples
  }
  return scores;
}

// Shows the first, the best and the last epochs, or all, counted from one as while the run trains.
void showEpochs(const storage::Run& run, const std::vector<storage::Epoch>& epochs, bool all,
                const Style& style) {
  const EpochScores scores = scoresOf(run, epochs);
  std::vector<Table::Column> columns{{say("epoch"), Align::right},
                                     {say("generation"), Align::right},
                                     {say("steps")},
                                     {say("took"), Align::right}};
  if (scores.series != nullptr) {
    columns.push_back({scores.series, Align::right});
    columns.push_back({""});
  }
  Table table(std::move(columns));
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    if (!all && i > 0 && i + kLastEpochs < epochs.size() && scores.best != i) {
      ++hidden;
      continue;
    }
    const storage::Epoch& epoch = epochs[i];
    // After a crash an epoch is begun again, in a row of its own.
    const bool isLast = i + 1 == epochs.size();
    const std::string open = !isLast               ? say("undone")
                             : isAtRest(run.state) ? say("unfinished")
                                                   : say("under way");
    std::vector<Table::Cell> row{std::to_string(epoch.number + 1), std::to_string(epoch.generation),
                                 stepsText(epoch.first_step, epoch.last_step),
                                 epoch.ended > 0 ? formatPause(epoch.ended - epoch.started) : open};
    if (scores.series != nullptr) {
      const double value = scores.values[i];
      row.emplace_back(std::isfinite(value) ? formatSeriesValue(scores.series, value) : "");
      row.emplace_back(scores.best == i ? say("best") : "");
    }
    table.addRow(std::move(row));
  }
  section(style, say("Epochs"), table);
  if (hidden > 0) fmt::print("  {}\n", say("{} more: batchscope show {} --epochs", hidden, run.id));
}

void showLatest(const std::map<std::string, double>& latest, const Style& style) {
  Table table({{say("series"), Align::left, true}, {say("value"), Align::right}});
  for (const auto& [name, value] : latest) table.addRow({name, formatSeriesValue(name, value)});
  section(style, say("Latest values"), table);
}

void showCheckpoints(const std::vector<storage::Checkpoint>& checkpoints, const Style& style) {
  Table table({{say("name"), Align::left, true},
               {say("step"), Align::right},
               {say("epoch"), Align::right},
               {say("size"), Align::right},
               {say("took"), Align::right},
               {say("reason")},
               {say("written")}});
  const double now = storage::now();
  for (const storage::Checkpoint& checkpoint : checkpoints)
    table.addRow({checkpoint.name, std::to_string(checkpoint.step), std::to_string(checkpoint.epoch),
                  formatBytes(checkpoint.bytes), formatPause(checkpoint.seconds), checkpoint.reason,
                  checkpoint.time > 0 ? formatAge(now - checkpoint.time) : say("unknown")});
  section(style, say("Checkpoints"), table);
}

// Returns the leases of the run, the first first.
std::vector<storage::LeaseEvent> leasesOf(storage::Catalogue& catalogue, const storage::Run& run) {
  std::vector<storage::LeaseEvent> events = catalogue.lease_events(run.created);
  std::erase_if(events, [&](const storage::LeaseEvent& event) { return event.run != run.id; });
  return events;
}

void showLeases(const std::vector<storage::LeaseEvent>& events, const Style& style) {
  Table table({{say("device")},
               {say("generation"), Align::right},
               {say("since")},
               {say("for"), Align::right},
               {say("why")}});
  for (const storage::LeaseEvent& event : events)
    table.addRow({event.device, event.generation < 0 ? "" : std::to_string(event.generation),
                  formatTime(event.since),
                  formatDuration((event.until > 0 ? event.until : storage::now()) - event.since) +
                      (event.until > 0 ? "" : say(", still")),
                  event.why});
  section(style, say("Devices"), table);
}

protocol::Json leasesJson(const std::vector<storage::LeaseEvent>& events) {
  protocol::Json list = protocol::Json::array();
  for (const storage::LeaseEvent& event : events)
    list.push_back(
        {{"device", event.device},
         {"generation", event.generation < 0 ? protocol::Json() : protocol::Json(event.generation)},
         {"since", event.since},
         {"until", storage::field_json(event.until, storage::Meaning::later_time)},
         {"why", event.why}});
  return list;
}

void showHyperparameters(const std::map<std::string, std::string>& values, const Style& style) {
  Table table({{say("name")}, {say("value"), Align::left, true}});
  for (const auto& [name, value] : values) table.addRow({name, value});
  section(style, say("Hyperparameters"), table);
}

// Long values are cut on a terminal; --json has all of them.
void showEnvironment(const storage::Run& run, const Style& style) {
  protocol::Json variables = run.spec.environment;
  if (const protocol::Json added = common::environmentJson(run.id); added.is_object())
    variables.update(added);
  Table table({{say("name")}, {say("value"), Align::left, true}});
  for (const auto& [name, value] : variables.items())
    if (value.is_string()) table.addRow({name, value.get<std::string>()});
  section(style, say("Environment added for the programs"), table);
}

void showEvents(const std::vector<storage::Event>& events, double origin, const Style& style) {
  if (events.empty()) return;
  const std::size_t hidden = events.size() > kShownEvents ? events.size() - kShownEvents : 0;
  heading(style, hidden > 0 ? say("Events (the last {} of {})", kShownEvents, events.size()) : say("Events"));
  for (std::size_t i = hidden; i < events.size(); ++i) fmt::print("  {}\n", eventLine(events[i], origin));
}

}  // namespace

int showRun(const ShowOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve(options.run);
  if (options.predictions) {
    const auto predictions = common::predictionsOf(catalogue.generations(run.id));
    options.json ? printJson(common::predictionsJson(predictions))
                 : showPredictions(predictions, terminalStyle(STDOUT_FILENO));
    return kExitOk;
  }
  const auto job = common::placedJob(catalogue, run);
  if (options.json) {
    protocol::Json details = common::runDetailsJson(catalogue, run);
    details["ledger"] = storage::records_json(catalogue.ledger(run.id));
    details["ledger_totals"] = ledgerTotals(catalogue.ledger(run.id));
    details["job"] = job ? common::jobJson(*job) : protocol::Json();
    details["leases"] = leasesJson(leasesOf(catalogue, run));
    printJson(details);
    return kExitOk;
  }
  const Style style = terminalStyle(STDOUT_FILENO);
  showSummary(run, style);
  if (job) showJob(catalogue, *job);
  const auto generations = catalogue.generations(run.id);
  if (run.state != protocol::RunState::damaged) showGoodput(catalogue, run, generations);
  showGenerations(generations, style);
  showLeases(leasesOf(catalogue, run), style);
  showEpochs(run, catalogue.epochs(run.id), options.epochs, style);
  showLatest(run.latest, style);
  showCheckpoints(catalogue.checkpoints(run.id), style);
  showHyperparameters(catalogue.hyperparameters(run.id), style);
  showEnvironment(run, style);
  showEvents(catalogue.events(run.id), common::clockOrigin(run, generations), style);
  return kExitOk;
}

}  // namespace batchscope::cli
