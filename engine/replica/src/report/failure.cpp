// SPDX-License-Identifier: Apache-2.0
#include "report/failure.h"

#include <cxxabi.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <typeinfo>

#include "batchscope/protocol/error.h"
#include "batchscope/replica/process_group.h"
#include "process/session.h"
#include "report/telemetry_client.h"

namespace batchscope::replica {
namespace {

constexpr std::size_t kLongest = 1000;  // characters of an exception's text

struct FailureReport {
  std::atomic<bool> told = false, terminating = false;
  std::atomic<std::int64_t> local_batch_size = 0;
  std::terminate_handler before = nullptr;
};

FailureReport& report() { return session().part<FailureReport>(); }

// LibTorch's exceptions carry a stack trace behind their message.
std::string message_of(const std::string& what) {
  return what.substr(0, std::min(what.find("\nException raised from"), kLongest));
}

std::string type_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return name ? name.get() : type.name();
}

void on_terminate() {
  if (!report().terminating.exchange(true)) {
    if (const std::exception_ptr exception = std::current_exception()) {
      const std::string type = type_name(*abi::__cxa_current_exception_type());
      try {
        std::rethrow_exception(exception);
      } catch (const std::exception& e) {
        tell_failure("exception", type + ": " + e.what());
      } catch (...) {
        tell_failure("exception", "an exception of type " + type);
      }
    }
    telemetry_flush();
  }
  report().before();
}

}  // namespace

void tell_unexpected_ends() {
  if (report().before) return;
  report().before = std::set_terminate(on_terminate);
  before_goodbye([](int code) {
    if (code != kExitOk && code != kExitCheckpointed) tell_failure("exit", {});
  });
}

void set_local_batch_size(std::int64_t samples) { report().local_batch_size = samples; }

void tell_peer_failure(const Error& error) { tell_failure("peer", error.what()); }

void tell_failure(const std::string& kind, const std::string& text, const std::string& checkpoint) {
  if (report().told.exchange(true) && kind != "peer") return;
  protocol::Failure failure;
  failure.rank = replica_rank();
  failure.kind = kind;
  failure.text = message_of(text);
  failure.checkpoint = checkpoint;
  failure.local_batch_size = report().local_batch_size;
  failure.mono = protocol::monotonic_seconds();
  send_failure(std::move(failure));
}

}  // namespace batchscope::replica
