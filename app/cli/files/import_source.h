// SPDX-License-Identifier: Apache-2.0
//
// Sources of an import: files that `export` wrote as jsonl or sqlite, perhaps long ago, perhaps elsewhere,
// perhaps with ill intent. Everything is checked, and nothing is larger in memory than a line of the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "batchscope/storage.h"

namespace batchscope::cli {

class ImportSource {
 public:
  virtual ~ImportSource() = default;

  // Returns the record. Call it first, and again after the last block: later lines may have changed it.
  virtual storage::RunRecord record() = 0;
  // Returns the next block; one without samples at the end, if the file was complete.
  virtual storage::RunFileReader::Block next() = 0;
  // Returns how far next() has come, from 0 to 1.
  virtual double fraction() const = 0;
};

// Chooses the source by the first bytes of the file. All calls throw Error(not_found | corrupt | version |
// io), naming the file and the line.
std::unique_ptr<ImportSource> openImportSource(const std::filesystem::path& file);

}  // namespace batchscope::cli
