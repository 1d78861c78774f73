// SPDX-License-Identifier: Apache-2.0
//
// Runs that need nodes, and what a command for nodes wrote down.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "world.h"

namespace batchscope::testing {

// Returns a run of the queue that asks for so many replicas, and has these devices.
inline pool::Member asks_for(int replicas, const std::vector<std::string>& held = {}) {
  pool::Member member;
  member.run.spec.device = "cpu";
  member.run.spec.replicas = replicas;
  member.job.emplace();
  member.held = member.reserved = held;
  member.standing = pool::Standing::free;
  return member;
}

// A pool that gives away none of its own machine's devices.
inline pool::World on_nodes(const std::vector<pool::Member>& members,
                            const std::vector<std::string>& cores = {}) {
  pool::World world;
  world.settings.here = false;
  world.settings.nodes_from = "true";
  world.machine.cores = cores;
  world.members = members;
  return world;
}

inline std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace batchscope::testing
