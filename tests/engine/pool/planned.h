// SPDX-License-Identifier: Apache-2.0
//
// Runs that a plan is made for, and the machine that they share.
#pragma once

#include <string>
#include <vector>

#include "world.h"

namespace batchscope::testing {

// Returns a run that may have one device to `most`, and has these.
inline pool::Member member(const std::string& id, int most = 2, const std::vector<std::string>& held = {}) {
  pool::Member member;
  member.run.id = member.run.name = id;
  member.run.spec.device = "cpu";
  member.run.spec.auto_replicas = protocol::AutoReplicas{1, most};
  member.run.replicas = static_cast<int>(held.size());
  member.job.emplace();
  member.job->run = id;
  member.job->reason = "as it was";
  member.held = member.reserved = held;
  member.standing = pool::Standing::free;
  member.max_profiled = 8;
  member.pause = 0.1;
  member.waiting_since = 1000;
  return member;
}

inline pool::Member fixed(const std::string& id, const std::vector<std::string>& held) {
  pool::Member one = member(id, 2, held);
  one.job.reset();
  one.standing = pool::Standing::fixed;
  one.note = "was started on devices of its own";
  return one;
}

// One that has so many seconds to go on one device, which more would not shorten.
inline pool::Member ends_in(double seconds, const std::string& id,
                            const std::vector<std::string>& held = {}) {
  pool::Member known = member(id, 1, held);
  protocol::Model model;
  // A step of one second, whatever is in it.
  model.perf = protocol::PerfParams{1, 0, 0, 0, 0, 0, 1};
  model.grad_sqr = model.grad_var = 1;
  model.init_batch_size = model.max_batch_size = 10;
  model.min_local_batch_size = model.max_local_batch_size = 10;
  known.model = model;
  known.run.fraction = 100 / (100 + seconds);
  known.run.latest["progress"] = 100;
  return known;
}

inline pool::World world(const std::vector<pool::Member>& members, int cores = 2) {
  pool::World world;
  world.now = 1000;
  for (int core = 0; core < cores; ++core) world.machine.cores.push_back("cpu:" + std::to_string(core));
  world.members = members;
  return world;
}

}  // namespace batchscope::testing
