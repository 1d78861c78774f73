// SPDX-License-Identifier: Apache-2.0
#include "samples/sample_tail.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "batchscope/common/derived_series.h"
#include "batchscope/common/run_clock.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/series.h"

namespace batchscope::web {
namespace {

using protocol::Json;
using storage::Sample, storage::SampleReader;

constexpr std::size_t kMostRows = 64, kColumns = 16;  // of one look, four a second
constexpr std::size_t kMostMissed = 2000;             // of who comes back
constexpr std::int64_t kMostSteps = 20'000;           // beyond which rows are not the way to tell
constexpr std::size_t kMostInputs = 256;              // rows whose inputs are kept
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Returns the place of a whole series in one generation.
Cursor::Place place_of(SampleReader& reader, const std::string& name, int generation) {
  Cursor::Place place;
  for (const storage::Bucket& bucket : reader.summarize(name, generation, INT64_MIN, INT64_MAX, 1)) {
    if (place.count == 0) place.first_step = bucket.first_step;
    place.count += bucket.count;
  }
  return place;
}

// Series by the generations in which they have samples, the newest first.
using Tracks = std::map<int, std::vector<std::string>, std::greater<>>;
Tracks tracks_from(SampleReader& reader, int generation) {
  Tracks tracks;
  for (const storage::SeriesInfo& info : reader.series())
    for (const int each : reader.generations(info.name))
      if (each >= generation) tracks[each].push_back(info.name);
  return tracks;
}

// The rows to keep, and which values of them: of each series the least and the greatest in each of so many
// columns. The last row stays whole, as what is newest is what is read.
template <class Rows>
void thin(Rows& rows, std::size_t columns) {
  const std::size_t width = (rows.size() + columns - 1) / columns;
  Rows kept;
  for (auto row = rows.begin(); row != rows.end();) {
    std::map<std::string, std::pair<typename Rows::iterator, typename Rows::iterator>> extremes;
    for (std::size_t i = 0; i < width && row != rows.end(); ++i, ++row)
      for (const auto& [name, value] : row->second.values) {
        const auto [found, is_first] = extremes.try_emplace(name, row, row);
        auto& [least, greatest] = found->second;
        // A value that is not finite gives way to one that is.
        if (value < least->second.values[name] || std::isnan(least->second.values[name])) least = row;
        if (value > greatest->second.values[name] || std::isnan(greatest->second.values[name]))
          greatest = row;
      }
    for (const auto& [name, ends] : extremes)
      for (const auto& end : {ends.first, ends.second})
        kept[end->first].values[name] = end->second.values[name];
  }
  kept.insert_or_assign(rows.rbegin()->first, rows.rbegin()->second);
  rows = std::move(kept);
}

}  // namespace

// The order matters: once the newest generation is seen to have samples, those before it have all of theirs.
void SampleTail::begin(Store& store) {
  SampleReader* reader = store.samples(run_);
  if (reader == nullptr) return;
  const Tracks tracks = tracks_from(*reader, 0);
  if (tracks.empty()) return;
  cursor_.generation = tracks.begin()->first;
  for (const std::string& name : tracks.begin()->second)
    cursor_.places[name] = place_of(*reader, name, cursor_.generation);
}

SampleNews SampleTail::read(Store& store) {
  SampleReader* reader = store.samples(run_);
  if (reader == nullptr) return {};
  const bool is_known = reader == seen_;
  seen_ = reader;
  if (!reader->changed() && is_known) return {};
  Rows rows;
  Cursor next;
  bool lost = false;
  for (const auto& [generation, names] : tracks_from(*reader, cursor_.generation)) {
    for (const std::string& name : names) {
      Cursor::Place place;
      if (generation == cursor_.generation)
        if (const auto found = cursor_.places.find(name); found != cursor_.places.end())
          place = found->second;
      const std::vector<Sample> samples =
          reader->read_positions(name, generation, place.count, kMostSteps + 1);
      if (std::ssize(samples) > kMostSteps) {
        lost = true;
        place = place_of(*reader, name, generation);
      } else {
        if (place.count == 0 && !samples.empty()) place.first_step = samples.front().step;
        place.count += std::ssize(samples);
        for (const Sample& sample : samples) rows[{generation, sample.step}].values[name] = sample.value;
      }
      if (place.count > 0 && generation >= next.generation) {
        next.generation = generation;
        next.places[name] = place;
      }
    }
  }
  if (next.generation >= 0) cursor_ = std::move(next);
  if (lost) return {"", true};
  return news_of(store, std::move(rows), kMostRows);
}

SampleNews SampleTail::since(Store& store, std::string_view cursor) {
  const auto known = KnownPlaces::parse(cursor);
  SampleReader* reader = known ? store.samples(run_) : nullptr;
  if (!known || known->generation() > cursor_.generation) return {"", true};
  if (reader == nullptr) return {};
  Rows rows;
  for (const auto& [generation, names] : tracks_from(*reader, std::max(known->generation(), 0))) {
    if (generation > cursor_.generation) continue;
    for (const std::string& name : names) {
      Cursor::Place end;
      if (generation < cursor_.generation) {
        end = place_of(*reader, name, generation);
      } else if (const auto found = cursor_.places.find(name); found != cursor_.places.end()) {
        end = found->second;
      }
      const std::int64_t begin = generation == known->generation() ? known->of(name, end.first_step) : 0;
      if (end.count - begin > kMostSteps) return {"", true};
      if (end.count <= begin) continue;
      for (const Sample& sample : reader->read_positions(name, generation, begin, end.count - begin))
        rows[{generation, sample.step}].values[name] = sample.value;
    }
  }
  return news_of(store, std::move(rows), kMostMissed);
}

// Rows get the values of all derived series, one of whose inputs they bring.
void SampleTail::derive(Rows& rows) {
  for (auto& [at, row] : rows) {
    std::map<std::string, double>& known = inputs_[at].values;
    std::map<std::string, double> computed;
    for (const auto& [name, derived] : common::allDerivedSeries()) {
      bool is_new = false;
      std::vector<double> values;
      for (const std::string& input : derived.inputs) {
        if (const auto found = row.values.find(input); found != row.values.end()) {
          known[input] = found->second;
          is_new = true;
        }
        if (const auto found = known.find(input); found != known.end()) values.push_back(found->second);
      }
      if (is_new && values.size() == derived.inputs.size()) computed[name] = derived.value(values);
    }
    for (const auto& [name, value] : computed) row.values[name] = value;
  }
  while (inputs_.size() > kMostInputs) inputs_.erase(inputs_.begin());
}

SampleNews SampleTail::news_of(Store& store, Rows rows, std::size_t most) {
  if (rows.empty()) return {};
  derive(rows);
  const bool thinned = rows.size() > most;
  // Where each row is on the axes is known before rows are left out.
  std::map<std::pair<int, std::int64_t>, Position> places;
  for (const auto& [at, row] : rows) {
    auto& position = positions_.try_emplace(at.first, Position{kUnknown, kUnknown}).first->second;
    if (const auto time = row.values.find(protocol::series::kTime); time != row.values.end())
      position.time = time->second;
    if (const auto progress = row.values.find(protocol::series::kProgress); progress != row.values.end())
      position.progress = progress->second;
    places[at] = position;
  }
  if (thinned) thin(rows, most == kMostRows ? kColumns : most / 4);
  const double origin = common::clockOrigin(store.run(run_), store.catalogue().generations(run_));
  const auto place_json = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json list = Json::array();
  for (const auto& [at, row] : rows) {
    Json values = Json::object();
    for (const auto& [name, value] : row.values)
      if (name != protocol::series::kTime && name != protocol::series::kProgress)
        values[name] = protocol::encode_number(value);
    const Position& position = places[at];
    list.push_back(
        {{"generation", at.first},
         {"step", at.second},
         {"x", {{"time", place_json(position.time - origin)}, {"progress", place_json(position.progress)}}},
         {"values", std::move(values)}});
  }
  Json samples{{"run", run_}, {"rows", std::move(list)}};
  if (thinned) samples["thinned"] = true;
  return {samples.dump(-1, ' ', false, Json::error_handler_t::replace), false};
}

}  // namespace batchscope::web
