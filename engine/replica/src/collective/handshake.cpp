// SPDX-License-Identifier: Apache-2.0
#include "collective/handshake.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include "batchscope/protocol/error.h"

namespace batchscope::replica {
namespace {

constexpr std::size_t kSize = 32;  // of a nonce, and of SHA-256
using Nonce = std::array<char, kSize>;
using Proof = std::array<char, kSize>;

struct Greeting {
  std::int32_t rank = 0;
  Nonce nonce{};
  Proof proof{};
};

template <class Value>
std::string_view bytes(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class Value>
Transfer receive(Socket& socket, Value& value, Deadline deadline) {
  return socket.receive(reinterpret_cast<char*>(&value), sizeof value, deadline);
}

[[noreturn]] void cannot(const char* what) {
  throw Error(ErrorKind::failure, std::string("the replicas cannot prove who they are: ") + what);
}

Nonce draw_nonce() {
  Nonce nonce{};
  if (RAND_bytes(reinterpret_cast<unsigned char*>(nonce.data()), kSize) != 1) cannot("no random numbers");
  return nonce;
}

Proof prove(const std::string& token, const char* side, std::int32_t rank, const Nonce& hub,
            const Nonce& spoke) {
  const std::string text = std::string(side).append(bytes(rank)).append(bytes(hub)).append(bytes(spoke));
  Proof proof{};
  if (!HMAC(EVP_sha256(), token.data(), static_cast<int>(token.size()),
            reinterpret_cast<const unsigned char*>(text.data()), text.size(),
            reinterpret_cast<unsigned char*>(proof.data()), nullptr))
    cannot("no SHA-256");
  return proof;
}

// Compares in a time that says nothing of where they differ.
bool same(const Proof& a, const Proof& b) { return CRYPTO_memcmp(a.data(), b.data(), kSize) == 0; }

}  // namespace

Reception::Reception(Listener& listener, std::string token, Deadline deadline)
    : listener_(listener), token_(std::move(token)), deadline_(deadline) {}

std::vector<Spoke> Reception::next() {
  std::vector<Spoke> spokes;
  while (spokes.empty()) {
    std::vector<const Socket*> sockets{&listener_.socket()};
    for (const Guest& guest : guests_) sockets.push_back(&guest.socket);
    const std::vector<bool> readable = wait_for_any(sockets, deadline_);
    if (readable.empty()) break;
    std::vector<Guest> waiting;
    for (std::size_t i = 0; i < guests_.size(); ++i) {
      Guest& guest = guests_[i];
      if (!readable[i + 1])
        waiting.push_back(std::move(guest));
      else if (const auto rank = rank_of(guest))
        spokes.push_back({*rank, std::move(guest.socket)});
    }
    guests_ = std::move(waiting);
    if (readable[0]) accept();
  }
  return spokes;
}

void Reception::accept() {
  for (;;) {
    Guest guest{listener_.accept(Deadline{}), draw_nonce()};
    if (!guest.socket.open()) return;
    if (guest.socket.send(bytes(guest.nonce), deadline_) == Transfer::done)
      guests_.push_back(std::move(guest));
  }
}

// A peer that has begun to answer has a second to end.
std::optional<int> Reception::rank_of(Guest& guest) const {
  const Deadline deadline = std::min(deadline_, std::chrono::steady_clock::now() + std::chrono::seconds(1));
  Greeting greeting;
  if (receive(guest.socket, greeting, deadline) != Transfer::done ||
      !same(greeting.proof, prove(token_, "spoke", greeting.rank, guest.nonce, greeting.nonce)) ||
      guest.socket.send(bytes(prove(token_, "hub", greeting.rank, guest.nonce, greeting.nonce)), deadline) !=
          Transfer::done)
    return std::nullopt;
  return greeting.rank;
}

void ready_for_greetings() { prove({}, "", 0, draw_nonce(), {}); }

void greet_hub(Socket& socket, const std::string& token, int rank, Deadline deadline) {
  const auto check = [](Transfer transfer) {
    if (transfer == Transfer::timed_out)
      throw Error(ErrorKind::timeout, "replica 0 does not answer: its port is open, but sends nothing");
    if (transfer == Transfer::closed)
      throw Error(ErrorKind::failure,
                  "replica 0 closed the connection: it belongs to another generation, or to a run with "
                  "another secret (BATCHSCOPE_RENDEZVOUS_TOKEN)");
  };
  Nonce nonce{};
  check(receive(socket, nonce, deadline));
  Greeting greeting{rank, draw_nonce(), {}};
  greeting.proof = prove(token, "spoke", rank, nonce, greeting.nonce);
  check(socket.send(bytes(greeting), deadline));
  Proof proof{};
  check(receive(socket, proof, deadline));
  if (!same(proof, prove(token, "hub", rank, nonce, greeting.nonce)))
    throw Error(ErrorKind::failure,
                "the process that answers in place of replica 0 does not know this run's secret");
}

}  // namespace batchscope::replica
