// SPDX-License-Identifier: Apache-2.0
//
// The side of AdaptDL's supervisor that a training program sees (sched/adaptdl_sched/supervisor.py), for
// programs that know AdaptDL's protocol and not ours:
//
//     GET  URL/healthz                              200
//     GET  URL/discover/JOB/GROUP[?timeout=30]      ["127.1.0.1", ...]: the replicas' addresses by rank, once
//                                                   generation GROUP runs; 408 where it does not in that time
//     PUT  URL/hints/JOB                            sched hints (protocol/sched_hints.h)
//
// JOB may come with a namespace before it, NAMESPACE/JOB, as AdaptDL's job ids have one. URL ends in a token
// that nobody can guess, as any user of the machine can connect to a port of loopback; whatever does not
// begin with it is answered by 404.
#pragma once

#include <QObject>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "batchscope/http/server.h"
#include "batchscope/protocol/json.h"

namespace batchscope::run {

class AdaptdlService {
 public:
  // Listens from now on. Throws Error(io).
  explicit AdaptdlService(const std::string& job);

  // Throws Error for hints that are refused; its message is the answer.
  std::function<void(const protocol::Json& hints)> on_hints;

  // Returns the value of ADAPTDL_SUPERVISOR_URL.
  std::string url() const;

  // This generation runs, with these addresses by rank.
  void stands(int group, const std::vector<std::string>& addresses);

 private:
  using Path = std::vector<std::string>;
  void answer(const http::Request& request, const http::Reply& reply);
  void discover(const Path& path, const http::Request& request, const http::Reply& reply);
  void take_hints(const http::Request& request, const http::Reply& reply);

  struct Waiting {
    int group;
    http::Reply reply;
  };

  const std::string job_, token_;
  int group_ = -1;
  std::string addresses_;  // JSON
  std::map<int, Waiting> waiting_;
  int next_waiting_ = 0;
  QObject timers_;  // the context of those who wait
  http::Server server_;
};

}  // namespace batchscope::run
