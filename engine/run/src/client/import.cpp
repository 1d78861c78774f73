// SPDX-License-Identifier: Apache-2.0
//
// Taking in an exported run, as the command does it.
#include <QProcess>
#include <QString>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/run/client.h"
#include "system/programs.h"

namespace batchscope::run {

std::string import_run(const std::filesystem::path& file) {
  const std::filesystem::path program = program_directory() / "batchscope";
  if (!is_executable(program))
    throw Error(ErrorKind::not_found, program.string() +
                                          " is missing, which takes in runs: build it, or set "
                                          "BATCHSCOPE_BIN to the folder that holds it");
  QProcess process;
  process.start(QString::fromStdString(program.string()),
                {QStringLiteral("import"), QStringLiteral("--json"), QString::fromStdString(file.string())});
  process.waitForFinished(-1);
  if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
    throw Error(ErrorKind::io,
                file.string() + " was not taken in: " +
                    QString::fromUtf8(process.readAllStandardError()).simplified().toStdString());
  return protocol::parse_object(process.readAllStandardOutput().toStdString()).at("imported");
}

}  // namespace batchscope::run
