// SPDX-License-Identifier: Apache-2.0
#include "collective/small_collectives.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "batchscope/protocol/random_text.h"
#include "collective/frame.h"
#include "collective/handshake.h"

namespace batchscope::replica {
namespace {

// Above this, a spoke waits for its unfinished calls before it sends more: the hub may not be reading yet.
constexpr std::size_t kMostUnfinishedBytes = 32 << 10;
// How much longer a spoke waits than the hub: the hub knows who is missing, and should be the one to say it.
constexpr std::chrono::milliseconds kGrace{1000};
constexpr std::size_t kTokenSize = 32;  // hexadecimal digits, of a random one

Deadline after(std::chrono::milliseconds timeout) { return std::chrono::steady_clock::now() + timeout; }

std::string seconds(std::chrono::milliseconds timeout) {
  return timeout.count() % 1000 == 0 ? std::to_string(timeout.count() / 1000) + " s"
                                     : std::to_string(timeout.count()) + " ms";
}

std::string replicas(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "replica " : "replicas ";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += (i ? ", " : "") + std::to_string(ranks[i]);
  return text;
}

// At a port that was agreed on before, the hub may not listen yet.
Socket connect_to_hub(const std::string& address, std::chrono::milliseconds timeout) {
  const Deadline deadline = after(timeout);
  while (true) {
    try {
      return connect_to(address, deadline);
    } catch (const Error& error) {
      if (std::chrono::steady_clock::now() >= deadline)
        throw Error(ErrorKind::timeout,
                    "replica 0 did not appear within " + seconds(timeout) + ": " + error.what());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

SmallCollectives::SmallCollectives(const Rendezvous& rendezvous)
    : rank_(rendezvous.rank), size_(rendezvous.size), timeout_(rendezvous.timeout) {
  rank_ == 0 ? accept_spokes(rendezvous) : join_hub(rendezvous);
  finish(start("meet", {}, [](const Bytes&, const Bytes&) { return Bytes(); }), rendezvous.meeting);
}

void SmallCollectives::accept_spokes(const Rendezvous& rendezvous) {
  Listener listener(rendezvous.hub, rendezvous.port);
  const std::string token = rendezvous.token.empty() ? protocol::random_text(kTokenSize) : rendezvous.token;
  rendezvous.publish(token + " " + listener.address());

  const Deadline deadline = after(rendezvous.meeting);
  spokes_.resize(static_cast<std::size_t>(size_));
  Reception reception(listener, token, deadline);
  for (int met = 1; met < size_;) {
    std::vector<Spoke> newcomers = reception.next();
    if (newcomers.empty()) break;
    for (Spoke& newcomer : newcomers) {
      if (newcomer.rank < 1 || newcomer.rank >= size_) continue;
      Socket& spoke = spokes_[static_cast<std::size_t>(newcomer.rank)];
      if (spoke.open())
        fail(Error(ErrorKind::usage, "two processes say that they are " + replicas({newcomer.rank})));
      spoke = std::move(newcomer.socket);
      ++met;
    }
  }
  std::vector<int> missing;
  for (int rank = 1; rank < size_; ++rank)
    if (!spokes_[static_cast<std::size_t>(rank)].open()) missing.push_back(rank);
  if (!missing.empty())
    fail(Error(ErrorKind::timeout, replicas(missing) + " did not appear within " +
                                       seconds(rendezvous.meeting) +
                                       ": see their logs for why they did not start"));
}

void SmallCollectives::join_hub(const Rendezvous& rendezvous) {
  const std::string published = rendezvous.look_up();
  const auto space = published.rfind(' ');
  if (space == std::string::npos)
    throw Error(ErrorKind::corrupt, "the rendezvous holds no address of replica 0 but '" + published + "'");
  hub_ = connect_to_hub(published.substr(space + 1), rendezvous.meeting);
  greet_hub(hub_, published.substr(0, space), rank_, after(rendezvous.meeting));
}

std::shared_ptr<SmallCollectives::Call> SmallCollectives::start(std::string name, Bytes value,
                                                                Combine combine) {
  if (failure_) throw *failure_;
  auto call = std::make_shared<Call>();
  call->sequence = next_sequence_++;
  call->name = std::move(name);
  call->combine = std::move(combine);
  if (rank_ == 0) {
    call->value = std::move(value);
  } else {
    if (unfinished_bytes_ + value.size() > kMostUnfinishedBytes)
      while (!unfinished_.empty()) finish_first(timeout_);
    unfinished_bytes_ += value.size();
    // A hub that has hung up is noticed when its answer is waited for, together with what it said before.
    if (send_frame(hub_, {false, call->sequence, call->name, std::move(value)}, after(timeout_)) ==
        Transfer::timed_out)
      fail(Error(ErrorKind::timeout,
                 "replica 0 did not take part in " + call->name + " within " + seconds(timeout_)));
  }
  unfinished_.push_back(call);
  return call;
}

SmallCollectives::Bytes SmallCollectives::finish(const std::shared_ptr<Call>& call,
                                                 std::chrono::milliseconds timeout) {
  while (!call->done) {
    if (failure_) throw *failure_;
    finish_first(timeout);
  }
  return std::move(call->value);
}

void SmallCollectives::finish_first(std::chrono::milliseconds timeout) {
  const std::shared_ptr<Call> call = unfinished_.front();
  call->value = rank_ == 0 ? fold(*call, after(timeout)) : result_of(*call, timeout);
  call->done = true;
  unfinished_.pop_front();
  if (unfinished_.empty()) unfinished_bytes_ = 0;
}

SmallCollectives::Bytes SmallCollectives::fold(const Call& call, Deadline deadline) try {
  Bytes result = call.value;
  std::vector<int> missing;
  for (int rank = 1; rank < size_; ++rank) {
    Frame frame;
    // Once the deadline has passed, the others are only looked at, to tell who is missing.
    switch (receive_frame(spokes_[static_cast<std::size_t>(rank)], frame, deadline)) {
      case Transfer::timed_out: missing.push_back(rank); continue;
      case Transfer::closed:
        throw Error(ErrorKind::failure,
                    replicas({rank}) + " is gone: its connection ended before " + call.name);
      case Transfer::done: break;
    }
    if (frame.sequence != call.sequence || frame.name != call.name)
      throw Error(ErrorKind::usage, "replicas are out of step: replica " + std::to_string(rank) + " called " +
                                        frame.name + " (call " + std::to_string(frame.sequence) +
                                        ") where replica 0 called " + call.name + " (call " +
                                        std::to_string(call.sequence) + ")");
    if (missing.empty()) result = call.combine(result, frame.value);
  }
  if (!missing.empty())
    throw Error(ErrorKind::timeout, replicas(missing) + " did not take part in " + call.name + " in time");
  for (int rank = 1; rank < size_; ++rank)
    if (send_frame(spokes_[static_cast<std::size_t>(rank)], {false, call.sequence, call.name, result},
                   std::max(deadline, after(kGrace))) != Transfer::done)
      throw Error(ErrorKind::failure,
                  replicas({rank}) + " is gone: it did not take the result of " + call.name);
  return result;
} catch (const Error& error) {
  fail(error);
} catch (const std::exception& error) {
  fail(Error(ErrorKind::failure, call.name + ": " + error.what()));
}

SmallCollectives::Bytes SmallCollectives::result_of(const Call& call, std::chrono::milliseconds timeout) try {
  Frame frame;
  switch (receive_frame(hub_, frame, after(timeout + kGrace))) {
    case Transfer::timed_out:
      throw Error(ErrorKind::timeout,
                  "replica 0 did not take part in " + call.name + " within " + seconds(timeout));
    case Transfer::closed:
      throw Error(ErrorKind::failure, "replica 0 is gone: its connection ended before " + call.name);
    case Transfer::done: break;
  }
  if (frame.error) {
    const auto newline = frame.value.find('\n');
    throw Error(parse_error_kind(frame.value.substr(0, newline)), frame.value.substr(newline + 1));
  }
  return std::move(frame.value);
} catch (const Error& error) {
  fail(error);
}

void SmallCollectives::fail(const Error& error) {
  failure_ = error;
  for (Socket& spoke : spokes_)
    if (spoke.open())
      send_frame(spoke, {true, 0, {}, std::string(error_kind_name(error.kind())) + "\n" + error.what()},
                 after(std::chrono::milliseconds(0)));
  throw error;
}

}  // namespace batchscope::replica
