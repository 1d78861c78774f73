// SPDX-License-Identifier: Apache-2.0
#include "supervision/earlier_bound.h"

#include <algorithm>
#include <filesystem>

#include "batchscope/run/node_devices.h"
#include "launch/program_file.h"

namespace batchscope::run {
namespace {

namespace fs = std::filesystem;

// Returns the script or module that an interpreter runs; empty for any other program.
fs::path script_of(const fs::path& program, const std::vector<std::string>& arguments,
                   const fs::path& folder) {
  if (!is_python(program) || program.extension() == ".py") return {};
  const auto script = std::find_if(arguments.begin(), arguments.end(),
                                   [](const std::string& word) { return !word.starts_with('-'); });
  return script == arguments.end() ? fs::path() : (folder / *script).lexically_normal();
}

// Whether all of them are GPUs, or all cores.
bool same_kind(const std::vector<std::string>& devices, const std::vector<std::string>& others) {
  if (devices.empty() || others.empty()) return false;
  const bool gpus = is_gpu(devices.front());
  const auto alike = [gpus](const std::string& device) { return is_gpu(device) == gpus; };
  return std::all_of(devices.begin(), devices.end(), alike) &&
         std::all_of(others.begin(), others.end(), alike);
}

}  // namespace

std::optional<EarlierBound> earlier_bound(std::span<const storage::MemoryBound> earlier,
                                          const protocol::RunSpec& spec,
                                          const std::vector<std::string>& devices) {
  const fs::path script = script_of(spec.program, spec.arguments, spec.working_directory);
  std::int64_t fitted_since = 0;
  for (const storage::MemoryBound& run : earlier) {
    if (script_of(spec.program, run.arguments, run.working_directory) != script ||
        !same_kind(devices, run.devices))
      continue;
    if (run.ran_out && run.bound > 0)
      return fitted_since > run.bound ? std::nullopt : std::optional(EarlierBound{run.run, run.bound});
    fitted_since = std::max(fitted_since, run.fitted);
  }
  return std::nullopt;
}

}  // namespace batchscope::run
