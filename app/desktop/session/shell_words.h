// SPDX-License-Identifier: GPL-3.0-or-later
//
// Arguments of a program as one types them in a shell: in quotes where they need it, and back.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/run_spec.h"

namespace batchscope::desktop {

QString shellWords(const std::vector<std::string>& words);
QString commandOf(const protocol::RunSpec& spec);  // the program with its arguments
// Single and double quotes and backslashes mean what they mean in a shell; nothing is expanded. Nothing where
// a quote is not closed.
std::optional<std::vector<std::string>> parseShellWords(const QString& text);

}  // namespace batchscope::desktop
