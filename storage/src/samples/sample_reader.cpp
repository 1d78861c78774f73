// SPDX-License-Identifier: Apache-2.0
//
// Drawing n samples in c columns: G is the smallest power of two for which groups of G positions, aligned
// to multiples of G so that they do not flicker when a live series grows, are at most 2c. The groups are
// made from the coarsest tier that is not coarser than G; where the range cuts through a summary, or a
// row is missing (the newest samples have none yet), the next finer tier fills in, down to the samples.
#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "batchscope/storage/samples.h"
#include "samples/tier.h"
#include "samples/track_reader.h"

namespace batchscope::storage {
namespace {

// Collects summaries, in order of position, into groups of equal width.
class Groups {
 public:
  explicit Groups(std::int64_t width) : width_(width) {}

  void add(std::int64_t position, std::span<const Sample> samples) {
    while (!samples.empty()) {
      const auto room = static_cast<std::size_t>(width_ - position % width_);
      const std::span<const Sample> part = samples.first(std::min(room, samples.size()));
      add(position, summarize(part));
      position += static_cast<std::int64_t>(part.size());
      samples = samples.subspan(part.size());
    }
  }

  void add(std::int64_t position, const Summary& summary) {
    if (groups_.empty() || position / width_ != index_) groups_.emplace_back();
    index_ = position / width_;
    groups_.back().add(summary);
  }

  std::vector<Bucket> buckets() const {
    std::vector<Bucket> buckets;
    for (const Summary& group : groups_)
      buckets.push_back({group.first_step, group.last_step, group.count, group.min, group.max, group.mean});
    return buckets;
  }

 private:
  std::int64_t width_;
  std::int64_t index_ = 0;
  std::vector<Summary> groups_;
};

}  // namespace

struct SampleReader::Impl : TrackReader {
  using TrackReader::TrackReader;

  // The position of the first sample whose step is not below; none where it is not in a full chunk.
  std::optional<std::int64_t> sealed_position(const Track& track, std::int64_t step) {
    std::optional<std::int64_t> found;
    for_each_chunk(
        track, chunk_before(track, step), track.chunks, [&](std::int64_t number, const StoredChunk& chunk) {
          if (chunk.chunk.summary.last_step < step) return true;
          found = number * kChunkWidth;
          if (chunk.chunk.summary.first_step >= step) return false;
          const auto samples = samples_of(track, chunk);
          *found += std::lower_bound(samples.begin(), samples.end(), step, is_before) - samples.begin();
          return false;
        });
    return found;
  }

  std::int64_t unfinished_position(const Track& track, std::int64_t step) {
    const auto& samples = track.unfinished;
    return track.chunks * kChunkWidth +
           (std::lower_bound(samples.begin(), samples.end(), step, is_before) - samples.begin());
  }

  // Adds the samples at positions [begin, end) to the groups, from this level or finer ones.
  void cover(const Track& track, int level, std::int64_t begin, std::int64_t end, Groups& groups) {
    if (begin >= end) return;
    if (level == 0)
      return visit_samples(track, begin, end, [&](std::int64_t position, std::span<const Sample> samples) {
        groups.add(position, samples);
      });
    const std::int64_t width = summary_width(level);
    const std::int64_t whole_begin = (begin + width - 1) / width * width;
    const std::int64_t whole_end = end / width * width;
    if (whole_begin >= whole_end) return cover(track, level - 1, begin, end, groups);

    cover(track, level - 1, begin, whole_begin, groups);
    std::int64_t missing = 0;  // summaries before `at` that are not there
    std::int64_t at = whole_begin;
    for (const Summary& summary :
         read_tier(database(), track.id, level, whole_begin, whole_end, rows_read())) {
      if (summary.count == 0) {
        ++missing;
      } else {
        cover(track, level - 1, at - std::exchange(missing, 0) * width, at, groups);
        groups.add(at, summary);
      }
      at += width;
    }
    cover(track, level - 1, at - missing * width, end, groups);
  }

  std::vector<Bucket> summarize(Track& track, std::int64_t from, std::int64_t to, int columns) {
    const std::optional<std::int64_t> sealed_begin = sealed_position(track, from);
    const std::optional<std::int64_t> sealed_end = sealed_position(track, to + 1);
    if (!sealed_end) load_unfinished(track, from, to);
    const std::int64_t begin = sealed_begin ? *sealed_begin : unfinished_position(track, from);
    const std::int64_t end = sealed_end ? *sealed_end : unfinished_position(track, to + 1);
    if (begin >= end) return {};
    const std::int64_t most = 2 * std::int64_t{std::max(columns, 1)};
    const auto needed = static_cast<std::uint64_t>((end - begin + most - 2) / (most - 1));
    const auto width = static_cast<std::int64_t>(std::bit_ceil(needed));
    int level = 0;
    while (level < kTopLevel && summary_width(level + 1) <= width) ++level;
    Groups groups(width);
    cover(track, level, begin, end, groups);
    return groups.buckets();
  }
};

SampleReader::SampleReader(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}

SampleReader::~SampleReader() = default;

std::vector<SeriesInfo> SampleReader::series() {
  Impl& impl = *impl_;
  return impl.read([&] {
    std::vector<SeriesInfo> list;
    for (const TrackHeading& track : impl.headings()) {
      if (list.empty() || list.back().name != track.series) list.push_back({track.series, 0});
      list.back().count += track.count;
    }
    return list;
  });
}

std::vector<int> SampleReader::generations(std::string_view series) {
  Impl& impl = *impl_;
  return impl.read([&] {
    std::vector<int> list;
    Query row =
        impl.database().query("SELECT generation FROM track WHERE series = ? ORDER BY generation", series);
    while (row.next()) list.push_back(row.small_integer(0));
    return list;
  });
}

std::vector<Sample> SampleReader::read(std::string_view series, int generation, std::int64_t from_step,
                                       std::int64_t to_step) {
  Impl& impl = *impl_;
  return impl.read([&]() -> std::vector<Sample> {
    const auto track = impl.find(series, generation);
    if (!track || from_step > to_step) return {};
    impl.refresh_tail();
    return impl.read_steps(*track, from_step, to_step);
  });
}

std::vector<Sample> SampleReader::read_positions(std::string_view series, int generation, std::int64_t first,
                                                 std::int64_t count) {
  Impl& impl = *impl_;
  return impl.read([&]() -> std::vector<Sample> {
    auto track = impl.find(series, generation);
    if (!track || first < 0 || count <= 0) return {};
    impl.refresh_tail();
    return impl.read_positions(*track, first, first + std::min(count, INT64_MAX - first));
  });
}

std::vector<Bucket> SampleReader::summarize(std::string_view series, int generation, std::int64_t from_step,
                                            std::int64_t to_step, int columns) {
  Impl& impl = *impl_;
  return impl.read([&]() -> std::vector<Bucket> {
    auto track = impl.find(series, generation);
    if (!track || from_step > to_step) return {};
    impl.refresh_tail();
    return impl.summarize(*track, from_step, std::min(to_step, INT64_MAX - 1), columns);
  });
}

bool SampleReader::changed() { return impl_->database().changed(); }

std::int64_t SampleReader::rows_read() const { return impl_->rows_read(); }

}  // namespace batchscope::storage
