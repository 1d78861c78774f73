// SPDX-License-Identifier: Apache-2.0
//
// A command on another machine, by ssh: words of a command line reach it as they are.
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

// Whether ssh may ask the person for a password: not where many such commands are to come unasked.
enum class Login { mayAsk, quiet };

// `host` is one that RecordPlace has let pass.
RemoteCommand onHost(const std::string& host, std::span<const std::string> words, Login login);

}  // namespace batchscope::cli
