// SPDX-License-Identifier: Apache-2.0
//
// The content of the frames and the first lines between a supervisor, its agents and its stand-ins. All but
// output and telemetry is JSON. Decoding throws Error(usage) for anything malformed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batchscope/run/machine.h"
#include "launch/launcher.h"

namespace batchscope::run {

// Version of all messages here; an agent and a supervisor of two versions do not work together.
inline constexpr int kNodesVersion = 1;

// A line on an agent's standard input: its secret, and whether its lines speak TLS (tls_line.h).
struct Welcome {
  std::string token;
  bool tls = false;
};
std::string encode(const Welcome& welcome);
Welcome decode_welcome(std::string_view line);

// The line that an agent answers: where it listens and how, and what its node has to train on.
struct NodeOffer {
  std::string node;     // its name: letters, digits, '.', '-' and '_', at most 64
  std::string address;  // numeric
  int port = 0;
  Machine machine;
  bool tls = false;
};
std::string encode(const NodeOffer& offer);
NodeOffer decode_offer(std::string_view line);
// Why an agent is of no use that was asked for TLS, or for none: a clause; empty: it does as it was asked.
std::string why_refused(const NodeOffer& offer, bool asked_for_tls);

// FrameKind::hello.
enum class Caller { supervisor, stand_in };
struct NodeHello {
  std::string token;
  Caller caller = Caller::stand_in;
};
std::string encode(const NodeHello& hello);
NodeHello decode_hello(std::string_view bytes);
// Takes as long whatever the difference is.
bool same_token(std::string_view one, std::string_view other);

// FrameKind::order, without the log, which is the sender's affair. Encoding throws
// Error(usage) for what is not UTF-8.
std::string encode(const ReplicaOrder& order);
ReplicaOrder decode_order(std::string_view bytes);

// FrameKind::program: what replicas will be, and a file that only who sees the run's folder of checkpoints
// finds (folder_mark.h).
struct ProgramOrder {
  ReplicaOrder program;
  std::string mark;
};
std::string encode(const ProgramOrder& order);
ProgramOrder decode_program(std::string_view bytes);

// FrameKind::ready: whether the node sees that folder.
std::string encode_ready(bool sees_folder);
bool decode_ready(std::string_view bytes);

// The order that a stand-in reads from the descriptor that it is started with: where to go with what.
struct StandInOrder {
  std::string address;
  int port = 0;
  Welcome welcome;               // the agent's
  std::string telemetry_socket;  // of the supervisor; the log is the stand-in's own output
  std::string checkpoints;       // the run's folder of them, where the node does not see it; else empty
  ReplicaOrder replica;
};
std::string encode(const StandInOrder& order);
StandInOrder decode_stand_in(std::string_view bytes);

// FrameKind::signal: one of those that are handed on, with sigqueue's value.
struct HandedSignal {
  int number = 0;
  int value = 0;
};
std::string encode(const HandedSignal& signal);
HandedSignal decode_signal(std::string_view bytes);
// Returns the signals that a stand-in takes and an agent sends.
const std::vector<int>& handed_signals();

// FrameKind::news.
struct News {
  std::string level, text;
};
std::string encode(const News& news);
News decode_news(std::string_view bytes);

// FrameKind::beat: the node's monotonic clock, whose origin is each machine's own; seconds.
std::string encode_beat(double mono);
double decode_beat(std::string_view bytes);

// FrameKind::use: what replicas of a generation use of their node, by series (protocol/device_series.h).
struct NodeUse {
  int generation = 0;
  int replicas = 0;  // of which it tells
  std::vector<std::pair<std::string, double>> values;
};
std::string encode(const NodeUse& use);
NodeUse decode_use(std::string_view bytes);

// FrameKind::exit: a status as of waitpid.
std::string encode_status(int status);
int decode_status(std::string_view bytes);

// FrameKind::telemetry: which of the replica's connections, counted from 0, and what it said; nothing: it has
// closed.
struct TelemetryBytes {
  std::uint32_t connection = 0;
  std::string_view bytes;
};
std::string encode(const TelemetryBytes& telemetry);
TelemetryBytes decode_telemetry(std::string_view bytes);  // of which it is a view

// FrameKind::offer: the newest good checkpoint, empty where there is none, its manifest's CRC-32, and the
// names of later ones, which a new one must not take.
struct OfferedCheckpoint {
  std::string name = {};
  std::uint32_t manifest_crc32 = 0;
  std::vector<std::string> later = {};
};
std::string encode(const OfferedCheckpoint& offer);
OfferedCheckpoint decode_offered(std::string_view bytes);

// FrameKind::wanted.
std::string encode_wanted(bool wanted);
bool decode_wanted(std::string_view bytes);

// FrameKind::checkpoint.
struct AnnouncedCheckpoint {
  std::string name;
  std::int64_t manifest_bytes = 0;
};
std::string encode(const AnnouncedCheckpoint& checkpoint);
AnnouncedCheckpoint decode_announced(std::string_view bytes);

}  // namespace batchscope::run
