// SPDX-License-Identifier: Apache-2.0
#include "supervisors.h"

#include <chrono>
#include <utility>

#include "batchscope/protocol/time_outs.h"

namespace batchscope::pool {

namespace {

constexpr double kAnswerTimeOut = 5;  // s, with an answer
constexpr double kAccepted = 2;       // s: what was accepted is to be seen by then

}  // namespace

void Supervisors::follow(const std::set<std::string>& runs) {
  std::erase_if(lines_, [&](const auto& entry) {
    return !runs.contains(entry.first) && entry.second.asked <= 0 && entry.second.busy_until < clock_();
  });
  for (const std::string& run : runs)
    if (Line& one = lines_[run]; !one.client) connect(run, one);
}

void Supervisors::connect(const std::string& run, Line& line) {
  line.client = std::make_unique<run::ControlClient>(run);
  const auto news = [this] {
    if (on_news) on_news();
  };
  QObject::connect(line.client.get(), &run::ControlClient::statusChanged, line.client.get(),
                   [&line, news](const protocol::RunStatus& status) {
                     const bool moved = !line.status || line.status->state != status.state ||
                                        line.status->devices != status.devices ||
                                        line.status->replicas != status.replicas;
                     line.status = status;
                     line.starting = false;
                     if (!moved) return;
                     if (line.asked <= 0) line.busy_until = 0;
                     news();
                   });
  QObject::connect(line.client.get(), &run::ControlClient::connectedChanged, line.client.get(),
                   [&line, news](bool connected) {
                     if (!connected) line.status.reset();
                     news();
                   });
}

Contact Supervisors::contact(const std::string& run) const {
  const auto found = lines_.find(run);
  if (found == lines_.end()) return {};
  const Line& line = found->second;
  const double now = clock_();
  if (line.asked > 0 && now - line.asked > kAnswerTimeOut) return {};  // it hangs
  return {line.status, line.asked > 0 || line.busy_until > now};
}

void Supervisors::send(const std::string& run, protocol::Request request,
                       std::function<void(const std::string& why)> refused) {
  Line& one = lines_[run];
  if (!one.client) connect(run, one);
  one.asked = clock_();
  one.client->send(std::move(request), [this, run, refused](const protocol::Json*, const Error* error) {
    const auto found = lines_.find(run);
    if (found == lines_.end()) return;
    found->second.asked = 0;
    found->second.busy_until = error ? 0 : clock_() + kAccepted;
    if (error) refused(error->what());
    if (on_news) on_news();
  });
}

void Supervisors::expect(const std::string& run) {
  Line& one = lines_[run];
  one.starting = true;
  one.busy_until = clock_() + std::chrono::duration<double>(protocol::time_out::kSupervisorStart).count();
}

bool Supervisors::expected(const std::string& run) const {
  const auto found = lines_.find(run);
  return found != lines_.end() && found->second.starting && found->second.busy_until > clock_();
}

void Supervisors::give_up(const std::string& run) {
  const auto found = lines_.find(run);
  if (found != lines_.end()) found->second.busy_until = 0;
}

}  // namespace batchscope::pool
