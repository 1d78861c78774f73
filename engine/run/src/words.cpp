// SPDX-License-Identifier: Apache-2.0
#include "words.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include "batchscope/run/supervisor.h"

namespace batchscope::run {

std::string replica_count_text(int count) {
  return fmt::format("{} {}", count, count == 1 ? "replica" : "replicas");
}

std::string seconds_text(double seconds) {
  return seconds < 10 ? fmt::format("{:.2g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string bytes_text(std::int64_t bytes) {
  const double megabytes = static_cast<double>(bytes) / 1e6;
  if (megabytes >= 1000) return fmt::format("{:.1f} GB", megabytes / 1000);
  return megabytes < 10 ? fmt::format("{:.1f} MB", megabytes) : fmt::format("{:.0f} MB", megabytes);
}

std::string exit_text(int status) {
  return WIFSIGNALED(status) ? fmt::format("by signal {}", WTERMSIG(status))
                             : fmt::format("with exit code {}", WEXITSTATUS(status));
}

std::string silent_program_text(int replicas, bool is_python) {
  std::string text = std::string(kSilentProgram) + "; ";
  text += is_python ? "`import batchscope; batchscope.record(loss=loss.item())` in its loop records them"
                    : "a program on batchscope/train.h is recorded";
  if (replicas == 1) return text;
  return text +
         fmt::format(
             ". It ran {} times, and each copy did all of the work, unless the program divides the work "
             "itself, for example with torch.distributed (RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT are "
             "set); ",
             replicas) +
         (is_python ? "import batchscope.torch as adl, with adl.AdaptiveDataLoader and "
                      "adl.AdaptiveDataParallel, divides it"
                    : "AdaptiveDataLoader and AdaptiveDataParallel divide it");
}

}  // namespace batchscope::run
