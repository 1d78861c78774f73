// SPDX-License-Identifier: Apache-2.0
#include "scale_command.h"

#include <QProcess>
#include <cstdio>

#include "person_command.h"

namespace batchscope::pool {
namespace {

constexpr double kScaleInterval = 60;  // s

}  // namespace

void ScaleCommand::want(const std::string& command, int present, int wanted, double now) {
  if (command.empty() || wanted == said_ || (said_ < 0 && wanted == present) || now - last_ < kScaleInterval)
    return;
  said_ = wanted;
  last_ = now;
  if (!QProcess::startDetached(kShell, shell_arguments(command, {std::to_string(wanted)})))
    std::fprintf(stderr, "the scale command could not be started: %s\n", command.c_str());
}

}  // namespace batchscope::pool
