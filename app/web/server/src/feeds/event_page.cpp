// SPDX-License-Identifier: Apache-2.0
#include "feeds/event_page.h"

#include <algorithm>
#include <utility>

namespace batchscope::web {

EventPage::EventPage(std::vector<std::string> runs, std::string_view after, Allowed allowed)
    : runs_(std::move(runs)), allowed_(std::move(allowed)) {
  if (runs_.size() == 1) {
    cursors_[runs_.front()] = after;
    return;
  }
  // "RUN:CURSOR,RUN:CURSOR"
  while (!after.empty()) {
    const std::string_view item = after.substr(0, after.find(','));
    const std::size_t colon = item.find(':');
    if (colon != std::string_view::npos)
      cursors_[std::string(item.substr(0, colon))] = item.substr(colon + 1);
    after.remove_prefix(std::min(item.size() + 1, after.size()));
  }
}

std::string EventPage::id() const {
  if (runs_.size() == 1) return cursors_.at(runs_.front());
  std::string text;
  for (const std::string& run : runs_)
    if (const auto found = cursors_.find(run); found != cursors_.end())
      text += (text.empty() ? "" : ",") + run + ':' + found->second;
  return text;
}

void EventPage::begin(const http::Stream& stream) {
  stream_ = stream;
  stream_->send("retry: 1000\n\n");  // ms, until the browser tries again
}

void EventPage::close() {
  if (stream_) stream_->close();
}

void EventPage::tell(const char* event, const std::string& data) {
  if (stream_) stream_->send(std::string("event: ") + event + "\ndata: " + data + "\n\n");
}

void EventPage::tell(const char* event, const std::string& data, const std::string& run,
                     const std::string& cursor) {
  cursors_[run] = cursor;
  if (stream_) stream_->send(std::string("event: ") + event + "\nid: " + id() + "\ndata: " + data + "\n\n");
}

void EventPage::beat() { tell("beat", "{}"); }

}  // namespace batchscope::web
