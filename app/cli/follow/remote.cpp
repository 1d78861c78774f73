// SPDX-License-Identifier: Apache-2.0
#include "follow/remote.h"

#include "batchscope/common/shell_words.h"

namespace batchscope::cli {

RemoteCommand onHost(const std::string& host, std::span<const std::string> words, Login login) {
  const QString sshProgram = qEnvironmentVariable("BATCHSCOPE_SSH");
  QStringList arguments{"-T", "-o", "ServerAliveInterval=15"};
  if (login == Login::quiet)
    arguments << "-o"
              << "BatchMode=yes";
  arguments << "--" << QString::fromStdString(host) << QString::fromStdString(common::shellWords(words));
  return {sshProgram.isEmpty() ? "ssh" : sshProgram, arguments};
}

}  // namespace batchscope::cli
