// SPDX-License-Identifier: Apache-2.0
#include "adaptdl/adaptdl_service.h"

#include <QTimer>
#include <charconv>
#include <chrono>
#include <utility>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/random_text.h"

namespace batchscope::run {
namespace {

constexpr int kDefaultTimeout = 30, kMostTimeout = 300;  // s, of a long poll

constexpr std::size_t kJobTokenDigits = 32;

int whole_number(const std::string& text, int most, const char* what) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > most)
    throw http::Fault{400, std::string(what) + " must be a whole number from 0 to " + std::to_string(most)};
  return number;
}

http::Fault nothing() { return {404, "there is nothing at this address"}; }

int status_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::usage: return 400;
    case ErrorKind::conflict: return 409;
    default: return 500;
  }
}

}  // namespace

AdaptdlService::AdaptdlService(const std::string& job)
    : job_(job), token_(protocol::random_text(kJobTokenDigits)) {
  server_.on_head = [this](const http::Request& head) {
    if (head.path.size() < 2 || head.path[0] != token_) throw nothing();
  };
  server_.on_request = [this](const http::Request& request, const http::Reply& reply) {
    try {
      answer(request, reply);
    } catch (const Error& error) {
      reply(http::error_response(status_of(error), error.what()));
    }
  };
}

std::string AdaptdlService::url() const {
  return "http://127.0.0.1:" + std::to_string(server_.port()) + "/" + token_;
}

void AdaptdlService::stands(int group, const std::vector<std::string>& addresses) {
  group_ = group;
  addresses_ = protocol::Json(addresses).dump();
  std::erase_if(waiting_, [&](const auto& entry) {
    if (entry.second.group != group_) return false;
    entry.second.reply({200, addresses_});
    return true;
  });
}

void AdaptdlService::answer(const http::Request& request, const http::Reply& reply) {
  const Path path(request.path.begin() + 1, request.path.end());  // behind the token
  const std::string endpoint = path[0];
  const std::size_t behind_job = endpoint == "discover" ? 1 : 0;
  if (endpoint == "healthz" ? path.size() != 1 : endpoint != "discover" && endpoint != "hints")
    throw nothing();
  if (endpoint != "healthz") {
    const std::size_t parts = path.size() - 1 - behind_job;  // of the job's name
    if (path.size() < 2 + behind_job || parts > 2) throw nothing();
    if (path[parts] != job_) throw http::Fault{404, "this is the supervisor of job " + job_};
  }
  if (request.method != (endpoint == "hints" ? "PUT" : "GET"))
    throw http::Fault{405, endpoint == "hints" ? "use PUT to send hints" : "use GET for " + endpoint};
  if (endpoint == "healthz")
    reply({200});
  else if (endpoint == "discover")
    discover(path, request, reply);
  else
    take_hints(request, reply);
}

void AdaptdlService::discover(const Path& path, const http::Request& request, const http::Reply& reply) {
  const int group = whole_number(path.back(), 1 << 30, "a group");
  const auto asked_timeout = request.value("timeout");
  const int timeout =
      asked_timeout ? whole_number(*asked_timeout, kMostTimeout, "a time-out in seconds") : kDefaultTimeout;
  if (group == group_) return reply({200, addresses_});
  const int ticket = next_waiting_++;
  waiting_.insert({ticket, {group, reply}});
  QTimer::singleShot(std::chrono::seconds(timeout), &timers_, [this, ticket] {
    if (const auto found = waiting_.extract(ticket))
      found.mapped().reply(http::error_response(408, "this generation is not running yet; ask again"));
  });
}

void AdaptdlService::take_hints(const http::Request& request, const http::Reply& reply) {
  on_hints(protocol::parse_object(request.body));
  reply({200});
}

}  // namespace batchscope::run
