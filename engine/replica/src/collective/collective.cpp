// SPDX-License-Identifier: Apache-2.0
//
// Every collective is one all-reduce with the right associative function.
#include "batchscope/replica/collective.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "batchscope/protocol/error.h"
#include "collective/small_collectives.h"
#include "process/process.h"
#include "report/failure.h"
#include "report/telemetry_client.h"

namespace batchscope::collective {

using namespace replica;
namespace {

std::string name_of(std::string_view operation, std::string_view tag) {
  std::string name(operation);
  return name.append(" '").append(tag).append("'");
}

// Heartbeats say what is waited for, and a failure that is another replica's is told as such.
template <class Wait>
Bytes waiting_in(const std::string& name, Wait wait) {
  const WaitScope scope(name);
  try {
    return wait();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::failure || error.kind() == ErrorKind::timeout) tell_peer_failure(error);
    throw;
  }
}

Bytes across_replicas(const std::string& name, Bytes value, Combine combine,
                      std::chrono::milliseconds timeout = process().timeout) {
  const auto& group = process().collectives;
  if (!group) return value;
  return waiting_in(
      name, [&] { return group->finish(group->start(name, std::move(value), std::move(combine)), timeout); });
}

template <class Number>
Bytes bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

template <class Number>
std::vector<Number> to_numbers(const Bytes& bytes) {
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

// Element by element; both sides must have the same length.
template <class Number, class Operation>
Combine elementwise(Operation operation) {
  return [operation](const Bytes& left, const Bytes& right) {
    if (left.size() != right.size())
      throw std::invalid_argument("replicas passed vectors of " +
                                  std::to_string(left.size() / sizeof(Number)) + " and " +
                                  std::to_string(right.size() / sizeof(Number)) + " numbers");
    std::vector<Number> result = to_numbers<Number>(left);
    const std::vector<Number> other = to_numbers<Number>(right);
    std::transform(result.begin(), result.end(), other.begin(), result.begin(), operation);
    return bytes_of(result);
  };
}

Bytes concatenate(const Bytes& left, const Bytes& right) { return left + right; }

}  // namespace

struct Pending::Impl {
  Bytes value;  // the result already, for a single replica
  std::shared_ptr<SmallCollectives::Call> call;
};

Bytes Pending::wait() {
  if (!impl_) throw Error(ErrorKind::usage, "Pending::wait() was called twice");
  const std::shared_ptr<Impl> impl = std::exchange(impl_, nullptr);
  if (!impl->call) return std::move(impl->value);
  return waiting_in(impl->call->name,
                    [&] { return process().collectives->finish(impl->call, process().timeout); });
}

Bytes all_reduce(std::string_view tag, Bytes value, const Combine& combine) {
  return across_replicas(name_of("all_reduce", tag), std::move(value), combine);
}

Pending all_reduce_async(std::string_view tag, Bytes value, Combine combine) {
  Pending pending;
  pending.impl_ = std::make_shared<Pending::Impl>();
  if (const auto& group = process().collectives)
    pending.impl_->call = group->start(name_of("all_reduce", tag), std::move(value), std::move(combine));
  else
    pending.impl_->value = std::move(value);
  return pending;
}

Bytes broadcast(std::string_view tag, Bytes value) {
  if (process().environment.replica_rank != 0) value.clear();
  return across_replicas(name_of("broadcast", tag), std::move(value),
                         [](const Bytes& first, const Bytes&) { return first; });
}

std::vector<Bytes> gather(std::string_view tag, Bytes value) {
  // Each value behind its length, so that joining is concatenation.
  const std::uint64_t size = value.size();
  value.insert(0, reinterpret_cast<const char*>(&size), sizeof size);
  const Bytes joined = across_replicas(name_of("gather", tag), std::move(value), concatenate);
  std::vector<Bytes> values;
  for (std::size_t at = 0; at < joined.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, joined.data() + at, sizeof length);
    values.push_back(joined.substr(at + sizeof length, length));
    at += sizeof length + length;
  }
  return values;
}

void barrier(std::string_view tag, std::chrono::milliseconds timeout) {
  across_replicas(name_of("barrier", tag), {}, concatenate,
                  timeout.count() > 0 ? timeout : process().timeout);
}

double sum(std::string_view tag, double value) { return sum(tag, std::vector<double>{value}).front(); }

std::vector<double> sum(std::string_view tag, const std::vector<double>& values) {
  return to_numbers<double>(
      across_replicas(name_of("sum", tag), bytes_of(values), elementwise<double>(std::plus<>())));
}

std::int64_t max(std::string_view tag, std::int64_t value) {
  const auto larger = [](std::int64_t a, std::int64_t b) { return std::max(a, b); };
  return to_numbers<std::int64_t>(across_replicas(name_of("max", tag), bytes_of<std::int64_t>({value}),
                                                  elementwise<std::int64_t>(larger)))
      .front();
}

}  // namespace batchscope::collective
