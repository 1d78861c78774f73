// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/launcher.h"

#include <QFile>
#include <QTemporaryDir>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/run/client.h"

namespace batchscope::desktop {
namespace {

constexpr int kMost = 32;  // at a time; each only waits

}  // namespace

Launcher::Launcher(const std::filesystem::path& catalogue, QObject* parent)
    : QObject(parent), catalogue_(catalogue) {
  threads_.setMaxThreadCount(kMost);
}

void Launcher::start(const protocol::RunSpec& spec) {
  work([spec](storage::Catalogue& catalogue) { return run::start_run(catalogue, spec); });
}

void Launcher::submit(const protocol::RunSpec& spec, const pool::JobOptions& options) {
  work([spec, options](storage::Catalogue& catalogue) { return pool::submit(catalogue, spec, options); });
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
  threads_.start([this, job = std::move(job)] {
    try {
      storage::Catalogue catalogue(catalogue_);
      Q_EMIT launched(QString::fromStdString(job(catalogue)));
    } catch (const std::exception& error) {
      Q_EMIT failed(QString::fromUtf8(error.what()));
    }
  });
}

}  // namespace batchscope::desktop
