// SPDX-License-Identifier: Apache-2.0
#include "commands/elsewhere.h"

#include <QProcess>
#include <QStringList>

#include "follow/remote.h"
#include "records/store.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

RemoteCommand here(const std::vector<std::string>& words) {
  RemoteCommand command{QString::fromStdString(words.front()), {}};
  for (const std::string& word : std::span(words).subspan(1))
    command.arguments << QString::fromStdString(word);
  return command;
}

}  // namespace

std::optional<storage::Origin> elsewhere(const std::string& id) {
  auto origin = storage::Origins(protocol::catalogue_path()).find(id);
  return origin && origin->followed ? origin : std::nullopt;
}

std::optional<int> handOn(const std::string& command, const RunReference& run,
                          const std::vector<std::string>& words) {
  const std::string id = openCatalogue().resolve(run.run).id;
  const auto origin = elsewhere(id);
  if (!origin) return std::nullopt;
  if (origin->control.empty()) throw Error(ErrorKind::conflict, storage::trains_elsewhere(id, *origin));
  std::vector<std::string> all = origin->control;
  all.insert(all.end(), {command, id});
  all.insert(all.end(), words.begin(), words.end());
  if (run.json) all.emplace_back("--json");
  const RemoteCommand asked = origin->host.empty() ? here(all) : onHost(origin->host, all, Login::mayAsk);
  const int code = QProcess::execute(asked.program, asked.arguments);
  if (code < 0) {
    const std::string program = asked.program.toStdString();
    throw Error(ErrorKind::failure, code == -2 ? say("{} cannot be asked: {} cannot be started", id, program)
                                               : say("{} cannot be asked: {} crashed", id, program));
  }
  return code;
}

}  // namespace batchscope::cli
