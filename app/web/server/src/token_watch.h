// SPDX-License-Identifier: Apache-2.0
//
// The tokens by name as a server knows them: read anew whenever their file has changed, so that a revoked one
// is refused at its next request. Of a file that is damaged no token counts.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <vector>

#include "batchscope/web/tokens.h"

namespace batchscope::web {

// The store's file, beside its catalogue.
std::filesystem::path tokens_file();

// None where there is no file. Throws Error: corrupt.
std::vector<NamedToken> read_tokens(const std::filesystem::path& file);

class TokenWatch {
 public:
  explicit TokenWatch(std::filesystem::path file) : file_(std::move(file)) {}

  // Costs a look at the file's inode where nothing has changed.
  const std::vector<NamedToken>& current();

 private:
  const std::filesystem::path file_;
  struct stat seen_ {};
  std::vector<NamedToken> tokens_;
};

}  // namespace batchscope::web
