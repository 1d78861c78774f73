// SPDX-License-Identifier: Apache-2.0
#include "report/tensorboard.h"

#include <chrono>
#include <optional>

#include "batchscope/protocol/error.h"
#include "process/process.h"
#include "process/session.h"
#include "report/telemetry_client.h"

namespace batchscope::replica::tensorboard {
namespace {

constexpr std::int64_t kAllStepsUpTo = 10'000;

struct Output {
  std::optional<protocol::EventFile> file;
  bool failed = false;
};

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Output& output() { return session().part<Output>(); }

}  // namespace

bool wanted() {
  const protocol::Environment& environment = process().environment;
  return !output().failed && environment.replica_rank == 0 && !environment.tensorboard_dir.empty();
}

bool wants_row(std::int64_t step) {
  std::int64_t stride = 1;
  while (step > kAllStepsUpTo * stride) stride *= 10;
  return wanted() && step % stride == 0;
}

void write(std::int64_t step, const std::map<std::string, double>& scalars) try {
  if (!wanted()) return;
  std::optional<protocol::EventFile>& file = output().file;
  if (!file) file.emplace(process().environment.tensorboard_dir);
  file->add(step, now(), scalars);
} catch (const Error& error) {
  output().failed = true;
  notice("warning", std::string("nothing more is written for TensorBoard: ") + error.what());
}

void write_to(protocol::EventFile& file, std::int64_t step, std::string_view prefix,
              const std::map<std::string, double>& scalars) {
  std::string before(prefix);
  if (!before.empty() && !before.ends_with('/')) before += '/';
  std::map<std::string, double> tagged;
  for (const auto& [tag, value] : scalars) tagged.emplace(before + tag, value);
  file.add(step, now(), tagged);
}

}  // namespace batchscope::replica::tensorboard
