// SPDX-License-Identifier: Apache-2.0
//
// A person's command, as the pool calls it: by the shell, with words behind it that the shell does not read.
#pragma once

#include <QStringList>
#include <string>
#include <vector>

namespace batchscope::pool {

inline constexpr char kShell[] = "/bin/sh";

// Returns the arguments with which the shell carries out `command WORDS`.
inline QStringList shell_arguments(const std::string& command, const std::vector<std::string>& words) {
  QStringList arguments{QStringLiteral("-c"), QString::fromStdString(command + " \"$@\""),
                        QStringLiteral("batchscope-pool")};
  for (const std::string& word : words) arguments << QString::fromStdString(word);
  return arguments;
}

}  // namespace batchscope::pool
