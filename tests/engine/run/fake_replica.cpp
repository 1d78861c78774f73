// SPDX-License-Identifier: Apache-2.0
//
// A training program without the training: it speaks telemetry, counts steps, writes checkpoints whose
// manifest holds the step, and can be told to misbehave. The replicas do not talk to one another; they keep
// the same pace, and rank 0 writes the checkpoints.
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/protocol/run_spec.h"
#include "batchscope/protocol/telemetry.h"
#include "batchscope/protocol/unix_address.h"
#include "paying_model.h"
#include "process/fork_server.h"

using namespace batchscope;
using namespace batchscope::replica;
using namespace batchscope::protocol;
namespace fs = std::filesystem;

namespace {

struct Options {
  int steps = 100;
  int step_ms = 10;
  int checkpoint_every = 0;
  int crash_at = 0;        // step
  std::string crash_once;  // a file: crash only while it is not there
  int crash_code = 0;      // instead of SIGKILL
  int crash_rank = 0;
  bool crash_unsaid = false;  // with a checkpoint that was written and not told of
  std::string crash_says;     // a kind of Failure that is told before the crash
  std::string crash_text = "as told";
  bool peers_first = false;  // the other replicas fail a moment before, because of it as they say
  int hang_at = 0;  // step of the first generation, that crash_rank does not finish and the others wait for
  bool freeze = false;     // by SIGSTOP, instead of computing for ever
  int hang_on = 0;         // replicas: never get to a first step on so many
  int die_on = 0;          // replicas: exit 3 at once on so many
  int slow_on = 0;         // replicas: with --model, steps take twice as long on so many
  int model_from = 0;      // step, from which it has a model to tell
  bool model = false;      // tell a model after each step by which more replicas always pay
  bool full_disk = false;  // no checkpoint can be written
  bool ignore_term = false;
  bool garbage = false;
  bool silent = false;            // no telemetry at all
  bool thread = false;            // start one before anything else
  std::string linger;             // a file: do not end after the goodbye before it is there
  std::string device = "cpu";     // that it says it uses
  std::string sent;               // a file: a line for each step, and when it had been told
  std::vector<std::string> says;  // lines of telemetry that rank 0 sends before its first step
};

std::atomic<bool> exit_asked = false;
std::atomic<int> asked_with = 0;  // the signal's value
std::atomic<bool> checkpoint_asked = false;

class Telemetry {
 public:
  explicit Telemetry(const std::string& path) {
    if (path.empty()) return;
    const sockaddr_un address = unix_address(path);
    fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      std::perror("telemetry");
  }
  void send_text(const std::string& text) const {
    if (fd_ >= 0) ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
  }
  void send(const Message& message) const { send_text(encode(message)); }
  // The supervisor never writes: something to read is its end.
  bool lost() const {
    pollfd poll_fd{fd_, POLLIN, 0};
    return fd_ >= 0 && poll(&poll_fd, 1, 0) > 0;
  }

 private:
  int fd_ = -1;
};

class Replica {
 public:
  Replica(const Options& options, const Environment& environment, bool forked)
      : options_(options),
        environment_(environment),
        forked_(forked),
        telemetry_(options.silent ? "" : environment.telemetry_socket) {
    if (!options.sent.empty()) sent_.open(options.sent);
    sent_.precision(17);
    if (!environment.triggers.empty())
      triggers_ = Json::parse(environment.triggers).get<std::vector<Trigger>>();
  }

  int run() {
    const double started = monotonic_seconds();
    if (options_.die_on == environment_.num_replicas) {
      std::fprintf(stderr, "cannot run on %d replicas\n", environment_.num_replicas);
      return 3;
    }
    telemetry_.send(Hello{1, environment_.replica_rank, environment_.num_restarts, getpid(), "none",
                          options_.device, "fake", 1, forked_, started, monotonic_seconds()});
    if (options_.garbage)
      telemetry_.send_text("{\"type\":\"steps\",\"first_step\":\"x\"}\nrubbish\n{\"type\":7}\n" + extremes());
    restore();
    heartbeats_ = std::jthread([this](const std::stop_token& end) {
      for (; !end.stop_requested(); pause_for(50)) beat();
    });
    if (rank0())
      for (const std::string& line : options_.says) telemetry_.send_text(line + "\n");
    while (options_.hang_on == environment_.num_replicas && !exit_asked) pause_for(10);
    while (step_ < options_.steps) {
      pause_for(options_.step_ms);
      take_step();
      if (const int index = fired_trigger(); index >= 0) {
        if (rank0()) checkpoint("trigger");
        telemetry_.send(Triggered{index, step_, monotonic_seconds()});
        if (triggers_[static_cast<std::size_t>(index)].action != Trigger::Action::checkpoint)
          return goodbye(143);
      }
      if (checkpoint_asked.exchange(false) && rank0()) checkpoint("manual");
      if (options_.checkpoint_every > 0 && step_ % options_.checkpoint_every == 0 && rank0())
        checkpoint("periodic");
      if ((exit_asked && !options_.ignore_term) || telemetry_.lost()) {
        std::printf("asked to leave with %d\n", asked_with.load());
        if (rank0()) checkpoint("exit");
        return goodbye(143);
      }
    }
    return goodbye(0);
  }

 private:
  bool rank0() const { return environment_.replica_rank == 0; }

  void beat() const {
    const double now = monotonic_seconds();
    telemetry_.send(Heartbeat{environment_.replica_rank, step_, "train", waiting_ ? "all_reduce 'ask'" : "",
                              since_, now});
  }

  // Steps at the ends of what a number can be, and somewhat before.
  static std::string extremes() {
    std::string text;
    for (const char* step :
         {"-9223372036854775808", "9223372036854775807", "-9007199254740992", "9007199254740992"})
      text += std::string(R"({"type":"restored","rank":0,"step":)") + step + "}\n" +
              R"({"type":"steps","first_step":)" + step + R"(,"columns":{"mono":[1,2],"garbage":[1,2]}})" +
              "\n" + R"({"type":"steps","first_step":1,"dropped":)" + step + R"(,"columns":{"mono":[1]}})" +
              "\n";
    return text;
  }

  // The whole generation stands still.
  [[noreturn]] void hang() {
    const bool mine = environment_.replica_rank == options_.crash_rank;
    waiting_ = !mine;
    since_ = monotonic_seconds();
    if (mine && options_.freeze) raise(SIGSTOP);
    while (!telemetry_.lost()) pause_for(10);
    _exit(1);
  }

  void fail() const {
    std::fprintf(stderr, "crashing as told\n");
    if (options_.crash_unsaid) write_checkpoint("periodic");
    if (!options_.crash_says.empty())
      telemetry_.send(Failure{environment_.replica_rank,
                              options_.crash_says,
                              options_.crash_text,
                              step_ - 1,
                              100,
                              monotonic_seconds(),
                              {}});
    if (options_.crash_code != 0) _exit(options_.crash_code);
    raise(SIGKILL);
  }

  static void pause_for(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  }

  void restore() {
    Restored restored{environment_.replica_rank, "", 0, 0};
    if (const auto found = newest_good_checkpoint(environment_.checkpoint_path)) {
      const Manifest manifest = read_manifest(*found);
      restored.checkpoint = found->filename().string();
      restored.step = restored_ = step_ = manifest.step;
      ledger_ = manifest.ledger;
    }
    restored.mono = monotonic_seconds();
    telemetry_.send(restored);
  }

  void take_step() {
    if (step_ + 1 == options_.hang_at && environment_.num_restarts == 0) hang();
    ++step_;
    if (step_ == options_.crash_at && (options_.crash_once.empty() || !fs::exists(options_.crash_once))) {
      if (environment_.replica_rank == options_.crash_rank) {
        if (options_.peers_first) pause_for(200);
        if (!options_.crash_once.empty()) std::ofstream(options_.crash_once) << "crashed\n";
        fail();
      } else if (options_.peers_first) {
        telemetry_.send(Failure{
            environment_.replica_rank, "peer", "a replica is gone", step_ - 1, 0, monotonic_seconds(), {}});
        std::abort();
      }
    }
    last_step_ = since_ = monotonic_seconds();
    if (!rank0()) return;
    Steps row{step_, {{"mono", {last_step_}}, {"loss", {1.0 / static_cast<double>(step_)}}}, 0};
    if (options_.model) {  // as if it had worked for a second
      row.columns["step_time"] = {environment_.num_replicas == options_.slow_on ? 2.0 : 1.0};
      row.columns["batch_size"] = {64};
      row.columns["replicas"] = {static_cast<double>(environment_.num_replicas)};
      row.columns["local_batch_size"] = {64.0 / environment_.num_replicas};
      row.columns["accumulation"] = {0};
      row.columns["efficiency"] = {0.5};
    }
    telemetry_.send(row);
    if (sent_.is_open()) sent_ << step_ << ' ' << monotonic_seconds() << std::endl;
    telemetry_.send(Position{0, 1, "train", static_cast<double>(step_) / options_.steps,
                             static_cast<double>(step_), last_step_});
    if (options_.model && step_ >= options_.model_from)
      telemetry_.send(testing::paying_model(environment_.num_replicas, step_));
  }

  int fired_trigger() const {
    for (std::size_t i = 0; i < triggers_.size(); ++i)
      if (triggers_[i].when == Trigger::When::step && static_cast<std::int64_t>(triggers_[i].at) == step_)
        return static_cast<int>(i);
    return -1;
  }

  void checkpoint(const std::string& reason) const {
    if (options_.full_disk) return telemetry_.send(Notice{"error", "no space left for a checkpoint"});
    const double began = monotonic_seconds();
    const std::string name = write_checkpoint(reason);
    telemetry_.send(CheckpointWritten{name, reason, step_, 0, static_cast<double>(step_), 1, last_step_,
                                      began, monotonic_seconds()});
  }

  std::string write_checkpoint(const std::string& reason) const {
    const fs::path parent = environment_.checkpoint_path;
    const auto known = list_checkpoints(parent);
    const std::string name =
        checkpoint_name(known.empty() ? 1 : *checkpoint_number(known.front().filename().string()) + 1);
    const fs::path unfinished = parent / "unfinished";
    fs::create_directories(unfinished);
    Manifest manifest;
    manifest.step = step_;
    manifest.reason = reason;
    manifest.num_replicas = environment_.num_replicas;
    manifest.generation = environment_.num_restarts;
    std::ofstream(unfinished / "model") << "the state";
    manifest.files = {{"model", 9, file_crc32(unfinished / "model")}};
    manifest.ledger = ledger_;
    append(manifest.ledger,
           {manifest.generation, {"train-0", 0, 0, restored_, step_, 0, options_.steps, step_}});
    write_manifest(unfinished, manifest);
    fs::rename(unfinished, parent / name);
    return name;
  }

  int goodbye(int code) const {
    telemetry_.send(Goodbye{environment_.replica_rank, code, step_, monotonic_seconds()});
    while (!options_.linger.empty() && !fs::exists(options_.linger))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return code;
  }

  const Options& options_;
  const Environment& environment_;
  const bool forked_;
  const Telemetry telemetry_;
  std::ofstream sent_;
  std::vector<Trigger> triggers_;
  std::atomic<std::int64_t> step_ = 0;
  std::int64_t restored_ = 0;
  Ledger ledger_;
  double last_step_ = 0;
  std::atomic<bool> waiting_ = false;
  std::atomic<double> since_ = 0;
  std::jthread heartbeats_;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("A training program without the training");
  app.add_option("--steps", options.steps);
  app.add_option("--step-ms", options.step_ms);
  app.add_option("--checkpoint-every", options.checkpoint_every);
  app.add_option("--crash-at", options.crash_at);
  app.add_option("--crash-once", options.crash_once);
  app.add_option("--crash-code", options.crash_code);
  app.add_option("--crash-rank", options.crash_rank);
  app.add_flag("--crash-unsaid", options.crash_unsaid);
  app.add_option("--crash-says", options.crash_says);
  app.add_option("--crash-text", options.crash_text);
  app.add_flag("--peers-first", options.peers_first);
  app.add_option("--hang-at", options.hang_at);
  app.add_flag("--freeze", options.freeze);
  app.add_option("--hang-on", options.hang_on);
  app.add_option("--die-on", options.die_on);
  app.add_option("--slow-on", options.slow_on);
  app.add_option("--model-from", options.model_from);
  app.add_flag("--model", options.model);
  app.add_flag("--full-disk", options.full_disk);
  app.add_flag("--ignore-term", options.ignore_term);
  app.add_flag("--garbage", options.garbage);
  app.add_flag("--silent", options.silent);
  app.add_flag("--thread", options.thread);
  app.add_option("--linger", options.linger);
  app.add_option("--device", options.device);
  app.add_option("--sent", options.sent);
  app.add_option("--says", options.says);
  CLI11_PARSE(app, argc, argv);

  std::jthread idle;
  if (options.thread)
    idle = std::jthread([](const std::stop_token& end) {
      while (!end.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    });
  struct sigaction leave {};
  leave.sa_flags = SA_SIGINFO | SA_RESTART;
  leave.sa_sigaction = [](int, siginfo_t* info, void*) {
    asked_with = info->si_value.sival_int;
    exit_asked = true;
  };
  sigaction(SIGTERM, &leave, nullptr);
  signal(SIGUSR1, [](int) { checkpoint_asked = true; });
  // With handlers that are there from the first moment: ranks do not wait for one another here, so that one
  // may be asked to leave while it begins.
  const bool forked = serve_forks();
  try {
    const Environment environment = Environment::from_process();
    return Replica(options, environment, forked).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
