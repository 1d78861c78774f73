// SPDX-License-Identifier: Apache-2.0
#include "feeds/run_feed.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "answer.h"

namespace batchscope::web {
namespace {

using namespace std::chrono_literals;
using protocol::Json;

constexpr auto kInterval = 250ms;

std::string line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

RunFeed::RunFeed(const std::string& run, std::shared_ptr<LiveRun> live, Worker& worker)
    : run_(run), live_(std::move(live)), worker_(worker), reading_(std::make_shared<Reading>(run)) {
  live_->on_status = [this] { hear_status(); };
  QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] { poll(); });
  timer_.start(kInterval);
}

RunFeed::~RunFeed() { live_->on_status = nullptr; }

RunFeed::News RunFeed::look(Store& store, Reading& reading) {
  if (!std::exchange(reading.begun, true)) reading.tail.begin(store);
  News news;
  news.changed = reading.watch.look(store);
  news.samples = reading.tail.read(store);
  news.cursor = reading.tail.cursor();
  return news;
}

void RunFeed::join(const Page& page, std::function<bool(const http::Response*)> begin) {
  ++joining_;
  worker_.post([run = run_, reading = reading_, feed = weak_from_this(), page, cursor = page->cursor(run_),
                begin = std::move(begin)](Store& store) -> Worker::Rest {
    News news;
    SampleNews missed;
    std::optional<http::Response> failure = answer_of([&] {
      store.run(run);  // there is one
      news = look(store, *reading);
      if (!cursor.empty()) missed = reading->tail.since(store, cursor);
      return http::Response();
    });
    if (failure->status == 200) failure.reset();
    return [feed, page, begin, news, missed, failure, was_there = !cursor.empty()] {
      const auto self = feed.lock();
      if (!self) return;
      --self->joining_;
      if (!failure) self->tell(news);
      if (!begin(failure ? &*failure : nullptr) || failure) return;
      self->pages_.push_back(page);
      page->tell("status", self->status_data(*page), self->run_, news.cursor);
      if (missed.lost || !missed.samples.empty()) self->tell_samples(*page, missed, news.cursor);
      if (was_there)  // and may have missed anything else
        page->tell("changed", self->changed_data({"run", "generations", "epochs", "checkpoints", "events"}));
    };
  });
}

void RunFeed::leave(const Page& page) { std::erase(pages_, page); }

void RunFeed::poll() {
  if (status_is_new_) tell_status();
  if (pages_.empty() || std::exchange(polling_, true)) return;
  worker_.post([reading = reading_, feed = weak_from_this()](Store& store) -> Worker::Rest {
    News news;
    // A read that fails now is tried again; a page that asks for it is told why.
    answer_of([&] {
      news = look(store, *reading);
      return http::Response();
    });
    return [feed, news] {
      const auto self = feed.lock();
      if (!self) return;
      self->polling_ = false;
      self->tell(news);
    };
  });
}

void RunFeed::tell(const News& news) {
  if (!news.samples.samples.empty() || news.samples.lost)
    for (const Page& page : pages_) tell_samples(*page, news.samples, news.cursor);
  if (!news.changed.empty())
    for (const Page& page : pages_) page->tell("changed", changed_data(news.changed));
}

void RunFeed::tell_samples(EventPage& page, const SampleNews& samples, const std::string& cursor) const {
  if (samples.lost) return page.tell("changed", changed_data({"samples"}), run_, cursor);
  page.tell("samples", samples.samples, run_, cursor);
}

// Another state is told at once, and how far it is when samples are looked at.
void RunFeed::hear_status() {
  status_is_new_ = true;
  const Json& status = live_->status();
  if (status.is_null() || status.value("state", Json()) != state_) tell_status();
}

void RunFeed::tell_status() {
  status_is_new_ = false;
  state_ = live_->status().is_null() ? Json() : live_->status().value("state", Json());
  for (const Page& page : pages_) page->tell("status", status_data(*page));
}

std::string RunFeed::status_data(const EventPage& page) const {
  if (live_->status().is_null() && page.is_of_several()) return line({{"run", run_}, {"gone", true}});
  return line(live_->status());
}

std::string RunFeed::changed_data(const std::vector<std::string>& what) const {
  return line({{"run", run_}, {"what", what}});
}

}  // namespace batchscope::web
