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
