// SPDX-License-Identifier: Apache-2.0
//
// The real program, run in a store, a state directory and a working directory that vanish with the test.
#pragma once

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <memory>

namespace batchscope::cli {

struct Answer {
  int code = -1;
  QString out, err;

  // The last line of standard output.
  QJsonObject json() const {
    return QJsonDocument::fromJson(out.trimmed().split('\n').last().toUtf8()).object();
  }
};

class Sandbox {
 public:
  static constexpr int kPatienceMs = 60'000;

  QString path(const QString& name) const { return folder_.filePath(name); }
  QString database() const { return path("runs.db"); }

  std::unique_ptr<QProcess> prepare(const QStringList& arguments) const {
    auto process = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("BATCHSCOPE_DB", database());
    environment.insert("XDG_DATA_HOME", folder_.path());
    environment.insert("XDG_STATE_HOME", folder_.path());
    environment.remove("COLUMNS");
    process->setProcessEnvironment(environment);
    process->setWorkingDirectory(folder_.path());
    process->setStandardInputFile(QProcess::nullDevice());
    process->setProgram(qEnvironmentVariable("BATCHSCOPE_BIN") + "/batchscope");
    process->setArguments(arguments);
    return process;
  }

  std::unique_ptr<QProcess> start(const QStringList& arguments) const {
    auto process = prepare(arguments);
    process->start();
    return process;
  }

  static Answer finish(QProcess& process) {
    if (process.state() != QProcess::NotRunning && !process.waitForFinished(kPatienceMs)) return {};
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
  }

  Answer ask(const QStringList& arguments) const { return finish(*start(arguments)); }

 private:
  QTemporaryDir folder_;
};

}  // namespace batchscope::cli
