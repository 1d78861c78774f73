// SPDX-License-Identifier: Apache-2.0
//
// Runs whose replicas a test plays: their program is a script that writes down the signals it gets and ends
// when it is told to, and what replicas tell is told by the test. So a real supervisor meets just what a test
// wants it to meet, in an order that nothing but the test decides. Times that are told are whole seconds, so
// that differences of them are exact, and lie after the supervisor's own.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/protocol/telemetry.h"
#include "batchscope/protocol/unix_address.h"
#include "scenario.h"
#include "stored_runs.h"

namespace batchscope::run {

// One that has begun.
class PlayedReplica {
 public:
  PlayedReplica(std::filesystem::path folder, int generation, int rank)
      : folder_(std::move(folder)),
        place_(std::to_string(generation) + "." + std::to_string(rank)),
        generation_(generation),
        rank_(rank) {
    if (!QTest::qWaitFor([this] { return std::filesystem::exists(folder_ / ("begun." + place_)); }, 20000))
      throw Error(ErrorKind::failure, "replica " + place_ + " does not begin");
    std::istringstream(testing::contents(folder_ / ("processes." + place_))) >> process_ >> parent_;
    const sockaddr_un address = protocol::unix_address(variable("BATCHSCOPE_TELEMETRY_SOCKET"));
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw Error(ErrorKind::failure, "nobody hears replica " + place_);
  }
  ~PlayedReplica() {
    exit(1);  // none stays
    close(fd_);
  }
  PlayedReplica(const PlayedReplica&) = delete;
  PlayedReplica& operator=(const PlayedReplica&) = delete;

  void tell_line(const std::string& line) const { ::send(fd_, line.data(), line.size(), MSG_NOSIGNAL); }
  void tell(const protocol::Message& message) const { tell_line(protocol::encode(message)); }

  // Says hello as our engine does, but without heartbeats; `change` may change that.
  void say_hello(double mono, const std::function<void(protocol::Hello&)>& change = {}) const {
    protocol::Hello hello;
    hello.rank = rank_;
    hello.generation = generation_;
    hello.device = "cpu";
    hello.mono = mono;
    hello.heartbeats = false;
    if (change) change(hello);
    tell(hello);
  }
  void restore(const std::string& checkpoint, std::int64_t step, double mono) const {
    tell(protocol::Restored{rank_, checkpoint, step, mono});
  }
  void make_step(std::int64_t step, double mono, const std::map<std::string, double>& values = {}) const {
    protocol::Steps steps{step, {{"mono", {mono}}}, 0};
    for (const auto& [name, value] : values) steps.columns[name] = {value};
    tell(steps);
  }

  // One that is gone already does nothing more. The pipe is open for reading, too, so that no signal comes
  // where the replica goes at this moment.
  void exit(int code) const {
    const int fd = open((folder_ / ("exit." + place_)).c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    const std::string line = std::to_string(code) + "\n";
    [[maybe_unused]] const auto written = write(fd, line.data(), line.size());
    close(fd);
  }

  pid_t process() const { return process_; }
  pid_t parent() const { return parent_; }  // the supervisor, or another node's agent

  // "TERM\nUSR1\n": the signals that it has had.
  std::string got() const { return testing::contents(folder_ / ("signals." + place_)); }
  bool gets(const std::string& expected) const {
    return QTest::qWaitFor([&] { return got() == expected; }, 20000);
  }
  std::string variable(const std::string& name) const {
    const std::string all = "\n" + testing::contents(folder_ / ("variables." + place_));
    const auto at = all.find("\n" + name + "=");
    if (at == std::string::npos) return {};
    const auto begin = at + name.size() + 2;
    return all.substr(begin, all.find('\n', begin) - begin);
  }

 private:
  const std::filesystem::path folder_;
  const std::string place_;
  const int generation_, rank_;
  pid_t process_ = 0, parent_ = 0;
  const int fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

class PlayedRun : public Scenario {
 protected:
  // Returns a time that is told.
  static double later() { return std::floor(protocol::monotonic_seconds()) + 100; }

  // A program that is not ours, and is not told of AdaptDL either.
  protocol::RunSpec played(int replicas) const {
    testing::write_file(file("program"),
                        "#!/bin/sh\n"
                        "me=$ADAPTDL_NUM_RESTARTS.$ADAPTDL_REPLICA_RANK\n"
                        "trap 'echo TERM >> signals.$me' TERM\n"
                        "trap 'echo USR1 >> signals.$me' USR1\n"
                        "env > variables.$me\n"
                        "echo $$ $PPID > processes.$me\n"
                        "echo \"replica $me begins\"\n"
                        "mkfifo exit.$me\n"
                        "exec 3<> exit.$me\n"
                        ": > begun.$me\n"
                        "while ! read -r code <&3; do :; done\n"
                        "exit \"$code\"\n");
    std::filesystem::permissions(file("program"), std::filesystem::perms::owner_all);
    protocol::RunSpec spec = spec_of(replicas, {});
    spec.program = file("program");
    spec.device = "cpu";
    spec.environment = {{"BATCHSCOPE_HTTP", "off"}, {"BATCHSCOPE_PYTHON_HOOK", "off"}};
    return spec;
  }

  protocol::RunStatus status(const std::string& id) {
    return ask(id, protocol::Request::Command::status).get<protocol::RunStatus>();
  }
  bool comes_to(const std::string& id, const std::function<bool(const protocol::RunStatus&)>& place) {
    return eventually([&] { return place(status(id)); });
  }
  bool comes_to(const std::string& id, protocol::RunState state) {
    return comes_to(id, [&](const auto& now) { return now.state == state; });
  }
  bool comes_to_phase(const std::string& id, const std::string& phase) {
    return comes_to(id, [&](const auto& now) { return now.phase == phase; });
  }

  // Returns the error of a request; "" where it is granted.
  std::string refusal(const std::string& id, const protocol::Request& request) {
    const auto error = testing::error_of([&] { run::request(id, request, 20000); });
    return error ? std::string(error_kind_name(error->kind())) + ": " + error->what() : std::string();
  }
  std::string refusal(const std::string& id, protocol::Request::Command command) {
    protocol::Request request;
    request.command = command;
    return refusal(id, request);
  }

  // Returns what was told of a run that is over, a line each, without what depends on the number of cores.
  std::vector<std::string> told(const std::string& id) {
    std::vector<std::string> lines;
    for (const auto& event : catalogue().events(id))
      if (!testing::holds(event.text, "cores")) lines.push_back(event.level + ": " + event.text);
    return lines;
  }

  // The first event of each of these runs.
  static constexpr char kExecuted[] =
      "debug: replicas are executed, not forked, until the program says that it can be a fork server";
};

}  // namespace batchscope::run

// Compares, as QCOMPARE, what was told of the run with these lines: one after the other, so that the first
// that differs is shown.
#define COMPARE_TOLD(id, ...)                                                                   \
  do {                                                                                          \
    const std::vector<std::string> told_ = told(id), expected_{__VA_ARGS__};                    \
    for (std::size_t i_ = 0; i_ < std::max(told_.size(), expected_.size()); ++i_)               \
      QCOMPARE(i_ < told_.size() ? told_[i_] : "", i_ < expected_.size() ? expected_[i_] : ""); \
  } while (false)
