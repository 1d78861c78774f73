// SPDX-License-Identifier: GPL-3.0-or-later
#include "series/series_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "batchscope/common/derived_series.h"
#include "batchscope/common/run_clock.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/series.h"

namespace batchscope::desktop {
namespace {

using protocol::series::kEpoch;
using protocol::series::kProgress;
using protocol::series::kSamples;
using protocol::series::kTime;

// Above this many steps a generation's history is opened from the store's summaries.
constexpr std::int64_t kReadWhole = 32768;
constexpr int kHistoryColumns = 4096;

void markEmpty(Bucket& bucket) {
  if (std::isfinite(bucket.mean) && bucket.min <= bucket.max) return;
  bucket.min = bucket.max = bucket.mean = std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

SeriesModel::SeriesModel(std::filesystem::path samples)
    : file_(std::move(samples)), wanted_{kTime, kProgress, kEpoch, kSamples} {}

void SeriesModel::want(const std::set<std::string>& series) {
  for (const std::string& name : series) {
    if (name == common::kStepSeries) continue;
    const auto* derived = common::derivedSeries(name);
    for (const std::string& input : derived ? derived->inputs : std::vector{name}) {
      fresh_ |= wanted_.insert(input).second;
    }
  }
}

bool SeriesModel::open() {
  if (reader_) return true;
  try {
    reader_ = std::make_unique<storage::SampleReader>(file_);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    return false;
  }
  fresh_ = true;
  return true;
}

bool SeriesModel::refresh(const std::vector<storage::Generation>& generations) {
  if (!open()) return false;
  const bool news = reader_->changed();
  const bool known = generations.size() == spans_.size();
  if (!news && !fresh_ && known) {
    updateSpans(generations);
    return false;
  }
  if (fresh_) closed_ = -1;
  fresh_ = false;
  std::vector<std::string> recorded;
  for (storage::SeriesInfo& series : reader_->series()) recorded.push_back(std::move(series.name));
  bool grown = recorded != recorded_;
  recorded_ = std::move(recorded);
  for (std::size_t i = 0; i < generations.size(); ++i) {
    if (generations[i].number <= closed_) continue;
    grown |= follow(generations[i]);
    // The writer only ever appends to the newest generation.
    if (i + 1 < generations.size()) closed_ = generations[i].number;
  }
  if (grown) views_.clear();
  updateSpans(generations);
  return grown;
}

bool SeriesModel::follow(const storage::Generation& generation) {
  bool grown = false;
  auto& tracks = tracks_[generation.number];
  for (const std::string& name : wanted_) {
    auto [entry, isNew] = tracks.try_emplace(name);
    Track& track = entry->second;
    const std::int64_t before = track.sampleCount();
    if (isNew) openTrack(name, generation, track);
    for (const storage::Sample& sample : reader_->read(name, generation.number, track.nextStep())) {
      track.append(sample.step, sample.value);
    }
    grown |= track.sampleCount() != before;
  }
  return grown;
}

void SeriesModel::openTrack(const std::string& series, const storage::Generation& generation, Track& track) {
  if (generation.last_step - generation.first_step < kReadWhole) return;
  for (Bucket bucket : reader_->summarize(series, generation.number, generation.first_step,
                                          generation.last_step, kHistoryColumns)) {
    markEmpty(bucket);
    track.append(bucket);
  }
}

void SeriesModel::updateSpans(const std::vector<storage::Generation>& generations) {
  spans_ = common::spansOf(generations,
                           [&](int generation) -> std::optional<std::pair<std::int64_t, std::int64_t>> {
                             const Track* time = track(kTime, generation);
                             if (time == nullptr || time->empty()) return {};
                             return std::pair(time->firstStep(), time->lastStep());
                           });
  double active = 0;
  activeOrigins_.clear();
  for (const GenerationSpan& span : spans_) {
    const Track* time = track(kTime, span.number);
    if (time == nullptr || time->empty()) continue;
    const double began = time->buckets().front().min;
    // A run of which the launch is unknown begins with its first sample, and none after it: clocks are set.
    if (activeOrigins_.empty()) origin_ = std::min(common::clockOrigin(generations, began), began);
    activeOrigins_[span.number] = began - active;
    active += time->buckets().back().max - began;
  }
}

const Track* SeriesModel::track(const std::string& series, int generation) const {
  const auto tracks = tracks_.find(generation);
  if (tracks == tracks_.end()) return nullptr;
  const auto found = tracks->second.find(series);
  return found == tracks->second.end() ? nullptr : &found->second;
}

common::StepMap SeriesModel::counted(const std::string& series, int generation, double origin) const {
  const Track* counted = track(series, generation);
  return {counted == nullptr ? std::span<const Bucket>() : counted->buckets(), origin};
}

common::StepMap SeriesModel::count(const std::string& series, int generation) const {
  return counted(series, generation, series == kTime ? origin_ : 0);
}

common::StepMap SeriesModel::map(XAxis axis, int generation) const {
  switch (axis) {
    case XAxis::Step: return {};
    case XAxis::Progress: return count(kProgress, generation);
    case XAxis::Epoch: return count(kEpoch, generation);
    case XAxis::Samples: return count(kSamples, generation);
    case XAxis::WallTime: return count(kTime, generation);
    case XAxis::ActiveTime: {
      const auto origin = activeOrigins_.find(generation);
      return counted(kTime, generation, origin == activeOrigins_.end() ? origin_ : origin->second);
    }
  }
  return {};
}

std::vector<Bucket> SeriesModel::buckets(const std::string& series, int generation, std::int64_t from,
                                         std::int64_t to, int columns) {
  const auto borrowed = view(series, generation, from, to, columns);
  return {borrowed.begin(), borrowed.end()};
}

SeriesModel::Extent SeriesModel::extent(XAxis axis, bool isLog) const {
  Extent extent{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const GenerationSpan& span : spans_) {
    if (span.last == 0) continue;
    const common::StepMap x = map(axis, span.number);
    double low = x.at(static_cast<double>(span.first));
    // Clocks start at zero, which has no place on a logarithmic axis: the step after it has.
    if (isLog && !(low > 0)) low = x.at(static_cast<double>(span.first + 1));
    if (!isLog || low > 0) extent.low = std::fmin(extent.low, low);
    extent.high = std::fmax(extent.high, x.at(static_cast<double>(span.last)));
  }
  // A run that is seen from its beginning starts at zero, where a person looks for it.
  // On wall time it is the launch of its replicas, which may take a while.
  const double near = axis == XAxis::WallTime ? 0.25 : 0.02;
  if (!isLog && extent.low > 0 && extent.low < near * extent.high) extent.low = 0;
  return extent;
}

std::optional<StepRef> SeriesModel::nearest(XAxis axis, double x) const {
  std::optional<StepRef> best;
  double closest = std::numeric_limits<double>::infinity();
  for (const GenerationSpan& span : spans_) {
    const std::int64_t last = std::min(span.last, span.lostFrom - 1);
    if (span.last == 0 || last < span.first) continue;
    const common::StepMap xs = map(axis, span.number);
    const double step = xs.stepAt(x);
    if (std::isnan(step)) continue;
    const auto at = std::clamp(static_cast<std::int64_t>(std::llround(step)), span.first, last);
    const double distance = std::abs(xs.at(static_cast<double>(at)) - x);
    if (distance <= closest) {
      closest = distance;
      best = StepRef{span.number, at};
    }
  }
  return best;
}

std::optional<double> SeriesModel::position(XAxis axis, const StepRef& at) const {
  if (generation(at.generation) == nullptr) return {};
  const double x = map(axis, at.generation).at(static_cast<double>(at.step));
  return std::isnan(x) ? std::nullopt : std::optional(x);
}

std::span<const Bucket> SeriesModel::view(const std::string& series, int generation, std::int64_t from,
                                          std::int64_t to, int columns) {
  if (series == common::kStepSeries || common::derivedSeries(series)) {
    if (views_.size() > 64) views_.clear();
    auto derived = derive(series, generation, from, to, columns);
    return views_.insert_or_assign(View{series, generation, from, to, columns}, std::move(derived))
        .first->second;
  }
  const Track* have = track(series, generation);
  if (have == nullptr || have->empty() || from > to) return {};
  const auto begin = have->from(from);
  auto end = have->from(to);
  if (end != have->buckets().end() && end->first_step <= to) ++end;
  const double columnWidth = static_cast<double>(to - from + 1) / std::max(1, columns);
  if (have->resolution() <= std::max(1.0, columnWidth)) return {begin, end};

  const View key{series, generation, std::max(from, have->firstStep()), std::min(to, have->lastStep()),
                 columns};
  if (const auto found = views_.find(key); found != views_.end()) return found->second;
  if (views_.size() > 64) views_.clear();
  auto buckets = reader_->summarize(series, generation, key.from, key.to, columns);
  std::for_each(buckets.begin(), buckets.end(), markEmpty);
  return views_.emplace(key, std::move(buckets)).first->second;
}

std::span<const NoiseWindow> SeriesModel::noise(const NoiseStretch& stretch, std::int64_t length) {
  const auto* derived = common::derivedSeries(stretch.series);
  const Track* have = track(derived ? derived->inputs.front() : stretch.series, stretch.generation);
  if (have == nullptr || have->empty()) return {};
  return noise_.view(stretch, length, have->lastStep(), [&](std::int64_t from, std::int64_t to, int columns) {
    return view(stretch.series, stretch.generation, from, std::min(to, have->lastStep()), columns);
  });
}

std::vector<Bucket> SeriesModel::derive(const std::string& series, int generation, std::int64_t from,
                                        std::int64_t to, int columns) {
  if (series == common::kStepSeries) return common::stepBuckets(view(kTime, generation, from, to, columns));
  const common::DerivedSeries& derived = *common::derivedSeries(series);
  std::vector<std::vector<Bucket>> inputs;
  for (const std::string& input : derived.inputs) {
    const auto borrowed = view(input, generation, from, to, columns);
    inputs.emplace_back(borrowed.begin(), borrowed.end());
  }
  return common::derivedBuckets(derived, inputs);
}

std::optional<double> SeriesModel::value(const std::string& series, const StepRef& at) {
  if (series == common::kStepSeries) return static_cast<double>(at.step);
  if (const auto* derived = common::derivedSeries(series)) {
    std::vector<double> values;
    for (const std::string& input : derived->inputs) {
      const auto known = value(input, at);
      if (!known) return {};
      values.push_back(*known);
    }
    return derived->value(values);
  }
  const Track* have = track(series, at.generation);
  if (have == nullptr || have->empty() || at.step < have->firstStep()) return {};
  auto bucket = have->from(at.step);
  if (bucket == have->buckets().end() || (bucket->first_step > at.step && bucket != have->buckets().begin()))
    --bucket;
  if (bucket->count == 1) return bucket->mean;
  return sampleIn(series, at.generation, *bucket, at.step).value_or(bucket->mean);
}

// Finds the sample of a bucket. The store is asked once for all of them, for the cross-hair is painted many
// times and moves by little.
std::optional<double> SeriesModel::sampleIn(const std::string& series, int generation, const Bucket& bucket,
                                            std::int64_t step) {
  Detail& detail = details_[series];
  if (detail.generation != generation || detail.first != bucket.first_step || detail.last < bucket.last_step)
    detail = {generation, bucket.first_step, bucket.last_step,
              reader_->read(series, generation, bucket.first_step, bucket.last_step)};
  const auto next = std::upper_bound(detail.samples.begin(), detail.samples.end(), step,
                                     [](std::int64_t at, const storage::Sample& s) { return at < s.step; });
  return next == detail.samples.begin() ? std::nullopt : std::optional(std::prev(next)->value);
}

std::optional<double> SeriesModel::newest(const std::string& series, const StepRef& at) {
  for (auto span = spans_.rbegin(); span != spans_.rend(); ++span) {
    if (span->number > at.generation) continue;
    const std::int64_t last = span->number == at.generation ? at.step : std::min(at.step, span->lostFrom - 1);
    if (const auto known = value(series, {span->number, last})) return known;
  }
  return {};
}

}  // namespace batchscope::desktop
