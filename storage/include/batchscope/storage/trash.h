// SPDX-License-Identifier: Apache-2.0
/// \file
/// Deletes runs for good. The trash itself is Catalogue::move_to_trash, trash and restore: a run in it stays
/// whole until it is restored, purged here, or collected by `batchscope gc`.
#pragma once

#include <filesystem>
#include <string>

#include "batchscope/storage/catalogue.h"

namespace batchscope::storage {

/// Days that a run stays in the trash before `batchscope gc` deletes it, by default.
inline constexpr int kTrashDays = 30;

/// Deletes the folder with all in it. No effect where there is none. Throws Error(io).
void remove_folder(const std::filesystem::path& folder);

/// Deletes a run: it goes into the trash, its folder gets another name, its rows go, and then that folder.
/// Throws Error(conflict) while a supervisor holds the run, Error(not_found), and Error(io) where the folder
/// cannot be renamed or the store not be written: then the run is whole in the trash, and can be purged
/// again. Also throws Error(io) where the renamed folder cannot be deleted: then the run is gone, and
/// `batchscope gc` finds that folder, as after an interruption.
void purge_run(Catalogue& catalogue, const std::string& id);

/// Deletes a run only if it is in the trash: somebody may have restored it while a person was asked. Throws
/// Error(conflict) then.
void purge_removed(Catalogue& catalogue, const std::string& id);

}  // namespace batchscope::storage
