// SPDX-License-Identifier: Apache-2.0
#include "slurm/node_store.h"

#include <fmt/format.h>

#include <QByteArray>
#include <QCoreApplication>
#include <QProcess>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/private_files.h"
#include "records/store.h"
#include "text/say.h"

namespace batchscope::cli::slurm {
namespace {

namespace fs = std::filesystem;

void set(const char* variable, const fs::path& place) {
  qputenv(variable, QByteArray::fromStdString(place.string()));
}

}  // namespace

NodeStore::NodeStore(const std::string& run, const std::string& job) : id_(run) {
  const QByteArray local = qgetenv("TMPDIR");
  folder_ =
      fs::path(local.isEmpty() ? "/tmp" : local.toStdString()) / fmt::format("batchscope-{}-{}", run, job);
  protocol::make_private_directory(folder_, "TMPDIR");
  set("BATCHSCOPE_DB", folder_ / "runs.db");
  set("XDG_STATE_HOME", folder_);
}

NodeStore::~NodeStore() {
  std::error_code fault;
  fs::remove_all(folder_, fault);
}

storage::Run NodeStore::takeIn(const JobFolder& folder) const {
  QProcess import;
  import.setProcessChannelMode(QProcess::ForwardedChannels);
  import.start(QCoreApplication::applicationFilePath(),
               {"import", "--run-folder", QString::fromStdString(folder.path().string())});
  import.waitForFinished(-1);
  if (import.exitStatus() != QProcess::NormalExit || import.exitCode() != 0)
    throw Error(ErrorKind::failure, say("{} could not be imported", folder.path().string()));
  noteJobFolder(folder);
  return run();
}

storage::Run NodeStore::run() const { return openCatalogue().run(id_).value(); }

}  // namespace batchscope::cli::slurm
