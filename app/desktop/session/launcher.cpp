// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/launcher.h"

#include <QFile>
#include <QTemporaryDir>
#include <QThread>
#include <memory>

#include "batchscope/protocol/error.h"
#include "batchscope/run/client.h"

namespace batchscope::desktop {

Launcher::Launcher(const std::filesystem::path& catalogue, QObject* parent)
    : QObject(parent), catalogue_(catalogue) {}

Launcher::~Launcher() {
  for (QThread* thread : threads_) {
    thread->wait();
    delete thread;
  }
}

void Launcher::start(const protocol::RunSpec& spec) {
  work([spec](storage::Catalogue& catalogue) { return run::start_run(catalogue, spec); });
}

void Launcher::resume(const std::string& id, int replicas) {
  work([id, replicas](storage::Catalogue& catalogue) {
    run::resume_run(catalogue, id, replicas);
    return id;
  });
}

void Launcher::fork(const std::string& id, const run::ForkOptions& options) {
  work([id, options](storage::Catalogue& catalogue) { return run::fork_run(catalogue, id, options); });
}

void Launcher::import(const QString& file) {
  work([file](storage::Catalogue&) {
    if (!file.startsWith(QLatin1Char(':'))) return run::import_run(file.toStdString());
    // Another process cannot read what is compiled into this one.
    const QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("run.jsonl"));
    if (!QFile::copy(file, copy))
      throw Error(ErrorKind::io, "cannot write " + copy.toStdString() + ", to take in a recorded run");
    return run::import_run(copy.toStdString());
  });
}

void Launcher::work(std::function<std::string(storage::Catalogue&)> job) {
  struct Outcome {
    QString id, complaint;
  };
  auto outcome = std::make_shared<Outcome>();
  QThread* thread = QThread::create([job = std::move(job), outcome, file = catalogue_] {
    try {
      storage::Catalogue catalogue(file);
      outcome->id = QString::fromStdString(job(catalogue));
    } catch (const std::exception& error) {
      outcome->complaint = QString::fromUtf8(error.what());
    }
  });
  threads_.push_back(thread);
  connect(thread, &QThread::finished, this, [this, thread, outcome] {
    std::erase(threads_, thread);
    thread->deleteLater();
    if (outcome->complaint.isEmpty()) {
      Q_EMIT launched(outcome->id);
    } else {
      Q_EMIT failed(outcome->complaint);
    }
  });
  thread->start();
}

}  // namespace batchscope::desktop
