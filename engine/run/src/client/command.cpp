// SPDX-License-Identifier: Apache-2.0
#include "batchscope/run/command.h"

namespace batchscope::run {

std::vector<std::string> command_words(const std::string& run, const protocol::Request& request) {
  std::vector<std::string> words{protocol::command_name(request.command), run};
  const std::string replicas = request.auto_replicas ? request.auto_replicas->text()
                               : request.replicas    ? std::to_string(*request.replicas)
                                                     : "";
  const bool resumes = request.command == protocol::Request::Command::resume;
  if (resumes) words.emplace_back("--detach");
  if (resumes && !replicas.empty()) words.emplace_back("--replicas");
  if (!replicas.empty()) words.push_back(replicas);
  return words;
}

}  // namespace batchscope::run
