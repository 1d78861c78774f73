// SPDX-License-Identifier: Apache-2.0
#include "recording/recorded_answers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "answers/explorer_answers.h"
#include "answers/run_answers.h"
#include "answers/scaling_answers.h"
#include "samples/sample_answers.h"

namespace batchscope::web {
namespace {

using protocol::Json;

constexpr std::size_t kMostNumbers = 600'000;  // of all samples: about 3 MB of a file
// Digits of a value, and of a place on an axis, where steps lie close together after a long pause.
constexpr int kValueDigits = 7, kPlaceDigits = 10;
constexpr double kMostWhole = 1e15;  // a double holds each whole number below it

// The page shows no more of a run. Its spec, devices and supervisor name programs, folders, nodes and the
// environment.
constexpr const char* kRunFields[] = {"id",       "name",     "state",         "message", "created",
                                      "ended",    "epoch",    "epochs",        "step",    "fraction",
                                      "replicas", "restarts", "group",         "note",    "tags",
                                      "latest",   "diverged", "auto_replicas", "shown"};
constexpr const char* kDetails[] = {"clock",        "series",      "charts", "readout",         "generations",
                                    "epochs",       "checkpoints", "events", "hyperparameters", "goodput",
                                    "last_restart", "status",      "cursor"};

template <std::size_t Count>
Json picked(const Json& json, const char* const (&names)[Count]) {
  Json picked = Json::object();
  for (const char* name : names) picked[name] = json.at(name);
  return picked;
}

http::Request question(std::vector<std::pair<std::string, std::string>> query) {
  http::Request request;
  request.query = std::move(query);
  return request;
}

Json rounded(const Json& number, int digits) {
  if (!number.is_number_float()) return number;
  const auto value = number.get<double>();
  if (value == std::trunc(value) && std::abs(value) < kMostWhole) return static_cast<std::int64_t>(value);
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

// The samples of all series in at most so many columns, over each axis.
class RecordedSamples {
 public:
  RecordedSamples(Store& store, const std::string& id, const std::vector<std::string>& series, long columns) {
    for (const char* axis : {"step", "time", "progress"}) {
      Json& recorded = axes_[axis] = {
          {"x", axis}, {"range", nullptr}, {"above_zero", nullptr}, {"series", Json::object()}};
      for (std::size_t at = 0; at < series.size() && fits(); at += kMostSeries) {
        std::string names;
        for (std::size_t i = at; i < std::min(at + kMostSeries, series.size()); ++i)
          names += (names.empty() ? "" : ",") + series[i];
        add(samples_json(
                store, id,
                question(
                    {{"x", axis}, {"series", names}, {"log", names}, {"columns", std::to_string(columns)}})),
            recorded);
      }
    }
  }

  bool fits() const { return numbers_ <= kMostNumbers; }
  // A bucket holds one sample.
  bool is_whole() const { return is_whole_; }
  const Json& axes() const { return axes_; }
  const Json& columns() const { return columns_; }

 private:
  void add(const Json& answer, Json& recorded) {
    if (const Json& range = answer.at("range"); !range.is_null()) {
      Json& all = recorded["range"];
      all = all.is_null() ? range
                          : Json{std::min(all[0].get<double>(), range[0].get<double>()),
                                 std::max(all[1].get<double>(), range[1].get<double>())};
    }
    if (const Json& first = answer.at("above_zero"); !first.is_null()) {
      Json& known = recorded["above_zero"];
      known = known.is_null() ? first : Json(std::min(known.get<double>(), first.get<double>()));
    }
    for (const auto& [name, lines] : answer.at("series").items()) {
      Json& places = recorded["series"][name] = Json::array();
      for (const Json& line : lines) {
        Json place{{"generation", line.at("generation")}};
        for (const char* part : {"x0", "x1"}) place[part] = place_of(line.at(part), kPlaceDigits);
        for (const char* part : {"min", "max", "mean", "count"})
          place[part] = place_of(line.at(part), kValueDigits);
        for (const Json& count : line.at("count")) is_whole_ = is_whole_ && count == 1;
        places.push_back(std::move(place));
      }
    }
  }

  // Returns the column's place among all, each of which is kept once: most series have the same steps, and
  // where a bucket holds one sample its lowest, highest and mean are the same.
  std::size_t place_of(const Json& numbers, int digits) {
    Json column = Json::array();
    for (const Json& number : numbers) column.push_back(rounded(number, digits));
    const auto [found, is_new] = places_.try_emplace(column.dump(), columns_.size());
    if (is_new) {
      numbers_ += column.size();
      columns_.push_back(std::move(column));
    }
    return found->second;
  }

  Json axes_ = Json::object(), columns_ = Json::array();
  std::map<std::string, std::size_t> places_;  // by the column as text
  std::size_t numbers_ = 0;
  bool is_whole_ = true;
};

}  // namespace

Json recorded_answers(Store& store, const std::string& id) {
  const Json details = run_details(store, id).json;
  Json run = picked(details, kDetails);
  run["run"] = picked(details.at("run"), kRunFields);
  run["run"]["devices"] = Json::array();
  run["origin"] = run["job"] = nullptr;
  std::vector<std::string> series{"step"};
  for (const Json& info : details.at("series")) series.push_back(info.at("name"));

  long columns = kMostColumns;
  RecordedSamples samples(store, id, series, columns);
  while (!samples.fits() && columns > 1) samples = RecordedSamples(store, id, series, columns /= 2);
  return {{"about",
           {{"version", BATCHSCOPE_VERSION},
            {"host", ""},
            {"store", ""},
            {"read_only", true},
            {"token", nullptr},
            {"run", id},
            {"now", storage::now()},
            {"devices", Json::array()},
            {"recording", {{"columns", columns}, {"whole", samples.is_whole()}}}}},
          {"run", std::move(run)},
          {"samples", samples.axes()},
          {"columns", samples.columns()},
          {"explorer", explorer_json(store, id, {})},
          {"batch_curves", batch_curves_json(store, id)},
          {"scaling", scaling_json(store, id)}};
}

}  // namespace batchscope::web
