// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/launcher.h"

#include <QFile>
#include <QTemporaryDir>
#include <utility>

#include "batchscope/common/run_control.h"
#include "batchscope/protocol/error.h"
#include "batchscope/run/client.h"

namespace batchscope::desktop {
namespace {

constexpr int kMostCommands = 32;  // at a time; each only waits

}  // namespace

Launcher::Launcher(const std::filesystem::path& catalogue, QObject* parent)
    : QObject(parent), catalogue_(catalogue) {
  threads_.setMaxThreadCount(kMostCommands);
}

void Launcher::start(const NewRun& run) {
  work([run](storage::Catalogue& catalogue) {
    const std::string id =
        run.queued ? pool::submit(catalogue, run.spec, *run.queued) : run::start_run(catalogue, run.spec);
    if (!run.tags.empty()) catalogue.change_tags(id, run.tags, {});
    if (!run.note.empty()) catalogue.set_note(id, run.note);
    return id;
  });
}

void Launcher::resume(const std::string& id, int replicas) {
  work([id, replicas](storage::Catalogue& catalogue) {
    common::resumeRun(catalogue, catalogue.resolve(id), replicas, {});
    return id;
  });
}

void Launcher::fork(const std::string& id, const run::ForkOptions& options) {
  work([id, options](storage::Catalogue& catalogue) { return run::fork_run(catalogue, id, options); });
}

void Launcher::importRecorded(const QString& file) {
  work([file](storage::Catalogue&) {
    // Another process cannot read what is compiled into this one.
    const QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("run.jsonl"));
    if (!QFile::copy(file, copy))
      throw Error(ErrorKind::io, "cannot write " + copy.toStdString() +
                                     " to import a recorded run: check the free space there");
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
