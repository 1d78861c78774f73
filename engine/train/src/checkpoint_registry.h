// SPDX-License-Identifier: Apache-2.0
//
// What the engine itself asks of checkpoints, beyond the public checkpoint.h.
#pragma once

#include <filesystem>
#include <string>

namespace batchscope::checkpoint {

// ADAPTDL_CHECKPOINT_PATH; without it `<program name>.checkpoints` in the working directory, so that a
// program that is started again from the same place resumes.
std::filesystem::path directory();

// The directory name of the checkpoint this generation starts from; empty for a fresh start. Decided once, by
// rank 0; the first call is collective.
const std::string& restored_from();

}  // namespace batchscope::checkpoint
