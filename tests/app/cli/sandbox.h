// SPDX-License-Identifier: Apache-2.0
//
// The real program, run in a store, a state directory and a working directory that vanish with the test.
#pragma once

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <memory>

#include "batchscope/protocol/error.h"
#include "thrown.h"

namespace batchscope::cli {

struct Answer {
  ExitCode code = static_cast<ExitCode>(-1);
  QString out, err;

  // The last line of standard output.
  QJsonObject json() const {
    return QJsonDocument::fromJson(out.trimmed().split('\n').last().toUtf8()).object();
  }
};

class Sandbox {
 public:
  static constexpr int kPatienceMs = 60'000;

  QString path(const QString& name) const { return QDir(folder_.path()).filePath(name); }
  QString database() const { return path("runs.db"); }
  QString samples(const QString& run) const { return path("runs/" + run + "/samples.db"); }
  // Where our programs are, before all others.
  static QString ourPath() {
    return qEnvironmentVariable("BATCHSCOPE_BIN") + ":" + qEnvironmentVariable("PATH");
  }

  std::unique_ptr<QProcess> prepare(const QStringList& arguments,
                                    const QMap<QString, QString>& variables = {}) const {
    auto process = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("BATCHSCOPE_DB", database());
    environment.insert("XDG_DATA_HOME", folder_.path());
    environment.insert("XDG_STATE_HOME", folder_.path());
    environment.remove("COLUMNS");
    for (const auto& [name, value] : variables.asKeyValueRange()) environment.insert(name, value);
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
    return {static_cast<ExitCode>(process.exitCode()), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
  }
  // One that was prepared.
  static Answer run(QProcess& process) {
    process.start();
    return finish(process);
  }

  Answer ask(const QStringList& arguments, const QMap<QString, QString>& variables = {}) const {
    return run(*prepare(arguments, variables));
  }
  QJsonArray runs() const { return ask({"ls", "--json"}).json()["runs"].toArray(); }

 private:
  QTemporaryDir folder_;
};

}  // namespace batchscope::cli

// Verifies, as QVERIFY, that a command answered with this exit code: with its errors where it did not.
#define VERIFY_CODE(expected, ...)                                             \
  do {                                                                         \
    const batchscope::cli::Answer answer_ = __VA_ARGS__;                       \
    QVERIFY2(answer_.code == expected, qPrintable(answer_.out + answer_.err)); \
  } while (false)

// Verifies also that what it said on standard error holds the part.
#define VERIFY_REFUSED(expected, part, ...)                                    \
  do {                                                                         \
    const batchscope::cli::Answer answer_ = __VA_ARGS__;                       \
    QVERIFY2(answer_.code == expected, qPrintable(answer_.out + answer_.err)); \
    VERIFY_HOLDS(answer_.err, part);                                           \
  } while (false)
