// SPDX-License-Identifier: Apache-2.0
//
// Somebody on a line to an agent, as a supervisor or as a replica's stand-in, and the base of tests with
// them.
#pragma once

#include <QTcpSocket>
#include <QTemporaryDir>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "batchscope/protocol/error.h"
#include "lone_agent.h"
#include "nodes/frame.h"
#include "nodes/messages.h"
#include "system/process_table.h"
#include "test_case.h"
#include "text_files.h"

namespace batchscope::run {

class AgentCaller {
 public:
  // Connects and says nothing.
  explicit AgentCaller(const NodeOffer& offer) {
    if (!connect_to(offer, socket_)) throw Error(ErrorKind::failure, "the agent does not listen");
  }
  explicit AgentCaller(const LoneAgent& agent) : AgentCaller(agent.offer()) {}
  // Connects and shows the token.
  AgentCaller(const NodeOffer& offer, Caller caller) : AgentCaller(offer) {
    send(FrameKind::hello, encode(NodeHello{LoneAgent::token(), caller}));
  }

  AgentCaller(const LoneAgent& agent, Caller caller) : AgentCaller(agent.offer(), caller) {}

  void send(FrameKind kind, std::string_view bytes = {}) {
    const std::string frame = encode(kind, bytes);
    socket_.write(frame.data(), static_cast<qint64>(frame.size()));
    socket_.flush();
  }

  // Returns the next frame that is neither a beat nor tells of use.
  Frame next() {
    for (;;) {
      const Frame frame = next_of_all();
      if (frame.kind != FrameKind::beat && frame.kind != FrameKind::use) return frame;
    }
  }
  // Returns the bytes of the next frame, which must be of this kind.
  std::string next(FrameKind kind) {
    const Frame frame = next();
    if (frame.kind == kind) return frame.bytes;
    throw Error(ErrorKind::failure,
                "a frame of kind " + std::to_string(static_cast<int>(frame.kind)) + " came: " + frame.bytes);
  }
  // Returns the bytes of the next frame of this kind, whatever comes before.
  std::string await(FrameKind kind) {
    for (;;)
      if (const Frame frame = next_of_all(); frame.kind == kind) return frame.bytes;
  }
  // Returns what the replica prints until it ends, and its status.
  std::pair<std::string, int> output_and_end() {
    std::string output;
    for (Frame frame = next();; frame = next()) {
      if (frame.kind == FrameKind::exit) return {output, decode_status(frame.bytes)};
      if (frame.kind != FrameKind::output) throw Error(ErrorKind::failure, "it is refused: " + frame.bytes);
      output += frame.bytes;
    }
  }

  void hang_up() { socket_.abort(); }
  bool is_hung_up_on() {
    return socket_.state() == QTcpSocket::UnconnectedState || socket_.waitForDisconnected(10000);
  }

 private:
  Frame next_of_all() {
    for (Frame frame;;) {
      const QByteArray bytes = socket_.readAll();
      splitter_.feed({bytes.data(), static_cast<std::size_t>(bytes.size())});
      if (splitter_.next(frame)) return frame;
      if (!socket_.waitForReadyRead(10000)) throw Error(ErrorKind::failure, "the agent says nothing more");
    }
  }

  QTcpSocket socket_;
  FrameSplitter splitter_;
};

class AgentTest : public QObject {
 protected:
  void begin() {
    folder_ = std::make_unique<QTemporaryDir>();
    testing::write_file(file("mark"), "");
  }

  std::string file(const char* name) const { return folder_->filePath(name).toStdString(); }
  static bool eventually(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 20000); }

  ReplicaOrder script(const std::string& line) const {
    return {"/bin/sh", {"-c", line}, folder_->path().toStdString(), {{"OWN", "x"}}, {}};
  }
  // Returns a replica that prints its process, and ends with 7 when it is asked to.
  ReplicaOrder waiting(int generation = 0, int rank = 0) const {
    ReplicaOrder order = script("trap 'exit 7' TERM; echo $$; sleep 1000 & wait");
    order.environment["ADAPTDL_NUM_RESTARTS"] = std::to_string(generation);
    order.environment["ADAPTDL_REPLICA_RANK"] = std::to_string(rank);
    return order;
  }
  // Has the agent told the program, which sees the folder.
  void tell_program(AgentCaller& supervisor) const {
    supervisor.send(FrameKind::program, encode(ProgramOrder{script("exit"), file("mark")}));
    supervisor.await(FrameKind::ready);
  }
  static ProcessId process_of(AgentCaller& replica) {
    return protocol::identify(std::stoi(replica.next(FrameKind::output)));
  }
  // Returns the error of a frame that is refused.
  static std::string refusal(AgentCaller& caller, FrameKind kind, std::string_view bytes) {
    caller.send(kind, bytes);
    std::string why = caller.await(FrameKind::refused);
    return caller.is_hung_up_on() ? why : "it holds the line";
  }

 private:
  std::unique_ptr<QTemporaryDir> folder_;
};

}  // namespace batchscope::run
