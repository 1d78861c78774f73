// SPDX-License-Identifier: Apache-2.0
#include "collective/handshake.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <cstdint>

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

std::optional<int> greet_spoke(Socket& socket, const std::string& token, Deadline deadline) {
  const Nonce nonce = draw_nonce();
  Greeting greeting;
  if (socket.send(bytes(nonce), deadline) != Transfer::done ||
      receive(socket, greeting, deadline) != Transfer::done ||
      !same(greeting.proof, prove(token, "spoke", greeting.rank, nonce, greeting.nonce)) ||
      socket.send(bytes(prove(token, "hub", greeting.rank, nonce, greeting.nonce)), deadline) !=
          Transfer::done)
    return std::nullopt;
  return greeting.rank;
}

void greet_hub(Socket& socket, const std::string& token, int rank, Deadline deadline) {
  const auto check = [](Transfer transfer) {
    if (transfer == Transfer::timed_out)
      throw Error(ErrorKind::timeout,
                  "replica 0 does not answer: its port is open and nothing is said there");
    if (transfer == Transfer::closed)
      throw Error(ErrorKind::failure,
                  "replica 0 hung up on this replica: it is of another generation, or of another run, whose "
                  "secret (BATCHSCOPE_RENDEZVOUS_TOKEN) differs");
  };
  Nonce nonce{};
  check(receive(socket, nonce, deadline));
  Greeting greeting{rank, draw_nonce(), {}};
  greeting.proof = prove(token, "spoke", rank, nonce, greeting.nonce);
  check(socket.send(bytes(greeting), deadline));
  Proof proof{};
  check(receive(socket, proof, deadline));
  if (!same(proof, prove(token, "hub", rank, nonce, greeting.nonce)))
    throw Error(ErrorKind::failure, "who answers in the place of replica 0 does not know this run's secret");
}

}  // namespace batchscope::replica
