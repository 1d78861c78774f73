// SPDX-License-Identifier: Apache-2.0
//
// A command on another machine, by ssh. The words of its command line arrive unchanged.
#pragma once

#include <QString>
#include <QStringList>
#include <span>
#include <string>

namespace batchscope::cli {

struct RemoteCommand {
  QString program;  // ssh, or what BATCHSCOPE_SSH names
  QStringList arguments;
};

// Whether ssh may ask the person for a password. It may not for commands that are repeated in the background.
enum class Login { mayAsk, quiet };

// Returns the command. `host` must have passed RecordPlace's check.
RemoteCommand onHost(const std::string& host, std::span<const std::string> words, Login login);

}  // namespace batchscope::cli
