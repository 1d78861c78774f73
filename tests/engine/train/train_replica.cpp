// SPDX-License-Identifier: Apache-2.0
#include "train_replica.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "batchscope/protocol/error.h"
#include "replica_main.h"

using namespace batchscope::testing;
using batchscope::protocol::Json;

namespace {

const std::map<std::string_view, int (*)(int, char**)> programs{{"accumulator", accumulator_program::run},
                                                                {"adascale", adascale_replica::run},
                                                                {"collective", collective_replica::run},
                                                                {"loop", loop_program::run},
                                                                {"noise", noise_replica::run},
                                                                {"own-loader", own_loader_program::run},
                                                                {"parallel", parallel_replica::run},
                                                                {"precision", precision_replica::run},
                                                                {"regression", regression_program::run},
                                                                {"training", training_program::run}};

void redirect(int descriptor, const std::string& file) {
  const int opened = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (opened < 0 || dup2(opened, descriptor) < 0) std::abort();
}

[[noreturn]] void be_replica(const Json& request) {
  redirect(STDIN_FILENO, "/dev/null");
  redirect(STDOUT_FILENO, request.at("folder").get<std::string>() + "/output");
  redirect(STDERR_FILENO, request.at("folder").get<std::string>() + "/errors");
  for (const auto& [name, value] : request.at("variables").items())
    setenv(name.c_str(), value.get<std::string>().c_str(), 1);
  auto texts = request.at("arguments").get<std::vector<std::string>>();
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  end_process(programs.at(texts.front())(static_cast<int>(texts.size()), arguments.data()));
}

// Answers the requests of starter.h: the process id of a replica that was forked, or the status of one that
// ends.
int start_replicas() {
  for (std::string line; std::getline(std::cin, line);) {
    const Json request = Json::parse(line);
    int answer = 0;
    if (request.contains("ended"))
      waitpid(request["ended"], &answer, 0);
    else if ((answer = fork()) == 0)
      be_replica(request);
    std::cout << answer << std::endl;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view name = count > 1 ? arguments[1] : "";
  if (name == "start") end_process(start_replicas());
  if (programs.contains(name)) end_process(programs.at(name)(count - 1, arguments + 1));
  std::cerr << "train-replica NAME ARGUMENTS, where NAME is one of:";
  for (const auto& [name, run] : programs) std::cerr << ' ' << name;
  std::cerr << '\n';
  return exit_code(batchscope::ErrorKind::usage);
}
