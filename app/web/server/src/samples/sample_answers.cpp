// SPDX-License-Identifier: Apache-2.0
#include "samples/sample_answers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "answer.h"
#include "batchscope/common/derived_series.h"
#include "batchscope/common/run_clock.h"
#include "batchscope/common/step_map.h"
#include "batchscope/protocol/series.h"
#include "samples/sample_tail.h"

namespace batchscope::web {
namespace {

using protocol::Json;
using storage::Bucket;

constexpr long kUsualColumns = 1000;
constexpr int kMostLogColumns = 1000;  // of a logarithmic axis, besides those of a linear one
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Returns the recorded series that a horizontal axis counts; null for steps.
const char* series_of(const std::string& axis) {
  if (axis == "step") return nullptr;
  if (axis == "time") return protocol::series::kTime;
  if (axis == "progress") return protocol::series::kProgress;
  throw Error(ErrorKind::usage, "x=" + axis + " is not one of step, progress, time");
}

// A generation's part of the axis.
struct Stretch {
  int generation = 0;
  std::int64_t first = 0, last = 0;  // steps
  std::vector<Bucket> knots;         // of the series that the axis counts
  double low = kNothing, high = kNothing;
};

class Chart {
 public:
  Chart(storage::SampleReader& reader, const char* axis, double origin, int columns)
      : reader_(reader), axis_(axis), origin_(origin), columns_(columns) {}

  // All steps of any of these series.
  void look_at(const std::vector<std::string>& series) {
    for (const std::string& name : recorded(series))
      for (const int generation : reader_.generations(name)) {
        const std::vector<Bucket> whole = reader_.summarize(name, generation, INT64_MIN, INT64_MAX, 1);
        if (whole.empty()) continue;
        const auto [found, is_new] = stretches_.try_emplace(generation);
        Stretch& stretch = found->second;
        stretch.generation = generation;
        stretch.first = is_new ? whole.front().first_step : std::min(stretch.first, whole.front().first_step);
        stretch.last = is_new ? whole.back().last_step : std::max(stretch.last, whole.back().last_step);
      }
    for (auto& [generation, stretch] : stretches_) place(stretch);
  }

  // Returns the first place above 0, where a logarithmic axis begins; NaN where there is none.
  double above_zero() const {
    double first = kNothing;
    for (const auto& [generation, stretch] : stretches_) {
      // Clocks start at zero; the step after it is above it.
      const double low =
          stretch.low > 0 ? stretch.low : map_of(stretch).at(static_cast<double>(stretch.first + 1));
      if (low > 0) first = std::fmin(first, low);
    }
    return first;
  }

  // Returns the range of the samples; NaN where there are none.
  std::pair<double, double> range() const {
    double low = kNothing, high = kNothing;
    for (const auto& [generation, stretch] : stretches_) {
      low = std::fmin(low, stretch.low);
      high = std::fmax(high, stretch.high);
    }
    return {low, high};
  }

  // Returns the lines of the series between the two places. `is_log`: fine enough for a logarithmic axis,
  // too, which spreads its first steps wide, so that each doubling has columns of its own.
  Json lines(const std::string& name, double from, double to, bool is_log) {
    Json lines = Json::array();
    const double begin = is_log ? std::max(from, above_zero()) : kNothing;
    for (const auto& [generation, stretch] : stretches_) {
      const double low = std::max(from, stretch.low), high = std::min(to, stretch.high);
      if (!(low <= high)) continue;
      const common::StepMap map = map_of(stretch);
      std::vector<Bucket> buckets;
      auto first = static_cast<std::int64_t>(std::floor(map.stepAt(low)));
      double left = low;
      for (const double right : ends(low, high, begin)) {
        const double step = map.stepAt(right);
        const auto last = static_cast<std::int64_t>(right < high ? std::floor(step) : std::ceil(step));
        double wanted = columns_ * (to > from ? (right - left) / (to - from) : 1);
        if (right > begin)
          wanted = std::max(wanted, std::min(columns_, kMostLogColumns) *
                                        std::log(right / std::max(left, begin)) / std::log(to / begin));
        // A summary may have twice as many buckets as it is asked for columns.
        const int columns = std::max(1, static_cast<int>(std::ceil(wanted / 2)));
        for (const Bucket& bucket : buckets_of(name, generation, first, last, columns))
          buckets.push_back(bucket);
        first = last + 1;
        left = right;
      }
      if (!buckets.empty()) lines.push_back(line(generation, buckets, map));
    }
    return lines;
  }

 private:
  // Returns where the parts of [low, high] end that are summarised by themselves: each doubling of a
  // logarithmic axis from `begin` on; NaN: the axis is linear.
  static std::vector<double> ends(double low, double high, double begin) {
    std::vector<double> ends;
    if (begin > 0)
      for (double end = 2 * std::max(low, begin); end < high; end *= 2) ends.push_back(end);
    ends.push_back(high);
    return ends;
  }

  // Returns the recorded series by which these are known.
  static std::vector<std::string> recorded(const std::vector<std::string>& series) {
    std::vector<std::string> recorded;
    for (const std::string& name : series) {
      const common::DerivedSeries* derived = common::derivedSeries(name);
      if (derived == nullptr)
        recorded.push_back(name);
      else
        recorded.insert(recorded.end(), derived->inputs.begin(), derived->inputs.end());
    }
    return recorded;
  }

  std::vector<Bucket> buckets_of(const std::string& name, int generation, std::int64_t first,
                                 std::int64_t last, int columns) {
    const auto summarize = [&](const std::string& series) {
      return reader_.summarize(series, generation, first, last, columns);
    };
    if (name == common::kStepSeries) return common::stepBuckets(summarize(protocol::series::kTime));
    const common::DerivedSeries* derived = common::derivedSeries(name);
    if (derived == nullptr) return summarize(name);
    std::vector<std::vector<Bucket>> inputs;
    for (const std::string& input : derived->inputs) inputs.push_back(summarize(input));
    return common::derivedBuckets(*derived, inputs);
  }

  common::StepMap map_of(const Stretch& stretch) const {
    return axis_ == nullptr ? common::StepMap() : common::StepMap(stretch.knots, origin_);
  }

  void place(Stretch& stretch) {
    if (axis_ != nullptr) {
      stretch.knots = reader_.summarize(axis_, stretch.generation, stretch.first, stretch.last, columns_);
      std::erase_if(stretch.knots, [](const Bucket& bucket) { return std::isnan(bucket.min); });
    }
    const common::StepMap map = map_of(stretch);
    stretch.low = map.at(static_cast<double>(stretch.first));
    stretch.high = map.at(static_cast<double>(stretch.last));
  }

  static Json line(int generation, const std::vector<Bucket>& buckets, const common::StepMap& map) {
    Json x0 = Json::array(), x1 = Json::array(), min = Json::array(), max = Json::array(),
         mean = Json::array(), count = Json::array();
    for (const Bucket& bucket : buckets) {
      x0.push_back(protocol::encode_number(map.at(static_cast<double>(bucket.first_step))));
      x1.push_back(protocol::encode_number(map.at(static_cast<double>(bucket.last_step))));
      min.push_back(protocol::encode_number(bucket.min));
      max.push_back(protocol::encode_number(bucket.max));
      mean.push_back(protocol::encode_number(bucket.mean));
      count.push_back(bucket.count);
    }
    return {{"generation", generation}, {"x0", std::move(x0)},   {"x1", std::move(x1)},
            {"min", std::move(min)},    {"max", std::move(max)}, {"mean", std::move(mean)},
            {"count", std::move(count)}};
  }

  storage::SampleReader& reader_;
  const char* const axis_;
  const double origin_;  // of the axis
  const int columns_;
  std::map<int, Stretch> stretches_;  // by generation
};

}  // namespace

Json samples_json(Store& store, const std::string& id, const http::Request& request) {
  const storage::Run run = store.run(id);
  const std::string axis = request.value("x").value_or("step");
  const char* const counted = series_of(axis);
  const auto columns = static_cast<int>(whole_in(request, "columns", 1, kMostColumns, kUsualColumns));
  const std::vector<std::string> names = words_in(request, "series");
  const std::vector<std::string> logarithmic = words_in(request, "log");
  if (names.size() > kMostSeries)
    throw Error(ErrorKind::usage, "ask for at most " + std::to_string(kMostSeries) + " series at a time");
  SampleTail tail(id);
  tail.begin(store);  // before they are read: what comes meanwhile comes again, and nothing is missed
  Json series = Json::object();
  for (const std::string& name : names) series[name] = Json::array();
  Json range = nullptr, above_zero = nullptr;
  if (storage::SampleReader* reader = store.samples(id)) {
    const double origin = axis == "time" ? common::clockOrigin(run, store.catalogue().generations(id)) : 0;
    Chart chart(*reader, counted, origin, columns);
    // The axis is that of all that was recorded, whichever series are asked for.
    chart.look_at({protocol::series::kTime});
    chart.look_at(names);
    const auto [low, high] = chart.range();
    if (!std::isnan(low)) range = {low, high};
    if (const double first = chart.above_zero(); first > 0) above_zero = first;
    const double from = number_in(request, "from", low), to = number_in(request, "to", high);
    for (const std::string& name : names)
      series[name] = chart.lines(name, from, to, std::ranges::find(logarithmic, name) != logarithmic.end());
  }
  return {{"x", axis},
          {"range", range},
          {"above_zero", above_zero},
          {"series", std::move(series)},
          {"cursor", tail.cursor()}};
}

}  // namespace batchscope::web
