// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/run/contention.h"
#include "doctor/doctor.h"
#include "text/format.h"
#include "text/say.h"

namespace batchscope::cli {
namespace {

using Level = Finding::Level;

std::string contentionText(const run::Contention& shown, const std::string& on) {
  return say(
      "on {}, a replica takes {:.0f} % longer for each other replica that computes ({}); predictions of "
      "programs that are new here begin with it",
      on, 100 * shown.share,
      shown.runs == 1
          ? say("measured in 1 run")
          : say("{:.0f} to {:.0f} % in {} runs", 100 * shown.least, 100 * shown.most, shown.runs));
}

}  // namespace

std::vector<Finding> examineContention() {
  try {
    const auto models = storage::machine_models(protocol::catalogue_path());
    std::vector<Finding> findings;
    for (const bool gpus : {false, true}) {
      const std::string on = gpus ? say("GPUs") : say("cores");
      if (const auto shown = run::shown_contention(models, gpus))
        findings.push_back({Level::ok, word("replicas"), contentionText(*shown, on)});
      if (const auto seconds = run::shown_sync_time(models, gpus, {}))
        findings.push_back({Level::ok, word("replicas"),
                            say("on {}, two replicas take at least {:.1f} ms longer for a step, to exchange "
                                "gradients; predictions of programs that are new here begin with it",
                                on, 1000 * *seconds)});
    }
    return findings;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace batchscope::cli
