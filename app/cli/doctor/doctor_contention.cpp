// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/contention.h"
#include "doctor/doctor.h"
#include "text/format.h"

namespace batchscope::cli {
namespace {

using Level = Finding::Level;

std::string contentionText(const run::Contention& shown, const char* on) {
  std::string text = fmt::format(
      "on {}, a replica takes {:.0f} % longer for each other replica that computes", on, 100 * shown.share);
  text += shown.runs == 1 ? " (measured in 1 run)"
                          : fmt::format(" ({:.0f} to {:.0f} % in {} runs)", 100 * shown.least,
                                        100 * shown.most, shown.runs);
  return text + "; predictions of new runs begin with this value";
}

}  // namespace

std::vector<Finding> examineContention() {
  try {
    const auto models = storage::machine_models(protocol::catalogue_path());
    std::vector<Finding> findings;
    for (const bool gpus : {false, true})
      if (const auto shown = run::shown_contention(models, gpus))
        findings.push_back({Level::ok, "replicas", contentionText(*shown, gpus ? "GPUs" : "cores")});
    return findings;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace batchscope::cli
