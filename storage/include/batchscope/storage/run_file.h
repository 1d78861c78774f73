// SPDX-License-Identifier: Apache-2.0
/// \file
/// One run exported as one SQLite file that any tool reads (storage/FORMAT.md): a table `sample` with a row
/// for each value, and a table `description` with one text, the catalogue's data of the run as JSON. Values
/// come back bit for bit, except that all NaNs become the same. Neither class is thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/storage/samples.h"

namespace batchscope::storage {

/// Writes such a file.
class RunFileWriter {
 public:
  /// The file must not exist. Throws Error(io | conflict).
  RunFileWriter(const std::filesystem::path& file, std::string_view description);
  ~RunFileWriter();  ///< what was not finished is an incomplete file, for the caller to remove

  /// Appends samples of one series and generation, in the order in which they are to come back. Throws
  /// Error(io).
  void append(std::string_view series, int generation, std::span<const Sample> samples);

  /// Completes the file: everything is on disk and in this one file when it returns. Throws Error(io).
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads such a file, which may come from anywhere: one that is damaged, has other tables, views or triggers,
/// or is another kind of file is refused when it is opened.
class RunFileReader {
 public:
  /// Checks the whole file. Throws Error(not_found | corrupt | version | io).
  explicit RunFileReader(const std::filesystem::path& file);
  ~RunFileReader();

  const std::string& description() const;  ///< the text
  std::int64_t count();                    ///< samples in the file

  /// Samples of one series and generation.
  struct Block {
    std::string series;           ///< name
    int generation = 0;           ///< of the samples
    std::vector<Sample> samples;  ///< at most 4,096
  };
  /// Returns the next block in the order in which they were written; one without samples at the end. Throws
  /// Error(corrupt).
  Block next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace batchscope::storage
