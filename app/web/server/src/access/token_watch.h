// SPDX-License-Identifier: Apache-2.0
//
// The named tokens as a server knows them: read again whenever their file has changed, so that a revoked one
// is refused at its next request. No token of a damaged file counts.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <vector>

#include "batchscope/web/tokens.h"

namespace batchscope::web {

class TokenWatch {
 public:
  // Costs a look at the file's inode where nothing has changed.
  const std::vector<NamedToken>& current();

 private:
  const std::filesystem::path file_ = tokens_file();
  struct stat seen_ {};
  std::vector<NamedToken> tokens_;
};

}  // namespace batchscope::web
