// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/importer.h"

#include <QFileInfo>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/run/client.h"

namespace batchscope::desktop {

Importer::Importer(QObject* parent) : QObject(parent) { thread_.setMaxThreadCount(1); }

void Importer::add(const QStringList& files) {
  waiting_ << files;
  if (!isBusy_) next();
}

void Importer::next() {
  if (waiting_.isEmpty()) {
    Q_EMIT finished(std::exchange(runs_, {}), std::exchange(refusals_, {}));
    return;
  }
  isBusy_ = true;
  const QString file = waiting_.takeFirst();
  const auto done = static_cast<int>(runs_.size() + refusals_.size());
  Q_EMIT began(done + 1, done + 1 + static_cast<int>(waiting_.size()), QFileInfo(file).fileName());
  thread_.start([this, file] {
    QString run, refusal;
    try {
      run = QString::fromStdString(run::import_run(file.toStdString()));
    } catch (const std::exception& error) {
      refusal = QString::fromUtf8(error.what());
    }
    QMetaObject::invokeMethod(this, [=, this] { take(run, refusal); });
  });
}

void Importer::take(const QString& run, const QString& refusal) {
  refusal.isEmpty() ? runs_ << run : refusals_ << refusal;
  isBusy_ = false;
  next();
}

}  // namespace batchscope::desktop
