// SPDX-License-Identifier: Apache-2.0
//
// tensorboard: becomes TensorBoard on the event files of a run.
#include <fmt/core.h>
#include <unistd.h>

#include <QStandardPaths>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "commands/commands.h"
#include "records/store.h"

namespace batchscope::cli {

int openTensorboard(const TensorboardOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  const storage::Run run = catalogue.resolve(options.run);
  const std::string folder = protocol::run_paths(run.id).tensorboard.string();
  const std::string program = QStandardPaths::findExecutable(QStringLiteral("tensorboard")).toStdString();
  if (program.empty())
    throw Error(ErrorKind::not_found,
                fmt::format("TensorBoard is not installed; install it with `pipx install "
                            "tensorboard`. The event files of {} are in {}",
                            title(run), folder));
  std::vector<std::string> words{program, "--logdir", folder};
  if (options.port) words.insert(words.end(), {"--port", std::to_string(*options.port)});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execv(program.c_str(), arguments.data());
  throw Error(ErrorKind::io, fmt::format("cannot start {}: {}", program, std::strerror(errno)));
}

}  // namespace batchscope::cli
