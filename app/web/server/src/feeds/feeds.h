// SPDX-License-Identifier: Apache-2.0
//
// All streams: those of runs, each run followed once for all its pages, and those of the lists.
#pragma once

#include <QTimer>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "batchscope/http/request.h"
#include "batchscope/http/server.h"
#include "feeds/event_page.h"
#include "feeds/live_runs.h"
#include "feeds/run_feed.h"
#include "store/worker.h"

namespace batchscope::web {

class Feeds {
 public:
  explicit Feeds(LiveRuns& live);

  // A stream of what these runs say from now on, or from where the page was. Answers with the failure, or
  // throws it, where one of them is none.
  // The stream ends when `allowed` no longer holds, within a second.
  void open(const std::vector<std::string>& runs, const http::Request& request, const http::Reply& reply,
            EventPage::Allowed allowed);
  // A stream of what changes in the lists, which ends likewise.
  void open_lists(const http::Reply& reply, EventPage::Allowed allowed);

 private:
  using Page = std::shared_ptr<EventPage>;

  std::shared_ptr<RunFeed> feed(const std::string& run);
  void begin(const Page& page, const http::Reply& reply);
  void leave(const std::weak_ptr<EventPage>& page);
  void end_revoked();
  void look_at_lists(std::function<void()> then);

  LiveRuns& live_;
  QTimer beat_, list_timer_;
  std::map<std::string, std::shared_ptr<RunFeed>> feeds_;  // by run
  std::vector<Page> pages_;                                // whose stream has begun
  std::shared_ptr<ListWatch> lists_;
  bool looking_ = false;
  Worker worker_;  // the last member, so that the others outlive its thread
};

}  // namespace batchscope::web
