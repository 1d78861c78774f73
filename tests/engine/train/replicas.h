// SPDX-License-Identifier: Apache-2.0
//
// Runs a test program as the replicas of one generation and collects what each said: its exit code, the JSON
// object on the last line of its standard output, its standard error.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QDir>
#include <QTemporaryDir>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/json.h"
#include "starter.h"
#include "text_files.h"

namespace batchscope::testing {

struct Replica {
  int code = -1;  // -1: ended by a signal, which `errors` names
  protocol::Json said;
  QByteArray errors;
  QByteArray output;  // everything it said

  // The objects among its lines that have this field.
  std::vector<protocol::Json> lines(const char* field) const {
    std::vector<protocol::Json> found;
    for (const QByteArray& text : output.trimmed().split('\n')) {
      const auto line = protocol::Json::parse(text.toStdString(), nullptr, false);
      if (line.contains(field)) found.push_back(line);
    }
    return found;
  }
};

#define VERIFY_MESSAGE(said, part) \
  QVERIFY2((said).value("message", "").find(part) != std::string::npos, (said).dump().c_str())

// Every replica ended with this exit code.
inline bool all_ended(const std::vector<Replica>& replicas, int code = 0) {
  for (const Replica& replica : replicas) {
    if (replica.code == code) continue;
    qWarning("exit code %d instead of %d: %s", replica.code, code, replica.errors.constData());
    return false;
  }
  return true;
}

struct Launch {
  QString program;  // one of train-replica's
  QStringList arguments;
  int replicas = 1;
  std::map<std::string, std::string> variables = {};  // besides the replicas' places
  int stopped = -1;  // this rank stops itself: killed when the others have ended
  int generation = 0;
  std::map<std::string, std::string> at_load = {};  // variables that libraries read when they are loaded
};

// A port of this machine that was free a moment ago.
inline int free_port() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    qFatal("no port is free");
  close(descriptor);
  return ntohs(address.sin_port);
}

// Replicas that meet over the network, as those of two machines do.
inline Launch on_two_nodes(Launch launch) {
  launch.variables[protocol::variable::kRendezvousDir] = "";
  launch.variables[protocol::variable::kMasterPort] = std::to_string(free_port());
  launch.variables[protocol::variable::kNumNodes] = "2";
  return launch;
}

inline std::vector<Replica> run(const Launch& launch) {
  const QTemporaryDir meeting, said;
  std::optional<Starter> own;
  if (!launch.at_load.empty()) own.emplace(launch.at_load);
  Starter& starter = own ? *own : Starter::shared();
  std::vector<std::string> arguments{launch.program.toStdString()};
  for (const QString& argument : launch.arguments) arguments.push_back(argument.toStdString());

  const auto folder = [&said](int rank) { return said.filePath(QString::number(rank)); };
  std::vector<pid_t> processes;
  for (int rank = 0; rank < launch.replicas; ++rank) {
    protocol::Environment environment;
    environment.num_replicas = launch.replicas;
    environment.replica_rank = rank;
    environment.num_restarts = launch.generation;
    environment.rendezvous_dir = meeting.path().toStdString();
    environment.checkpoint_path = (meeting.path() + "/checkpoints").toStdString();
    environment.threads = 1;
    Starter::Variables variables = launch.variables;
    for (const auto& [name, value] : environment.to_variables()) variables.insert({name, value});
    QDir().mkpath(folder(rank));
    processes.push_back(starter.start(arguments, variables, folder(rank).toStdString()));
  }

  std::vector<Replica> replicas(processes.size());
  const auto collect = [&](int rank) {
    const int status = starter.wait(processes[static_cast<std::size_t>(rank)], 60'000);
    Replica& replica = replicas[static_cast<std::size_t>(rank)];
    replica.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    replica.errors = QByteArray::fromStdString(contents((folder(rank) + "/errors").toStdString()));
    if (WIFSIGNALED(status))
      replica.errors += QByteArray("ended by a signal: ") + strsignal(WTERMSIG(status)) + '\n';
    replica.output = QByteArray::fromStdString(contents((folder(rank) + "/output").toStdString()));
    const QByteArray last = replica.output.trimmed().split('\n').last();
    if (!last.isEmpty() && replica.code >= 0) replica.said = protocol::parse_object(last.toStdString());
  };
  for (int rank = 0; rank < launch.replicas; ++rank)
    if (rank != launch.stopped) collect(rank);
  if (launch.stopped >= 0) {
    kill(processes[static_cast<std::size_t>(launch.stopped)], SIGKILL);
    collect(launch.stopped);
  }
  return replicas;
}

}  // namespace batchscope::testing
