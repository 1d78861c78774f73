// SPDX-License-Identifier: Apache-2.0
#include "system/detached.h"

#include <sys/prctl.h>

#include <QProcess>
#include <QString>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/private_files.h"
#include "batchscope/run/own_program.h"

namespace batchscope::run {
namespace {

// A supervisor takes in what its replicas leave behind, and ends it when it ends itself. What is started
// while this lives, and whatever that starts, goes to init instead.
class NoSubreaper {
 public:
  NoSubreaper() {
    prctl(PR_GET_CHILD_SUBREAPER, &was_);
    if (was_ != 0) prctl(PR_SET_CHILD_SUBREAPER, 0);
  }
  ~NoSubreaper() {
    if (was_ != 0) prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  NoSubreaper(const NoSubreaper&) = delete;
  NoSubreaper& operator=(const NoSubreaper&) = delete;

 private:
  int was_ = 0;
};

}  // namespace

protocol::ProcessId start_detached(const char* name, const QStringList& arguments,
                                   const std::filesystem::path& log) {
  const std::filesystem::path program = own_program(name);
  QProcess process;
  // A supervisor blocks signals for itself and ignores others, which exec would hand on.
  process.setProgram(QStringLiteral("/usr/bin/env"));
  process.setArguments(
      QStringList{QStringLiteral("--default-signal"), QString::fromStdString(program.string())} + arguments);
  process.setWorkingDirectory(QStringLiteral("/"));
  process.setStandardInputFile(QProcess::nullDevice());
  protocol::make_private_file(log);
  const QString output = QString::fromStdString(log.string());
  process.setStandardOutputFile(output, QIODevice::Append);
  process.setStandardErrorFile(output, QIODevice::Append);
  qint64 pid = 0;
  const NoSubreaper orphans;
  if (!process.startDetached(&pid))
    throw Error(ErrorKind::io,
                "cannot start " + program.string() + ": " + process.errorString().toStdString());
  return protocol::identify(static_cast<pid_t>(pid));
}

}  // namespace batchscope::run
