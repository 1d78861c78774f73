// SPDX-License-Identifier: Apache-2.0
#include "terminal/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "batchscope/common/translate.h"
#include "batchscope/protocol/error.h"
#include "terminal/interruption.h"

namespace batchscope::cli {
namespace {

int firstFault = 0;  // an errno

void note(int fault) {
  if (firstFault == 0) firstFault = fault;
}

}  // namespace

void keepStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1) open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

void show(std::string_view text) noexcept {
  const bool isTaken = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!isTaken || std::fflush(stdout) != 0) note(errno);
}

void flushOutput() {
  if (std::fflush(stdout) != 0) note(errno);
  if (firstFault != 0) refuseOutput(firstFault);
  // The fault was in a write that looked at nothing; it says no more than that there was one.
  if (std::ferror(stdout) != 0) refuseOutput(EIO);
}

void refuseOutput(int fault) {
  if (fault == EPIPE) throw Interrupted{SIGPIPE};
  throw Error(ErrorKind::io, tr("cannot write to standard output: %1")
                                 .arg(QString::fromLocal8Bit(std::strerror(fault)))
                                 .toStdString());
}

}  // namespace batchscope::cli
