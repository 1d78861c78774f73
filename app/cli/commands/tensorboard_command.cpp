// SPDX-License-Identifier: Apache-2.0
//
// tensorboard: starts TensorBoard on the event files of one run, or of several under their names.
#include <fmt/format.h>
#include <unistd.h>

#include <QStandardPaths>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "commands/commands.h"
#include "records/store.h"
#include "text/say.h"

namespace batchscope::cli {

namespace {

std::string folderOf(const storage::Run& run) { return protocol::run_paths(run.id).tensorboard.string(); }

// NAME-ID:FOLDER,.. as TensorBoard's --logdir_spec has them.
std::string specOf(const std::vector<storage::Run>& runs) {
  std::vector<std::string> parts;
  for (const storage::Run& run : runs) {
    const std::string folder = folderOf(run);
    if (folder.find_first_of(":,") != std::string::npos)
      throw Error(ErrorKind::usage, say("TensorBoard cannot show several runs if a path has a colon "
                                        "or comma, such as {}: start it for one run",
                                        folder));
    std::string name = run.name;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ':' || c == ','; }, '_');
    parts.push_back(fmt::format("{}-{}:{}", name, run.id, folder));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

int openTensorboard(const TensorboardOptions& options) {
  storage::Catalogue catalogue = openCatalogue();
  std::vector<storage::Run> runs;
  for (const std::string& text : options.runs) runs.push_back(catalogue.resolve(text));
  std::vector<std::string> folders;
  std::transform(runs.begin(), runs.end(), std::back_inserter(folders), folderOf);
  const std::string program = QStandardPaths::findExecutable(QStringLiteral("tensorboard")).toStdString();
  if (program.empty())
    throw Error(ErrorKind::not_found, say("TensorBoard is not installed; install it with `pipx install "
                                          "tensorboard`. The event files are in {}",
                                          fmt::join(folders, ", ")));
  std::vector<std::string> words{program};
  if (runs.size() == 1)
    words.insert(words.end(), {"--logdir", folders.front()});
  else
    words.insert(words.end(), {"--logdir_spec", specOf(runs)});
  if (options.port) words.insert(words.end(), {"--port", std::to_string(*options.port)});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execv(program.c_str(), arguments.data());
  throw Error(ErrorKind::io, say("cannot start {}: {}", program, std::strerror(errno)));
}

}  // namespace batchscope::cli
