// SPDX-License-Identifier: Apache-2.0
//
// The API's addresses (API.md), each with the code that answers it: mostly a query of the store on another
// thread, completed here with the supervisors' statuses.
#pragma once

#include <functional>
#include <string>

#include "access/access.h"
#include "batchscope/http/server.h"
#include "feeds/feeds.h"
#include "feeds/live_runs.h"
#include "files/downloads.h"
#include "store/worker.h"
#include "verbs/controls.h"

namespace batchscope::web {

class Api {
 public:
  Api(const Access& access, const std::filesystem::path& program)
      : access_(access), controls_(program), downloads_(program.string()) {}

  // Answers a request whose path begins with "api". Throws http::Fault, Error.
  void answer(const http::Request& request, const Caller& caller, const http::Reply& reply);

 private:
  using Path = std::vector<std::string>;

  void answer_run(const Path& path, const http::Request& request, const Caller& caller,
                  const http::Reply& reply);
  void answer_files(const Path& path, const http::Request& request, const Caller& caller,
                    const http::Reply& reply);
  void stream(std::vector<std::string> runs, const http::Request& request, const Caller& caller,
              const http::Reply& reply);
  // Whether the caller's token still counts, whenever that is asked.
  EventPage::Allowed allowed(const Caller& caller) const;
  http::Response about(const Caller& caller) const;
  void list(const http::Request& request, const http::Reply& reply);
  void details(const std::string& id, const http::Reply& reply);

  // Answers with what `question` makes of the store.
  void ask(const http::Reply& reply, std::function<protocol::Json(Store&)> question);
  void ask_for_file(const http::Reply& reply, std::function<http::Response(Store&)> question);

  const Access& access_;
  LiveRuns live_;
  Feeds feeds_{live_};
  Controls controls_;
  Downloads downloads_;
  Worker reads_;  // the last member, so that the others outlive its thread
};

}  // namespace batchscope::web
