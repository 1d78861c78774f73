// SPDX-License-Identifier: Apache-2.0
//
// Reading. A track is addressed in two ways: by step, as callers do, and by position, 0 for its first
// sample, in which chunks and tiers are regular. Every call is one short read transaction, so that what
// it sees is whole and the writer's log can be emptied.
//
// Drawing n samples in c columns: G is the smallest power of two for which groups of G positions, aligned
// to multiples of G so that they do not flicker when a live series grows, are at most 2c. The groups are
// made from the coarsest tier that is not coarser than G; where the range cuts through a summary, or a
// row is missing (the newest samples have none yet), the next finer tier fills in, down to the samples.
#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/samples.h"
#include "chunk.h"
#include "database.h"
#include "samples_schema.h"
#include "tail.h"
#include "tier.h"

namespace batchscope::storage {
namespace {

constexpr auto kChunkWidth = static_cast<std::int64_t>(kChunkSamples);

bool before(const Sample& sample, std::int64_t step) { return sample.step < step; }
bool after(std::int64_t step, const Sample& sample) { return step < sample.step; }

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

struct SampleReader::Impl {
  // One track within one call.
  struct Track {
    std::int64_t id = 0;
    std::int64_t chunks = 0;         // full ones
    std::int64_t count = 0;          // samples in chunks
    std::string name;                // for messages
    std::vector<Sample> unfinished;  // what follows the full chunks, by step
  };

  explicit Impl(const std::filesystem::path& file) : database(file, samples_schema(), Access::read) {}

  std::optional<Track> find(std::string_view series, int generation) {
    Query row =
        database.query("SELECT id, count FROM track WHERE series = ? AND generation = ?", series, generation);
    ++rows_read;
    if (!row.next()) return std::nullopt;
    Track track;
    track.id = row.integer(0);
    track.count = row.integer(1);
    track.chunks = track.count / kChunkWidth;
    track.name = "'" + std::string(series) + "' of generation " + std::to_string(generation);
    return track;
  }

  [[noreturn]] void damaged(const Track& track, const std::string& where) const {
    throw Error(ErrorKind::corrupt, database.file().string() + ": " + where + " of " + track.name +
                                        " are damaged; the rest of the file can be read");
  }

  [[noreturn]] void damaged(const Track& track, const Summary& summary) const {
    damaged(track,
            "steps " + std::to_string(summary.first_step) + " to " + std::to_string(summary.last_step));
  }

  std::vector<Sample> samples_of(const Track& track, const StoredChunk& chunk) const {
    auto samples = chunk.samples();
    if (!samples) damaged(track, chunk.chunk.summary);
    return *std::move(samples);
  }

  // The chunks [number, end), as long as visit(number, chunk) is true. Their headings are sound.
  template <class Visit>
  void for_each_chunk(const Track& track, std::int64_t number, std::int64_t end, Visit&& visit) {
    Query row = database.query("SELECT " BATCHSCOPE_CHUNK_COLUMNS
                               ", number FROM chunk WHERE track = ? AND number >= ? ORDER BY number",
                               track.id, number);
    for (; number < end; ++number) {
      ++rows_read;
      if (!row.next() || row.integer(kChunkColumnCount) != number)
        damaged(track, "samples from the " + std::to_string(number * kChunkWidth + 1) + "th on");
      const StoredChunk chunk = stored_chunk(row);
      if (!chunk.sound) damaged(track, chunk.chunk.summary);
      if (!visit(number, chunk)) return;
    }
  }

  // The last chunk that begins before the step: none before it can hold that step or a later one.
  std::int64_t chunk_before(const Track& track, std::int64_t step) {
    Query row = database.query(
        "SELECT number FROM chunk WHERE track = ? AND first_step < ?"
        " ORDER BY first_step DESC, number DESC LIMIT 1",
        track.id, step);
    ++rows_read;
    if (!row.next()) return 0;
    const std::int64_t number = row.integer(0);
    if (number * kChunkWidth >= track.count) damaged(track, "samples around step " + std::to_string(step));
    return number;
  }

  // Adds the tail's samples; damage to other steps than these does not matter.
  void add_tail(const Track& track, std::int64_t from, std::int64_t to, std::vector<Sample>& samples) {
    if (tail.has_unknown()) damaged(track, "the newest samples");
    for (const Batch& batch : tail.batches(track.id)) {
      if (batch.samples)
        samples.insert(samples.end(), batch.samples->begin(), batch.samples->end());
      else if (batch.summary.last_step >= from && batch.summary.first_step <= to)
        damaged(track, batch.summary);
    }
    sort_by_step(samples);
  }

  std::vector<Sample> read(const Track& track, std::int64_t from, std::int64_t to) {
    std::vector<Sample> samples;
    bool more = true;  // steps in range may follow the chunks
    const std::int64_t chunks = (track.count + kChunkWidth - 1) / kChunkWidth;
    for_each_chunk(track, chunk_before(track, from), chunks, [&](std::int64_t, const StoredChunk& chunk) {
      more = chunk.chunk.summary.first_step <= to;
      if (!more || chunk.chunk.summary.last_step < from) return more;
      const std::vector<Sample> found = samples_of(track, chunk);
      samples.insert(samples.end(), found.begin(), found.end());
      return true;
    });
    if (more) add_tail(track, from, to, samples);
    samples.erase(std::upper_bound(samples.begin(), samples.end(), to, after), samples.end());
    samples.erase(samples.begin(), std::lower_bound(samples.begin(), samples.end(), from, before));
    return samples;
  }

  // The position of the first sample whose step is not below; none where it is not in a full chunk.
  std::optional<std::int64_t> sealed_position(const Track& track, std::int64_t step) {
    std::optional<std::int64_t> found;
    for_each_chunk(
        track, chunk_before(track, step), track.chunks, [&](std::int64_t number, const StoredChunk& chunk) {
          if (chunk.chunk.summary.last_step < step) return true;
          found = number * kChunkWidth;
          if (chunk.chunk.summary.first_step >= step) return false;
          const auto samples = samples_of(track, chunk);
          *found += std::lower_bound(samples.begin(), samples.end(), step, before) - samples.begin();
          return false;
        });
    return found;
  }

  std::int64_t unfinished_position(const Track& track, std::int64_t step) {
    const auto& samples = track.unfinished;
    return track.chunks * kChunkWidth +
           (std::lower_bound(samples.begin(), samples.end(), step, before) - samples.begin());
  }

  void load_unfinished(Track& track, std::int64_t from, std::int64_t to) {
    if (track.count > track.chunks * kChunkWidth)
      for_each_chunk(track, track.chunks, track.chunks + 1, [&](std::int64_t, const StoredChunk& chunk) {
        if (chunk.chunk.summary.first_step <= to && chunk.chunk.summary.last_step >= from)
          track.unfinished = samples_of(track, chunk);
        return false;
      });
    add_tail(track, from, to, track.unfinished);
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
    for (const Summary& summary : read_tier(database, track.id, level, whole_begin, whole_end, rows_read)) {
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

  // Visits the samples at positions [begin, end) as visit(position, samples). What is not in full chunks must
  // have been loaded.
  template <class Visit>
  void visit_samples(const Track& track, std::int64_t begin, std::int64_t end, Visit&& visit) {
    const auto visit_part = [&](std::int64_t first, std::span<const Sample> samples) {
      const auto size = static_cast<std::int64_t>(samples.size());
      const std::int64_t from = std::clamp(begin - first, std::int64_t{0}, size);
      const std::int64_t to = std::clamp(end - first, from, size);
      visit(first + from,
            samples.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
    };
    const std::int64_t sealed = track.chunks * kChunkWidth;
    for_each_chunk(track, begin / kChunkWidth, (std::min(end, sealed) + kChunkWidth - 1) / kChunkWidth,
                   [&](std::int64_t number, const StoredChunk& chunk) {
                     visit_part(number * kChunkWidth, samples_of(track, chunk));
                     return true;
                   });
    visit_part(sealed, track.unfinished);
  }

  std::vector<Sample> read_positions(Track& track, std::int64_t begin, std::int64_t end) {
    if (end > track.chunks * kChunkWidth) load_unfinished(track, INT64_MIN, INT64_MAX);
    std::vector<Sample> found;
    visit_samples(track, begin, end, [&](std::int64_t, std::span<const Sample> samples) {
      found.insert(found.end(), samples.begin(), samples.end());
    });
    return found;
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

  Database database;
  Tail tail;
  std::int64_t rows_read = 0;
};

SampleReader::SampleReader(const std::filesystem::path& file) : impl_(std::make_unique<Impl>(file)) {}

SampleReader::~SampleReader() = default;

std::vector<SeriesInfo> SampleReader::series() {
  Impl& impl = *impl_;
  return impl.database.read([&] {
    impl.tail.refresh(impl.database, impl.rows_read);
    std::vector<SeriesInfo> list;
    Query row = impl.database.query("SELECT series, id, count FROM track ORDER BY series");
    while (row.next()) {
      ++impl.rows_read;
      if (list.empty() || list.back().name != row.text(0)) list.push_back({row.text(0), 0});
      list.back().count += row.integer(2) + impl.tail.count(row.integer(1));
    }
    return list;
  });
}

std::vector<int> SampleReader::generations(std::string_view series) {
  Impl& impl = *impl_;
  return impl.database.read([&] {
    std::vector<int> list;
    Query row =
        impl.database.query("SELECT generation FROM track WHERE series = ? ORDER BY generation", series);
    while (row.next()) list.push_back(row.small_integer(0));
    return list;
  });
}

std::vector<Sample> SampleReader::read(std::string_view series, int generation, std::int64_t from_step,
                                       std::int64_t to_step) {
  Impl& impl = *impl_;
  return impl.database.read([&]() -> std::vector<Sample> {
    const auto track = impl.find(series, generation);
    if (!track || from_step > to_step) return {};
    impl.tail.refresh(impl.database, impl.rows_read);
    return impl.read(*track, from_step, to_step);
  });
}

std::vector<Sample> SampleReader::read_positions(std::string_view series, int generation, std::int64_t first,
                                                 std::int64_t count) {
  Impl& impl = *impl_;
  return impl.database.read([&]() -> std::vector<Sample> {
    auto track = impl.find(series, generation);
    if (!track || first < 0 || count <= 0) return {};
    impl.tail.refresh(impl.database, impl.rows_read);
    return impl.read_positions(*track, first, first + std::min(count, INT64_MAX - first));
  });
}

std::vector<Bucket> SampleReader::summarize(std::string_view series, int generation, std::int64_t from_step,
                                            std::int64_t to_step, int columns) {
  Impl& impl = *impl_;
  return impl.database.read([&]() -> std::vector<Bucket> {
    auto track = impl.find(series, generation);
    if (!track || from_step > to_step) return {};
    impl.tail.refresh(impl.database, impl.rows_read);
    return impl.summarize(*track, from_step, std::min(to_step, INT64_MAX - 1), columns);
  });
}

bool SampleReader::changed() { return impl_->database.changed(); }

std::int64_t SampleReader::rows_read() const { return impl_->rows_read; }

}  // namespace batchscope::storage
