// SPDX-License-Identifier: Apache-2.0
#include "commands/elsewhere.h"

#include <fmt/core.h>

#include <QProcess>
#include <QStringList>

#include "batchscope/storage/origins.h"
#include "records/store.h"

namespace batchscope::cli {

std::optional<int> handOn(const std::string& command, const RunReference& run,
                          const std::vector<std::string>& words) {
  const std::string id = openCatalogue().resolve(run.run).id;
  const auto origin = storage::Origins(protocol::catalogue_path()).find(id);
  if (!origin || !origin->followed) return std::nullopt;
  if (origin->control.empty()) throw Error(ErrorKind::conflict, storage::trains_elsewhere(id, *origin));
  QStringList all;
  for (const std::string& word : origin->control) all << QString::fromStdString(word);
  all << QString::fromStdString(command) << QString::fromStdString(id);
  for (const std::string& word : words) all << QString::fromStdString(word);
  if (run.json) all << QStringLiteral("--json");
  const QString program = all.takeFirst();
  const int code = QProcess::execute(program, all);
  if (code < 0)
    throw Error(ErrorKind::failure, fmt::format("{} cannot be asked: {} {}", id, program.toStdString(),
                                                code == -2 ? "cannot be started" : "crashed"));
  return code;
}

}  // namespace batchscope::cli
