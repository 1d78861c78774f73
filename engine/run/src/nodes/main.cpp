// SPDX-License-Identifier: Apache-2.0
//
// The program `batchscope-node`: an agent (`serve`), or the stand-in of one replica (`replica`), which a
// supervisor starts. Standard output is the agent's line to its supervisor and nobody else's.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <QHostAddress>
#include <QUdpSocket>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/node_name.h"
#include "batchscope/run/machine.h"
#include "nodes/agent.h"
#include "nodes/each_node.h"
#include "nodes/messages.h"
#include "nodes/stand_in.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

constexpr int kOrder = 3;  // the descriptor from which a stand-in reads its order

// One line of standard input, and not a byte more. A welcome is short.
std::string read_welcome() {
  std::string line;
  for (char byte; line.size() < kLongestHello;) {
    if (read(STDIN_FILENO, &byte, 1) != 1) break;
    if (byte == '\n') return line;
    line += byte;
  }
  throw Error(
      ErrorKind::usage,
      "standard input has no line with the token: batchscope-node serve is started by a supervisor, with "
      "BATCHSCOPE_NODE_COMMAND, and not by hand");
}

// The address from which this machine would send there, without sending anything.
std::string source_address(const std::string& toward) {
  QUdpSocket probe;
  probe.connectToHost(QString::fromStdString(toward), 9);
  if (!probe.waitForConnected())
    throw Error(ErrorKind::io, "this node cannot reach " + toward + ": " + probe.errorString().toStdString());
  return probe.localAddress().toString().toStdString();
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// "CLIENT PORT SERVER PORT": the address at which ssh has reached this machine; empty without ssh.
std::string address_of_ssh() {
  std::istringstream words(variable("SSH_CONNECTION"));
  std::string client, port, server;
  words >> client >> port >> server;
  return server;
}

int serve(int& argc, char** argv, const std::string& name, std::string listen, std::string toward,
          bool apart) {
  const QCoreApplication application(argc, argv);
  NodeOffer offer;
  offer.node = name.empty() ? protocol::node_name() : name;
  if (!protocol::valid_node_name(offer.node))
    throw Error(ErrorKind::usage,
                "'" + offer.node +
                    "' is not a name of a node: give one of letters, digits, '.', '-' and '_' with --name");
  if (listen.empty() && toward.empty()) toward = variable("SLURM_LAUNCH_NODE_IPADDR");
  if (listen.empty() && toward.empty()) listen = address_of_ssh();
  if (listen.empty() && toward.empty())
    throw Error(ErrorKind::usage,
                "no address to listen at: give --listen ADDRESS, or --toward ADDRESS of the first node");
  offer.address = listen.empty() ? source_address(toward) : listen;
  offer.machine = Machine::here();
  const Welcome welcome = decode_welcome(read_welcome());
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  Agent agent(offer.address, welcome, apart);
  offer.port = agent.port();
  offer.tls = welcome.tls;
  std::printf("%s\n", encode(offer).c_str());
  std::fflush(stdout);
  return agent.exec();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App arguments(
      "Runs replicas on this node for a supervisor on another node, which starts this program");
  arguments.require_subcommand(1);
  std::string name, listen, toward;
  CLI::App* const agent = arguments.add_subcommand("serve",
                                                   "Be this node's agent: read the token from standard "
                                                   "input, and end when standard input ends");
  agent->add_option("--name", name, "The node's name (default: SLURMD_NODENAME, or the host's)");
  agent->add_option("--listen", listen, "The numeric address to listen at");
  agent
      ->add_option("--toward", toward,
                   "Listen at the address from which this node reaches ADDRESS "
                   "(default: SLURM_LAUNCH_NODE_IPADDR, or else the address that ssh came to)")
      ->excludes("--listen")
      ->option_text("ADDRESS");
  bool apart = false;
  agent->add_flag("--apart", apart,
                  "Have checkpoints handed over by the supervisor's lines, as where this node does not see "
                  "the run's folder");
  std::vector<std::string> nodes;
  std::string by;
  CLI::App* const each = arguments.add_subcommand(
      "each", "Start the agents of several nodes by ssh: the BATCHSCOPE_NODE_COMMAND where there is no srun");
  each->add_option("nodes", nodes, "A node's name, or NAME=HOST where ssh knows it by another name")
      ->required()
      ->option_text("NODE...");
  each->add_option("--by", by, "A program to call in place of ssh, as PROGRAM HOST COMMAND..")
      ->option_text("PROGRAM");
  CLI::App* const replica =
      arguments.add_subcommand("replica", "Stand in for one replica on another node; a supervisor starts it");
  try {
    arguments.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return arguments.exit(error) == 0 ? kExitOk : exit_code(ErrorKind::usage);
  }
  if (*replica) return stand_in(kOrder);
  try {
    if (*each) {
      std::vector<protocol::NodeHost> hosts;
      for (const std::string& node : nodes) hosts.push_back(protocol::parse_node_host(node));
      signal(SIGPIPE, SIG_IGN);
      return serve_on_each(hosts, by.empty() ? std::vector<std::string>() : std::vector{by},
                           std::filesystem::read_symlink("/proc/self/exe"));
    }
    return serve(argc, argv, name, listen, toward, apart);
  } catch (const Error& error) {
    std::fprintf(stderr, "batchscope-node: %s\n", error.what());
    return exit_code(error.kind());
  }
}
