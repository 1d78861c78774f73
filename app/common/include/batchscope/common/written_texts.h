// SPDX-License-Identifier: Apache-2.0
/// \file
/// The texts that a person writes about a run: how each is read, checked and written.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/storage/catalogue.h"

namespace batchscope::common {

/// A text that a person writes about a run.
struct WrittenText {
  const char* name;                              ///< "group"
  std::string (*read)(const storage::Run& run);  ///< returns the text that the run has
  void (*check)(const std::string& text);        ///< throws Error(usage)
  void (*write)(storage::Catalogue& catalogue, const storage::Run& run,
                const std::string& text);  ///< writes a checked text in the place of that of `run`
};

/// Returns name, group, tags (with commas between them) and note.
std::span<const WrittenText> writtenTexts() noexcept;
/// Returns the text of this name. Throws Error(usage) where there is none.
const WrittenText& writtenText(std::string_view name);

/// Returns the tags that are not among the others.
std::vector<std::string> tagsWithout(const std::vector<std::string>& tags,
                                     const std::vector<std::string>& others);

}  // namespace batchscope::common
