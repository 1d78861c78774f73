// SPDX-License-Identifier: Apache-2.0
#include "records/heard.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "batchscope/protocol/paths.h"
#include "text/format.h"

namespace batchscope::cli {
namespace {

constexpr double kSilence = 60, kDay = 86'400;  // s

std::filesystem::path heardFile(const std::string& run) { return protocol::run_paths(run).root / "heard"; }

}  // namespace

void noteHeard(const std::string& run) { std::ofstream(heardFile(run)); }

std::string heardState(const storage::Run& run, bool isFollowed, double now) {
  const std::string state = protocol::run_state_name(run.state);
  if (!isFollowed || !(is_active(run.state) || run.state == protocol::RunState::pending)) return state;
  struct stat file {};
  if (::stat(heardFile(run.id).c_str(), &file) != 0) return state;
  const auto heard = static_cast<double>(file.st_mtim.tv_sec);
  if (now - heard < kSilence) return state;
  const std::string time = formatTime(heard);  // "2024-05-03 14:07:33"
  return "last heard " + (now - heard < kDay ? time.substr(11, 5) : time.substr(0, 16));
}

}  // namespace batchscope::cli
