// SPDX-License-Identifier: Apache-2.0
//
// The series of one run, runs/<id>/samples.db. One writer, the run's supervisor; any number of readers,
// which never block it. A sample is (series, generation, step, value): after a restart from an older
// checkpoint the same step exists in two generations. Values may be NaN or infinite.
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

class SampleWriter {
 public:
  // Opens or creates; checks the file after an unclean exit. Throws Error(io | corrupt | version | conflict).
  explicit SampleWriter(const std::filesystem::path& file);
  ~SampleWriter();  // commits

  // Values of consecutive steps. Held in memory until commit.
  void append(int generation, std::string_view series, std::int64_t first_step,
              std::span<const double> values);
  void append(int generation, std::string_view series, std::int64_t step, double value);

  // One transaction: everything appended so far, packed; full tails are rewritten into chunks. Call it
  // every 100-250 ms. Throws Error(io) on a full disk; what was appended is kept for the next try.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct SeriesInfo {
  std::string name;
  std::int64_t count = 0;
};

struct Sample {
  std::int64_t step = 0;
  double value = 0;
};

// Samples [first_step, last_step] of one generation, summarised.
struct Bucket {
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;
  std::int64_t count = 0;  // non-finite values are counted but in none of the rest
  double min = 0, max = 0, mean = 0;
};

class SampleReader {
 public:
  // Read-only. Throws Error(not_found) where there is no file yet.
  explicit SampleReader(const std::filesystem::path& file);
  ~SampleReader();

  std::vector<SeriesInfo> series();

  // The generations in which the series has samples, ascending.
  std::vector<int> generations(std::string_view series);

  // Samples of steps >= from_step, ascending by step; a live reader passes its last step + 1.
  std::vector<Sample> read(std::string_view series, int generation, std::int64_t from_step = 0,
                           std::int64_t to_step = INT64_MAX);

  // The steps [from_step, to_step] in at most 2 * columns buckets, from the coarsest tier that suffices:
  // reads a bounded number of rows however long the series.
  std::vector<Bucket> summarize(std::string_view series, int generation, std::int64_t from_step,
                                std::int64_t to_step, int columns);

  // True once after every commit of the writer. Costs microseconds.
  bool changed();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope::storage
