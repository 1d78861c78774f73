// SPDX-License-Identifier: Apache-2.0
//
// An example program as a person runs it, alone, in a folder of its own.
#pragma once

#include <QProcess>
#include <QTemporaryDir>

#include "../last_words.h"

namespace batchscope::testing {

inline QString bin() { return qEnvironmentVariable("BATCHSCOPE_BIN"); }

struct Result {
  int code;
  QString output, errors;
};

class ExampleFolder {
 public:
  QString path(const QString& name) const { return folder_.filePath(name); }

  void start(QProcess& process, const QString& program, const QStringList& arguments, int threads = 1) const {
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const QString& name : environment.keys())
      if (name.startsWith("ADAPTDL_") || name.startsWith("BATCHSCOPE_")) environment.remove(name);
    environment.insert("BATCHSCOPE_THREADS", QString::number(threads));
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(folder_.path());
    process.start(bin() + "/" + program, arguments);
  }

  Result run(const QString& program, const QStringList& arguments, int threads = 1) const {
    QProcess process;
    start(process, program, arguments, threads);
    if (!process.waitForFinished(120'000)) return {-1, {}, process.errorString()};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(last_words(process))};
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace batchscope::testing
