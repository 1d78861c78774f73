// SPDX-License-Identifier: Apache-2.0
//
// The event-driven client. It subscribes whenever it connects, and tries again until the run is finished:
// a run that was stopped or has crashed may be resumed by somebody else.
#include <QTimer>
#include <algorithm>
#include <map>
#include <utility>

#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/run_state.h"
#include "batchscope/run/client.h"
#include "client/absent_supervisor.h"
#include "socket/line_socket.h"
#include "socket/peer.h"

namespace batchscope::run {

using namespace protocol;

namespace {

constexpr std::size_t kAnswerLimit = 1u << 20;
constexpr int kFirstRetry = 50;  // ms
constexpr int kLastRetry = 1000;

}  // namespace

struct ControlClient::Impl {
  explicit Impl(ControlClient& client) : client(client) {
    retry.setSingleShot(true);
    QObject::connect(&retry, &QTimer::timeout, &client, [this] { open(); });
  }

  void open() {
    auto socket = std::make_unique<QLocalSocket>();
    QLocalSocket* raw = socket.get();
    lines = std::make_unique<LineSocket>(std::move(socket), kAnswerLimit);
    lines->on_line = [this](const std::string& line) { take(line); };
    lines->on_closed = [this] { closed(); };
    lines->on_overlong = [raw] { raw->abort(); };
    QObject::connect(raw, &QLocalSocket::connected, raw, [this] { opened(); });
    QObject::connect(raw, &QLocalSocket::errorOccurred, raw, [this] {
      if (!connected) try_later();
    });
    raw->connectToServer(QString::fromStdString(run_paths(client.id_).control_socket.string()));
  }

  void opened() {
    if (!is_trusted_peer(static_cast<int>(lines->socket().socketDescriptor()))) {
      lines->socket().abort();
      return try_later();
    }
    connected = true;
    refusal.clear();
    Request subscribe;
    subscribe.command = Request::Command::subscribe;
    send(std::move(subscribe), [this](const Json* result, const Error*) {
      if (result) show(*result);
    });
    Q_EMIT client.connectedChanged(true);
  }

  void closed() {
    if (!std::exchange(connected, false)) return;
    const std::string why = refusal.empty() ? " closed the connection" : ": " + refusal;
    const Error error(ErrorKind::io, "the supervisor of run " + client.id_ + why);
    for (auto& [id, done] : std::exchange(waiting, {}))
      if (done) done(nullptr, &error);
    try_later();
    Q_EMIT client.connectedChanged(false);
  }

  void try_later() {
    if (finished || retry.isActive()) return;
    retry.start(delay);
    delay = std::min(2 * delay, kLastRetry);
  }

  void send(Request request, Reply done) {
    request.id = ++last_id;
    waiting[last_id] = std::move(done);
    lines->write(request.line());
  }

  void take(const std::string& line) {
    try {
      const Json json = parse_object(line);
      if (json.contains("error") && json.value("id", Json()).is_null()) {
        refusal = json.at("error").value("message", "");
        return;
      }
      delay = kFirstRetry;  // it does not turn us away
      const std::string event = json.value("event", "");
      if (event == "status") {
        show(json.at("status"));
      } else if (event == "notice") {
        Q_EMIT client.eventAdded(QString::fromStdString(json.value("level", "info")),
                                 QString::fromStdString(json.value("text", "")));
      } else if (const Json id = json.value("id", Json()); id.is_number_integer()) {
        answer(id.get<std::int64_t>(), json);
      }
    } catch (const Error&) {
      lines->socket().abort();  // no supervisor of ours; a new connection may find one
    } catch (const Json::exception&) {
      lines->socket().abort();
    }
  }

  void answer(std::int64_t id, const Json& json) {
    const auto found = waiting.find(id);
    if (found == waiting.end()) return;
    const Reply done = std::move(found->second);
    waiting.erase(found);
    if (!done) return;
    try {
      const Json result = reply_result(json);
      done(&result, nullptr);
    } catch (const Error& error) {
      done(nullptr, &error);
    }
  }

  void show(const Json& json) {
    const RunStatus status = json.get<RunStatus>();
    finished = status.state == RunState::finished;
    Q_EMIT client.statusChanged(status);
  }

  ControlClient& client;
  std::unique_ptr<LineSocket> lines;
  QTimer retry;
  int delay = kFirstRetry;
  bool connected = false;
  bool finished = false;
  std::string refusal;  // why the supervisor closes this connection, where it says so
  std::int64_t last_id = 0;
  std::map<std::int64_t, Reply> waiting;
};

ControlClient::ControlClient(const std::string& id, QObject* parent)
    : QObject(parent), impl_(std::make_unique<Impl>(*this)), id_(id) {
  // Starts from the event loop, when the signals have been connected.
  impl_->retry.start(0);
}

ControlClient::~ControlClient() = default;

bool ControlClient::connected() const { return impl_->connected; }

void ControlClient::send(Request request, Reply done) {
  if (!impl_->connected) {
    const Error error = absent_supervisor(id_);
    if (done) done(nullptr, &error);
    return;
  }
  impl_->send(std::move(request), std::move(done));
}

}  // namespace batchscope::run
