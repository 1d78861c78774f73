// SPDX-License-Identifier: Apache-2.0
/// \file
/// The series of one run, `runs/<id>/samples.db` (storage/FORMAT.md). One writer, the run's supervisor; any
/// number of readers, which never block it. A sample is (series, generation, step, value): after a restart
/// from an older checkpoint the same step exists in two generations. Values may be NaN or infinite. Neither
/// class is thread-safe: each thread opens its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::storage {

/// Writes a run's series.
class SampleWriter {
 public:
  /// The most values that wait in memory, 16 bytes each, while commits fail.
  static constexpr std::size_t kMostWaiting = 4'000'000;

  /// Opens or creates; checks the file after an unclean exit. Throws Error(io | corrupt | version |
  /// conflict).
  explicit SampleWriter(const std::filesystem::path& file, std::size_t most_waiting = kMostWaiting);
  ~SampleWriter();  ///< commits

  /// Appends values of consecutive steps, held in memory until commit. Several values at one step are kept in
  /// their order, and steps may come late. Throws Error(usage), and takes nothing, only where samples of
  /// later steps have been sealed into a chunk already (at least 1,024 samples behind).
  ///@{
  void append(int generation, std::string_view series, std::int64_t first_step,
              std::span<const double> values);
  void append(int generation, std::string_view series, std::int64_t step, double value);
  ///@}

  /// Writes everything appended so far, packed, in one transaction; full tails are rewritten into chunks.
  /// Call it every 100-250 ms. Throws Error(io) on a full disk, and keeps the values for the next try. After
  /// a failure, values beyond `most_waiting` are dropped until a commit succeeds.
  void commit();

  /// Returns the number of values dropped since the file was opened.
  std::int64_t dropped() const;

  /// Returns what was found damaged and set aside since opening, one sentence each. All else is whole.
  const std::vector<std::string>& repairs() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Copies all that can be read from a damaged file, and passes its checks, into a new one; the damaged file,
/// with its `-wal`, stays. Series that have lost their names become `recovered/<number>`. Returns the number
/// of samples, 0 where nothing can be read. Throws Error(io), and Error(conflict) where a writer has either.
std::int64_t recover_samples(const std::filesystem::path& damaged, const std::filesystem::path& file);

/// A series and its size.
struct SeriesInfo {
  std::string name;        ///< as in protocol/series.h, or the program's own
  std::int64_t count = 0;  ///< samples, of all generations
};

/// One value.
struct Sample {
  std::int64_t step = 0;  ///< optimizer steps done
  double value = 0;       ///< in the series' unit; may be NaN or infinite
};

/// Samples [first_step, last_step] of one generation, summarised.
struct Bucket {
  std::int64_t first_step = 0;  ///< of its samples
  std::int64_t last_step = 0;   ///< the same
  std::int64_t count = 0;       ///< non-finite values are counted but in none of the rest
  double min = 0;               ///< smallest finite value
  double max = 0;               ///< largest
  double mean = 0;              ///< of the finite values
};

/// Reads a run's series while it is written, or after.
class SampleReader {
 public:
  /// Read-only, also on a read-only medium. Throws Error(not_found) where there is nothing yet.
  explicit SampleReader(const std::filesystem::path& file);
  ~SampleReader();

  /// Returns all series, by name.
  std::vector<SeriesInfo> series();

  /// Returns the generations in which the series has samples, ascending.
  std::vector<int> generations(std::string_view series);

  /// Returns the samples of steps >= from_step, ascending by step; a live reader passes its last step + 1.
  /// Throws Error(corrupt) naming the steps where it meets a damaged chunk; ranges without it stay readable.
  std::vector<Sample> read(std::string_view series, int generation, std::int64_t from_step = 0,
                           std::int64_t to_step = INT64_MAX);

  /// Returns at most `count` samples from position `first` on; 0: the generation's first. A pass over a long
  /// series in bounded memory ends with the first empty answer. Throws as read does.
  std::vector<Sample> read_positions(std::string_view series, int generation, std::int64_t first,
                                     std::int64_t count);

  /// Returns the steps [from_step, to_step] in at most 2 * columns buckets, from the coarsest tier that
  /// suffices: reads a bounded number of rows however long the series. A bucket without any finite value has
  /// NaN for min, max and mean. Throws as read does.
  std::vector<Bucket> summarize(std::string_view series, int generation, std::int64_t from_step,
                                std::int64_t to_step, int columns);

  /// Returns true once after every commit of the writer. Costs microseconds.
  bool changed();

  /// Returns the rows of samples and summaries fetched so far, by which the bound of summarize is measured.
  std::int64_t rows_read() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope::storage
