// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/courier.h"

#include <QProcess>

#include "batchscope/protocol/error.h"
#include "batchscope/run/command.h"
#include "batchscope/run/own_program.h"

namespace batchscope::desktop {
namespace {

using protocol::Request;

constexpr int kSendTimeoutMs = 2000;

// Returns the last line of the text, without the program's name.
QString complaint(const QByteArray& text) {
  const QString last = QString::fromUtf8(text).trimmed().section(QLatin1Char('\n'), -1);
  const QLatin1String programPrefix("batchscope: ");
  return last.startsWith(programPrefix) ? last.mid(programPrefix.size()) : last;
}

}  // namespace

Courier::~Courier() {
  for (QProcess* process : findChildren<QProcess*>()) {
    process->disconnect(this);
    process->waitForFinished(kSendTimeoutMs);
  }
}

void Courier::send(const std::string& run, const Request& request) {
  QStringList words;
  for (const std::string& word : run::command_words(run, request)) words << QString::fromStdString(word);
  start(words);
}

void Courier::send(const std::string& run, const QString& command) {
  start({command, QString::fromStdString(run)});
}

void Courier::start(const QStringList& words) {
  auto* process = new QProcess(this);
  const auto end = [this, process] {
    const bool isDone = process->error() != QProcess::FailedToStart &&
                        process->exitStatus() == QProcess::NormalExit && process->exitCode() == 0;
    const QString text =
        complaint(isDone ? process->readAllStandardOutput() : process->readAllStandardError());
    if (isDone)
      Q_EMIT answered(text);
    else
      Q_EMIT refused(text.isEmpty() ? process->errorString() : text);
    process->deleteLater();
  };
  connect(process, &QProcess::finished, this, end);
  connect(process, &QProcess::errorOccurred, this, [end](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) end();
  });
  process->setStandardInputFile(QProcess::nullDevice());
  try {
    process->start(QString::fromStdString(run::own_program("batchscope").string()), words);
  } catch (const Error& error) {
    process->deleteLater();
    Q_EMIT refused(QString::fromUtf8(error.what()));
  }
}

}  // namespace batchscope::desktop
