// SPDX-License-Identifier: Apache-2.0
/// \file
/// A recording: the page and what the server answers about one run, as one file of HTML that needs no server
/// and no network (app/web/server/API.md).
#pragma once

#include <filesystem>
#include <string>

namespace batchscope::web {

/// Returns the recording of a run of the store that protocol::catalogue_path() names; `page` is a folder as
/// installed_page() returns it. Blocks while it reads and compresses: a second for a run of a million steps.
/// Throws Error(not_found) where there is no such run or no page, Error(version) where the page is of another
/// version, and as the catalogue does.
std::string recording_of(const std::string& run, const std::filesystem::path& page);

}  // namespace batchscope::web
