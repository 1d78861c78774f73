// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the store takes on disk: the catalogue and the series of every run, without checkpoints and logs.
#pragma once

#include <cstdint>
#include <filesystem>

namespace batchscope::desktop {

std::int64_t storeSize(const std::filesystem::path& catalogue);

}  // namespace batchscope::desktop
