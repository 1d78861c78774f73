// SPDX-License-Identifier: Apache-2.0
#include "collective/discover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "collective/http_client.h"

namespace batchscope::replica {
namespace {

using namespace std::chrono_literals;
using protocol::Json;
namespace variable = protocol::variable;

constexpr unsigned kMajor = 0;  // of the AdaptDL whose protocol this is, 0.2
constexpr int kNotYet = 408;
constexpr std::size_t kLongestHost = 253;  // of a host, RFC 1035
// An answer's: the scheduler waits for 30 s by itself before it says that it does not know.
constexpr std::chrono::milliseconds kLongestAnswer = 60s;
constexpr std::chrono::milliseconds kFirstPause = 50ms, kLongestPause = 2s;

// AdaptDL compares the major numbers where both are versions, and neither is 0.0.0.
void check_version(const std::string& version) {
  unsigned major = 0, minor = 0, patch = 0;
  if (std::sscanf(version.c_str(), "%9u.%9u.%9u", &major, &minor, &patch) != 3 || version == "0.0.0" ||
      major == kMajor)
    return;
  throw Error(ErrorKind::usage,
              fmt::format("{}={}: this engine speaks the protocol of AdaptDL {}.x, and that "
                          "scheduler's may differ: use AdaptDL's scheduler of version {}.x, or "
                          "set {} to the address of replica 0",
                          variable::kSchedVersion, version, kMajor, kMajor, variable::kMasterAddress));
}

std::string first_address(const std::string& body, const std::string& asked) {
  const Json said = Json::parse(body, nullptr, false);
  if (said.is_array() && !said.empty() && said[0].is_string()) {
    const auto address = said[0].get<std::string>();
    const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '-' || c == ':'; };
    if (!address.empty() && address.size() <= kLongestHost &&
        std::all_of(address.begin(), address.end(), fits))
      return address;
  }
  throw Error(ErrorKind::failure, asked + ": expected the replicas' addresses as [\"10.0.0.3\", ...], not '" +
                                      body.substr(0, 100) + "'");
}

}  // namespace

std::string discover_master(const protocol::Environment& environment, std::chrono::milliseconds timeout) {
  check_version(environment.sched_version);
  const std::string path = fmt::format("/discover/{}/{}", environment.job_id, environment.num_restarts);
  const std::string asked = environment.supervisor_url + path;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  std::string last = "the scheduler does not know the address yet";
  for (std::chrono::milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left <= 0ms)
      throw Error(ErrorKind::timeout,
                  fmt::format("{}: the address of replica 0 did not come within {} s: {}", asked,
                              std::chrono::duration<double>(timeout).count(), last));
    try {
      const HttpAnswer answer =
          http_request("GET", environment.supervisor_url, path, {}, std::min(left, kLongestAnswer));
      if (answer.status == 200) return first_address(answer.body, asked);
      if (answer.status != kNotYet && answer.status < 500)
        throw Error(ErrorKind::failure,
                    fmt::format("{}: refused with {}: {}", asked, answer.status, answer.body.substr(0, 100)));
      last = fmt::format("it answers {}", answer.status);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::io && error.kind() != ErrorKind::timeout) throw;
      last = error.what();
    }
    std::this_thread::sleep_for(std::min(pause, left));
  }
}

}  // namespace batchscope::replica
