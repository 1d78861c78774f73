// SPDX-License-Identifier: Apache-2.0
#include "nodes/agent.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QHostAddress>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string_view>
#include <utility>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/telemetry.h"
#include "nodes/messages.h"
#include "system/process_table.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostStrangers = 64;  // that have not shown the token yet
constexpr std::size_t kLongestFolder =
    60;  // characters, so that a socket's address has room for what is below it

constexpr char kFolder[] = "batchscope-node-";
constexpr std::time_t kYoung = 60;  // s in which a folder may not be locked yet

// The descriptor by which a folder of ours is locked until its end; -1 where somebody else has it.
int lock_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  if (descriptor >= 0) close(descriptor);
  return -1;
}

// Removes folders of agents that were killed: nobody holds the lock any more, which forked replicas share.
void remove_abandoned(const fs::path& root) {
  std::error_code fault;
  for (fs::directory_iterator entry(root, fault), end; !fault && entry != end; entry.increment(fault)) {
    const fs::path folder = entry->path();
    struct stat info {};
    if (!folder.filename().string().starts_with(kFolder) || lstat(folder.c_str(), &info) != 0 ||
        info.st_uid != geteuid() || info.st_mtime + kYoung > std::time(nullptr))
      continue;
    const int lock = lock_folder(folder);
    if (lock < 0) continue;
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    close(lock);
  }
}

fs::path make_folder() {
  const char* const set = std::getenv("TMPDIR");
  const std::string root = set && *set && std::strlen(set) <= kLongestFolder ? set : "/tmp";
  remove_abandoned(root);
  std::string name = root + "/" + kFolder + "XXXXXX";
  if (!mkdtemp(name.data()))
    throw Error(ErrorKind::io, "cannot make a folder in " + root + ": " + std::strerror(errno));
  return name;
}

// Returns whether a variable belongs to a node and not to a run: it stays as this node has it, whatever the
// supervisor's has. So are the GPUs that may be seen, unless the order chooses among them.
bool is_of_node(std::string_view variable) {
  return variable.starts_with("SLURM") || variable == "TMPDIR" || variable == "HOSTNAME";
}

void settle_in(ReplicaOrder& order) {
  std::erase_if(order.environment, [](const auto& variable) { return is_of_node(variable.first); });
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    if (equals != std::string_view::npos && (is_of_node(name) || name == "CUDA_VISIBLE_DEVICES"))
      order.environment.emplace(name, text.substr(equals + 1));
  }
}

// Points a replica to this node's own checkpoints. What else it would write beside them is for itself.
void keep_apart(ReplicaOrder& order, const fs::path& checkpoints) {
  using namespace protocol::variable;
  order.environment[kCheckpointPath] = checkpoints.string();
  const fs::path share = checkpoints.parent_path() / "share";
  std::error_code ignored;
  fs::create_directory(share, ignored);
  order.environment[kSharePath] = share.string();
  order.environment.erase(kTensorboardDir);
}

}  // namespace

struct Agent::Line {
  // Where this node does not see the run's checkpoints, a stand-in has: what it offered and is not answered
  // yet, whether it sends that one, and whether its replica may begin.
  struct Exchange {
    std::optional<OfferedCheckpoint> offer;
    bool sends = false, done = false;
    std::unique_ptr<CheckpointReceiver> receiver;
  };

  explicit Line(std::unique_ptr<QTcpSocket> socket) : frames(std::move(socket), kLongestHello) {}

  FrameSocket frames;
  std::optional<Caller> caller;  // once it has shown the token
  QTimer patience;               // for that
  Exchange exchange;
  std::unique_ptr<HostedReplica> replica;
  bool closed = false;
};

Agent::Agent(const std::string& address, const Welcome& welcome, bool apart, const AgentTimes& times)
    : token_(welcome.token),
      apart_(apart),
      times_(times),
      server_(welcome),
      folder_(make_folder()),
      lock_(lock_folder(folder_)),
      input_(STDIN_FILENO, QSocketNotifier::Read) {
  if (!server_.listen(QHostAddress(QString::fromStdString(address)), 0)) {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    throw Error(ErrorKind::io, "cannot listen at " + address + ": " + server_.errorString().toStdString());
  }
  QObject::connect(&server_, &QTcpServer::newConnection, &loop_, [this] { accept(); });
  signals_.on_exit = [this](pid_t pid, int status) { on_exit(pid, status); };
  signals_.on_terminate = [this] { end(); };
  QObject::connect(&input_, &QSocketNotifier::activated, &loop_, [this] {
    std::array<char, 4096> bytes;
    if (read(STDIN_FILENO, bytes.data(), bytes.size()) > 0) return;
    input_.setEnabled(false);
    end();
  });
  QObject::connect(&beat_, &QTimer::timeout, &loop_, [this] { beat(); });
  beat_.start(times_.beat);
  patience_.setSingleShot(true);
  QObject::connect(&patience_, &QTimer::timeout, &loop_, [this] {
    for (const auto& line : lines_)
      if (line->replica) line->replica->kill();
  });
}

Agent::~Agent() {
  lines_.clear();
  launcher_.reset();
  // A process that detached itself from its replica has come to us, the subreaper.
  for (const pid_t child : children()) {
    ::kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  if (lock_ >= 0) close(lock_);
}

int Agent::exec() { return loop_.exec(); }

void Agent::accept() {
  sweep();
  while (std::unique_ptr<QTcpSocket> socket{server_.nextPendingConnection()}) {
    const auto strangers =
        std::count_if(lines_.begin(), lines_.end(), [](const auto& line) { return !line->caller; });
    if (static_cast<std::size_t>(strangers) >= kMostStrangers) continue;  // which hangs up
    Line& line = *lines_.emplace_back(std::make_unique<Line>(std::move(socket)));
    line.frames.on_frame = [this, &line](const Frame& frame) { take(line, frame); };
    line.frames.on_closed = [this, &line] { closed(line); };
    line.patience.setSingleShot(true);
    QObject::connect(&line.patience, &QTimer::timeout, &line.patience, [&line] { line.frames.abort(); });
    line.patience.start(times_.stranger);
  }
}

void Agent::take(Line& line, const Frame& frame) {
  if (!line.caller) return greet(line, frame);
  const bool of_supervisor = *line.caller == Caller::supervisor;
  switch (frame.kind) {
    case FrameKind::program:
      if (of_supervisor) return take_program(frame);
      break;
    case FrameKind::offered:
      if (of_supervisor && launcher_) return launcher_->offered();
      break;
    case FrameKind::order:
      if (!of_supervisor && !line.replica) return take_order(line, frame);
      break;
    case FrameKind::offer:
      if (!of_supervisor && checkpoints_ && !line.replica) return take_offer(line, frame);
      break;
    case FrameKind::checkpoint:
    case FrameKind::state:
      if (line.exchange.sends) return take_checkpoint(line, frame);
      break;
    case FrameKind::signal:
      if (line.replica) return line.replica->signal(decode_signal(frame.bytes));
      break;
    default: break;
  }
  throw Error(ErrorKind::usage, "a frame that does not belong here");
}

// A stranger is hung up on without a word.
void Agent::greet(Line& line, const Frame& frame) {
  std::optional<NodeHello> hello;
  if (frame.kind == FrameKind::hello) hello = decode_hello(frame.bytes);
  if (!hello || !same_token(hello->token, token_)) return line.frames.abort();
  line.patience.stop();
  line.frames.allow(kLongestFrame);
  line.caller = hello->caller;
  if (ending_) throw Error(ErrorKind::conflict, "the agent is ending");
  if (hello->caller != Caller::supervisor) return;
  if (supervisor_) throw Error(ErrorKind::conflict, "the agent has a supervisor already");
  supervisor_ = &line;
  beat();
}

void Agent::beat() {
  if (!supervisor_) return;
  supervisor_->frames.send(FrameKind::beat, encode_beat(protocol::monotonic_seconds()));
  tell_use();
}

// Replicas of an older generation are about to leave, and are passed over.
void Agent::tell_use() {
  NodeUse use;
  std::map<int, pid_t> processes;
  for (const auto& line : lines_) {
    const HostedReplica* const replica = line->replica.get();
    if (!replica || replica->pid() == 0 || replica->generation() < use.generation) continue;
    if (replica->generation() > use.generation) processes.clear();
    use.generation = replica->generation();
    processes[replica->rank()] = replica->pid();
  }
  if (processes.empty()) return;
  use.replicas = static_cast<int>(processes.size());
  use.values = metrics_.read(processes);
  supervisor_->frames.send(FrameKind::use, encode(use));
}

void Agent::take_program(const Frame& frame) {
  if (launcher_) throw Error(ErrorKind::usage, "the agent has been told the program already");
  auto [program, mark] = decode_program(frame.bytes);
  settle_in(program);
  std::error_code error;
  if (apart_ || !fs::exists(mark, error)) checkpoints_.emplace(folder_ / "checkpoints");
  program.log = folder_ / "fork-server.log";
  launcher_ = std::make_unique<ForkLauncher>(std::move(program));
  launcher_->on_news = [this](const std::string& level, const std::string& text) { tell(level, text); };
  launcher_->prepare([this] {
    if (supervisor_) supervisor_->frames.send(FrameKind::ready, encode_ready(!checkpoints_));
  });
}

void Agent::tell(const std::string& level, const std::string& text) {
  if (supervisor_) supervisor_->frames.send(FrameKind::news, encode(News{level, text}));
}

void Agent::take_order(Line& line, const Frame& frame) {
  if (!launcher_) throw Error(ErrorKind::conflict, "the agent has not been told the program yet");
  ReplicaOrder order = decode_order(frame.bytes);
  settle_in(order);
  if (checkpoints_) {
    if (!line.exchange.done) throw Error(ErrorKind::usage, "an order before the checkpoints were settled");
    keep_apart(order, checkpoints_->folder());
  }
  const fs::path folder = folder_ / std::to_string(replicas_++);
  std::error_code error;
  if (!fs::create_directory(folder, error))
    throw Error(ErrorKind::io, "cannot make the folder " + folder.string() + ": " + error.message());
  line.replica = std::make_unique<HostedReplica>(
      line.frames, folder, checkpoints_ ? checkpoints_->folder() : fs::path(), std::move(order), *launcher_);
  const std::string visible = line.replica->visible_gpus();
  metrics_.trains_on(line.replica->rank(), line.replica->device(),
                     visible.empty() ? nullptr : visible.c_str());
}

void Agent::take_offer(Line& line, const Frame& frame) {
  line.exchange = {};
  line.exchange.offer = decode_offered(frame.bytes);
  answer_offers();
}

// One after the other, so that a checkpoint which several replicas of this node need comes once.
void Agent::answer_offers() {
  const auto sends = [](const auto& line) { return line->exchange.sends; };
  for (const auto& line : lines_) {
    if (std::any_of(lines_.begin(), lines_.end(), sends)) return;
    Line::Exchange& exchange = line->exchange;
    if (!exchange.offer) continue;
    const OfferedCheckpoint offer = *std::exchange(exchange.offer, std::nullopt);
    try {
      exchange.sends = checkpoints_->lacks(offer);
      exchange.done = !exchange.sends;
      line->frames.send(FrameKind::wanted, encode_wanted(exchange.sends));
    } catch (const Error& error) {
      line->frames.refuse(error.what());
    }
  }
}

// The stand-in may still be sending when it is refused, and not hear why.
void Agent::take_checkpoint(Line& line, const Frame& frame) try {
  Line::Exchange& exchange = line.exchange;
  if (frame.kind == FrameKind::checkpoint) {
    exchange.receiver.reset();
    exchange.receiver = std::make_unique<CheckpointReceiver>(checkpoints_->folder(), frame.bytes, false);
  } else if (exchange.receiver && exchange.receiver->take(frame.bytes)) {
    exchange = {};
    exchange.done = true;
    answer_offers();
  }
} catch (const Error& error) {
  tell("error", std::string("it cannot take the checkpoint that it is to begin with: ") + error.what());
  throw;
}

// Where a replica lives, its stand-in was killed, or its machine is gone.
void Agent::closed(Line& line) {
  line.closed = true;
  line.exchange = {};
  if (line.replica) line.replica->kill();
  if (checkpoints_) answer_offers();
  if (supervisor_ != &line) return;
  supervisor_ = nullptr;
  end();
}

// A line is kept until its replica is gone.
void Agent::sweep() {
  lines_.remove_if(
      [](const auto& line) { return line->closed && (!line->replica || line->replica->pid() == 0); });
}

void Agent::on_exit(pid_t pid, int status) {
  if (launcher_ && launcher_->take_exited(pid, status)) return;
  for (const auto& line : lines_)
    if (line->replica && line->replica->pid() == pid) {
      line->replica->ended(status);
      break;
    }
}

void Agent::end() {
  if (!std::exchange(ending_, true)) {
    server_.close();
    patience_.start(times_.orphan);
  }
  for (const auto& line : lines_)
    if (line->replica) line->replica->signal({SIGTERM, 0});
  leave_if_empty();
}

// Leaves once the last replica has ended and its output is sent.
void Agent::leave_if_empty() {
  const bool lives = std::any_of(lines_.begin(), lines_.end(), [](const auto& line) {
    return line->replica &&
           (line->replica->pid() != 0 ||
            (!line->closed && (line->frames.waiting() > 0 || line->replica->has_more_to_say())));
  });
  if (!ending_) return;
  if (lives)
    QTimer::singleShot(50, &loop_, [this] { leave_if_empty(); });
  else
    loop_.exit(kExitOk);
}

}  // namespace batchscope::run
