// SPDX-License-Identifier: Apache-2.0
#include "nodes/hosted_replica.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope::run {
namespace {

constexpr std::int64_t kMostWaiting = 1 << 20;  // bytes for the stand-in
constexpr qint64 kReadAhead = 1 << 16;          // bytes of a telemetry connection

}  // namespace

HostedReplica::HostedReplica(FrameSocket& line, const std::filesystem::path& folder,
                             const std::filesystem::path& checkpoints, ReplicaOrder order, Launcher& launcher)
    : line_(line), folder_(folder) {
  if (!checkpoints.empty()) courier_ = std::make_unique<CheckpointCourier>(line, checkpoints, kMostWaiting);
  for (const char* name : {protocol::variable::kReplicaRank, protocol::variable::kNumRestarts,
                           protocol::variable::kDevice, "CUDA_VISIBLE_DEVICES"})
    if (const auto found = order.environment.find(name); found != order.environment.end())
      environment_.insert(*found);
  order.log = folder / "output";
  open_output(order.log);
  try {
    if (const auto socket_variable = order.environment.find(protocol::variable::kTelemetrySocket);
        socket_variable != order.environment.end()) {
      const std::filesystem::path path = folder / "telemetry";
      socket_variable->second = path.string();
      listener_ = std::make_unique<LocalListener>(path, [this](auto socket) { accept(std::move(socket)); });
    }
    pid_ = launcher.launch({std::move(order)}).front();
  } catch (const Error&) {
    notifier_.reset();
    close(output_);
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    throw;
  }
  line_.on_sent = [this] { go_on(); };
}

HostedReplica::~HostedReplica() {
  kill();
  line_.on_sent = nullptr;
  notifier_.reset();
  close(output_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string HostedReplica::text(const std::string& variable) const {
  const auto found = environment_.find(variable);
  return found == environment_.end() ? std::string() : found->second;
}

int HostedReplica::number(const std::string& variable) const { return std::atoi(text(variable).c_str()); }

// Held open for writing as well, so that it has no end while the replica opens and closes it.
void HostedReplica::open_output(const std::filesystem::path& path) {
  if (mkfifo(path.c_str(), 0600) == 0) output_ = open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (output_ < 0)
    throw Error(ErrorKind::io, "cannot make the pipe " + path.string() + ": " + std::strerror(errno));
  notifier_ = std::make_unique<QSocketNotifier>(output_, QSocketNotifier::Read);
  QObject::connect(notifier_.get(), &QSocketNotifier::activated, notifier_.get(), [this] { read_output(); });
}

bool HostedReplica::keeps_up() const {
  return pid_ == 0 || (line_.waiting() < kMostWaiting && (!courier_ || courier_->idle()));
}

void HostedReplica::read_output() {
  char bytes[1 << 16];
  while (keeps_up()) {
    const ssize_t count = TEMP_FAILURE_RETRY(read(output_, bytes, sizeof bytes));
    if (count <= 0) return;
    line_.send(FrameKind::output, {bytes, static_cast<std::size_t>(count)});
  }
  notifier_->setEnabled(false);
}

void HostedReplica::accept(std::unique_ptr<QLocalSocket> socket) {
  const std::uint32_t connection = connections_++;
  socket->setReadBufferSize(kReadAhead);
  QLocalSocket* const raw = socket.release();
  telemetry_.emplace(connection, raw);
  raw->setParent(nullptr);
  QObject::connect(raw, &QLocalSocket::readyRead, raw, [this, connection] { read_telemetry(connection); });
  QObject::connect(raw, &QLocalSocket::disconnected, raw, [this, connection] {
    read_telemetry(connection);
    tell(connection, {});
  });
  read_telemetry(connection);
}

void HostedReplica::read_telemetry(std::uint32_t connection) {
  QLocalSocket& socket = *telemetry_.at(connection);
  while (keeps_up() || socket.state() != QLocalSocket::ConnectedState) {
    const QByteArray bytes = socket.readAll();
    if (bytes.isEmpty()) return;
    read_output();  // what it printed before: after its goodbye the stand-in may be gone
    tell(connection, {bytes.data(), static_cast<std::size_t>(bytes.size())});
  }
}

void HostedReplica::tell(std::uint32_t connection, std::string_view bytes) {
  if (courier_) return courier_->take(connection, bytes);
  line_.send(FrameKind::telemetry, encode(TelemetryBytes{connection, bytes}));
}

void HostedReplica::go_on() {
  if (courier_) courier_->go_on();
  say_how_it_ended();
  if (!keeps_up() || pid_ == 0) return;
  notifier_->setEnabled(true);
  for (const auto& [connection, socket] : telemetry_) read_telemetry(connection);
}

void HostedReplica::signal(const HandedSignal& signal) const {
  sigval value{};
  value.sival_int = signal.value;
  if (pid_ > 0) sigqueue(pid_, signal.number, value);
}

void HostedReplica::kill() const {
  if (pid_ > 0) ::kill(-pid_, SIGKILL);
}

void HostedReplica::ended(int status) {
  pid_ = {};
  if (listener_) listener_->accept_pending();
  for (const auto& [connection, socket] : telemetry_) do {
      read_telemetry(connection);
    } while (socket->state() == QLocalSocket::ConnectedState && socket->waitForReadyRead(0));
  read_output();
  status_ = status;
  say_how_it_ended();
}

// Last, behind a checkpoint that is still on its way.
void HostedReplica::say_how_it_ended() {
  if (!status_ || (courier_ && !courier_->idle())) return;
  line_.send(FrameKind::exit, encode_status(*status_));
  status_.reset();
  line_.close();
}

}  // namespace batchscope::run
