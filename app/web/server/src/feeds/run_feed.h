// SPDX-License-Identifier: Apache-2.0
//
// One run, reported to all pages that look at it: by one connection to its supervisor and one reader of its
// store, which is read four times a second however many pages there are. A page with a cursor first gets what
// it has missed, in the same order on the same thread, so that nothing is left out and nothing comes twice.
#pragma once

#include <QTimer>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "batchscope/http/server.h"
#include "feeds/event_page.h"
#include "feeds/live_runs.h"
#include "feeds/record_watch.h"
#include "samples/sample_tail.h"
#include "store/worker.h"

namespace batchscope::web {

class RunFeed : public std::enable_shared_from_this<RunFeed> {
 public:
  // Neither may go before it. `worker` is that of all feeds.
  RunFeed(const std::string& run, std::shared_ptr<LiveRun> live, Worker& worker);
  ~RunFeed();

  using Page = std::shared_ptr<EventPage>;
  // `begin` begins the page's stream, or answers with the failure where there is one; false: the client has
  // gone.
  void join(const Page& page, std::function<bool(const http::Response* failure)> begin);
  void leave(const Page& page);
  bool empty() const { return pages_.empty() && joining_ == 0; }

 private:
  // State that the thread reads with.
  struct Reading {
    explicit Reading(const std::string& run) : tail(run), watch(run) {}
    SampleTail tail;
    RunWatch watch;
    bool begun = false;
  };
  struct News {
    SampleNews samples;
    std::vector<std::string> changed;
    std::string cursor;
  };
  static News look(Store& store, Reading& reading);

  void poll();
  void tell(const News& news);
  void tell_samples(EventPage& page, const SampleNews& samples, const std::string& cursor) const;
  void hear_status();
  void tell_status();
  std::string status_data(const EventPage& page) const;
  std::string changed_data(const std::vector<std::string>& what) const;

  const std::string run_;
  const std::shared_ptr<LiveRun> live_;
  Worker& worker_;
  const std::shared_ptr<Reading> reading_;
  QTimer timer_;
  bool polling_ = false;
  bool status_is_new_ = false;  // and not told
  protocol::Json state_;        // of the last status that was told
  int joining_ = 0;
  std::vector<Page> pages_;
};

}  // namespace batchscope::web
