// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/heard.h"

#include <fmt/chrono.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include "batchscope/protocol/paths.h"

namespace batchscope::common {
namespace {

constexpr double kSilence = 60, kDay = 86'400;  // s

std::filesystem::path heardFile(const std::string& run) { return protocol::run_paths(run).root / "heard"; }

}  // namespace

void noteHeard(const std::string& run) { std::ofstream(heardFile(run)); }

std::optional<double> lastHeard(const storage::Run& run, bool isFollowed, double now) {
  if (!isFollowed || !(is_active(run.state) || run.state == protocol::RunState::pending)) return std::nullopt;
  struct stat file {};
  if (::stat(heardFile(run.id).c_str(), &file) != 0) return std::nullopt;
  const auto heard = static_cast<double>(file.st_mtim.tv_sec);
  return now - heard < kSilence ? std::nullopt : std::optional(heard);
}

std::string lastHeardText(double heard, double now) {
  const std::tm time = fmt::localtime(static_cast<std::time_t>(heard));
  return "last heard " +
         (now - heard < kDay ? fmt::format("{:%H:%M}", time) : fmt::format("{:%Y-%m-%d %H:%M}", time));
}

}  // namespace batchscope::common
