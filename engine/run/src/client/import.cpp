// SPDX-License-Identifier: Apache-2.0
//
// Taking in an exported run, as the command does it.
#include <QProcess>
#include <QString>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "batchscope/run/client.h"
#include "batchscope/run/own_program.h"

namespace batchscope::run {

std::string import_run(const std::filesystem::path& file) {
  const std::filesystem::path program = own_program("batchscope");
  QProcess process;
  process.start(QString::fromStdString(program.string()),
                {QStringLiteral("import"), QStringLiteral("--json"), QString::fromStdString(file.string())});
  process.waitForFinished(-1);
  if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
    throw Error(ErrorKind::io,
                file.string() + " could not be imported: " +
                    QString::fromUtf8(process.readAllStandardError()).simplified().toStdString());
  return protocol::parse_object(process.readAllStandardOutput().toStdString()).at("imported");
}

}  // namespace batchscope::run
