// SPDX-License-Identifier: Apache-2.0
//
// Where an import comes from: what `export --format jsonl` or sqlite wrote, maybe long ago, maybe somebody
// else, maybe with ill intent. Everything is checked; nothing is larger in memory than a line of the file.
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

  // First, and again behind the last block: what follows its first line may have changed it.
  virtual storage::RunRecord record() = 0;
  // One without samples at the end, when everything was there that should be.
  virtual storage::RunFileReader::Block next() = 0;
  // How far next() has come, of 1.
  virtual double fraction() const = 0;
};

// Chooses the source by the first bytes of the file. All calls throw Error(not_found | corrupt | version |
// io), naming the file and the line.
std::unique_ptr<ImportSource> openImportSource(const std::filesystem::path& file);

}  // namespace batchscope::cli
