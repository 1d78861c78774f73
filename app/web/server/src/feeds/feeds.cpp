// SPDX-License-Identifier: Apache-2.0
#include "feeds/feeds.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "answer.h"
#include "batchscope/protocol/paths.h"

namespace batchscope::web {
namespace {

using namespace std::chrono_literals;
using protocol::Json;

bool is_of_lists(const std::shared_ptr<EventPage>& page) { return page->runs().empty(); }

constexpr auto kBeat = 4s;  // the page's patience is over twice as long (base/stream.ts)
constexpr auto kListInterval = 1s;

http::Response stream_head() {
  http::Response head{200, "", "text/event-stream"};
  head.fields = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
  return head;
}

}  // namespace

Feeds::Feeds(LiveRuns& live) : live_(live), lists_(std::make_shared<ListWatch>()) {
  QObject::connect(&beat_, &QTimer::timeout, &beat_, [this] {
    for (const Page& page : pages_) page->beat();
  });
  beat_.start(kBeat);
  QObject::connect(&list_timer_, &QTimer::timeout, &list_timer_, [this] {
    end_revoked();
    if (std::any_of(pages_.begin(), pages_.end(), is_of_lists) && !std::exchange(looking_, true))
      look_at_lists([] {});
  });
  list_timer_.start(kListInterval);
}

std::shared_ptr<RunFeed> Feeds::feed(const std::string& run) {
  auto& feed = feeds_[run];
  if (!feed) feed = std::make_shared<RunFeed>(run, live_.of(run), worker_);
  return feed;
}

void Feeds::open(const std::vector<std::string>& runs, const http::Request& request, const http::Reply& reply,
                 EventPage::Allowed allowed) {
  for (const std::string& run : runs)
    if (!protocol::valid_run_id(run)) throw Error(ErrorKind::not_found, "there is no run " + run);
  std::string after(request.field("last-event-id"));
  if (after.empty()) after = request.value("after").value_or("");
  const auto page = std::make_shared<EventPage>(runs, after, std::move(allowed));
  for (const std::string& run : runs)
    feed(run)->join(page, [this, page, reply](const http::Response* failure) {
      if (failure && page->has_begun()) return false;  // it is told of the others
      if (!failure && !page->has_begun()) begin(page, reply);
      if (!failure && page->open()) return true;
      if (failure) reply(*failure);
      leave(page);
      return false;
    });
}

// Once it stands, every later change is told: so what was before is looked at first.
void Feeds::open_lists(const http::Reply& reply, EventPage::Allowed allowed) {
  look_at_lists([this, reply, allowed = std::move(allowed)] {
    begin(std::make_shared<EventPage>(std::vector<std::string>(), "", allowed), reply);
  });
}

void Feeds::begin(const Page& page, const http::Reply& reply) {
  page->begin(reply.stream(stream_head(), [this, weak = std::weak_ptr<EventPage>(page)] { leave(weak); }));
  if (page->open()) pages_.push_back(page);
}

void Feeds::leave(const std::weak_ptr<EventPage>& left) {
  const Page page = left.lock();
  if (!page) return;
  std::erase(pages_, page);
  for (const std::string& run : page->runs())
    if (const auto found = feeds_.find(run); found != feeds_.end()) {
      found->second->leave(page);
      if (found->second->empty()) feeds_.erase(found);
    }
}

void Feeds::end_revoked() {
  std::vector<Page> revoked;
  std::copy_if(pages_.begin(), pages_.end(), std::back_inserter(revoked),
               [](const Page& page) { return !page->allowed(); });
  for (const Page& page : revoked) {
    page->close();
    leave(page);
  }
}

void Feeds::look_at_lists(std::function<void()> then) {
  worker_.post([this, lists = lists_, then = std::move(then)](Store& store) -> Worker::Rest {
    std::vector<std::string> changed;
    answer_of([&] {
      changed = lists->look(store);
      return http::Response();
    });
    return [this, changed, then] {
      looking_ = false;
      const std::string data = Json{{"what", changed}}.dump();
      for (const Page& page : pages_)
        if (!changed.empty() && is_of_lists(page)) page->tell("changed", data);
      then();
    };
  });
}

}  // namespace batchscope::web
