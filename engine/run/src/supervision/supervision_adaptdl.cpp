// SPDX-License-Identifier: Apache-2.0
//
// A program that knows AdaptDL's protocol and not our telemetry: what it is served, and what its hints say.
// Its steps are nobody's to count; the whole seconds of run time take their place in its series.
#include <memory>

#include "batchscope/protocol/environment.h"
#include "batchscope/protocol/error.h"
#include "batchscope/protocol/sched_hints.h"
#include "batchscope/protocol/series.h"
#include "launch/program_file.h"
#include "model/hinted_series.h"
#include "supervision/supervision.h"
#include "words.h"

namespace batchscope::run {

using namespace protocol;

void Supervision::serve_adaptdl() {
  const auto environment = program_order(run_.spec, {}).environment;
  const auto asked = environment.find(variable::kHttp);
  const std::string answer = asked == environment.end() ? "" : asked->second;
  if (answer == "off" || (answer != "on" && knows_fork_server(run_.spec.program))) return;
  adaptdl_ = std::make_unique<AdaptdlService>(run_.id);
  adaptdl_->on_hints = [this](const Json& hints) { on_hints(hints); };
}

void Supervision::on_hints(const Json& hints) {
  Model model = model_from_sched_hints(hints);
  const std::int64_t batch_size = hinted_batch_size(hints);
  if (!generation_) throw Error(ErrorKind::conflict, "no generation of this run is running");
  if (speaks_) return;  // its telemetry says more
  const double mono = monotonic_seconds();
  model.step = static_cast<std::int64_t>(elapsed());
  on_message(0, model);
  for (const auto& [name, value] : hinted_series(model, batch_size, generation_->replicas()))
    on_message(0, Scalar{name, model.step, value, mono});
  recorder_.take(Scalar{series::kTime, model.step, recorder_.wall(mono), mono});
  if (!quiet_timer_.isActive()) return;
  tell("info", "training on " + on_replicas(record_.replicas) + ", as its first hints say");
  taken_to_run();
}

// How long the restart of a program that tells no steps took is not known; at most as long as it is here.
void Supervision::taken_to_run() {
  quiet_timer_.stop();
  under_way_ = true;
  known_pause_ = monotonic_seconds() - launched_;
  clock_.cancel();
  machine_.first_step();
  keep_devices();
  settle();
}

}  // namespace batchscope::run
