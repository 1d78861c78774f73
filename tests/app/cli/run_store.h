// SPDX-License-Identifier: Apache-2.0
//
// Runs with a history and series, put into a sandbox's store as a supervisor would.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "batchscope/protocol/run_state.h"
#include "batchscope/storage.h"
#include "sandbox.h"

namespace batchscope::cli {

struct RunMaker {
  std::string name = "digits";
  protocol::RunState state = protocol::RunState::finished;
  double accuracy = 0.97;
  std::vector<std::string> tags = {};
  std::string group = {};
  std::map<std::string, std::string> hyperparameters = {};
  int steps = 0;  // of the series "loss", halved between two generations

  std::string operator()(const Sandbox& sandbox) const {
    storage::Catalogue catalogue(sandbox.database().toStdString());
    protocol::RunSpec spec;
    spec.name = name;
    spec.program = "/bin/true";
    spec.group = group;
    const std::string id = catalogue.create_run(spec);
    const int half = steps / 2;
    for (int number = 0; number < 2; ++number) {
      storage::Generation generation;
      generation.number = number;
      generation.replicas = number + 1;
      generation.reason = number == 0 ? "start" : "rescale";
      generation.started = storage::now();
      generation.first_step = number == 0 ? 1 : half + 1;
      generation.last_step = number == 0 ? half : steps;
      generation.pause = number == 0 ? -1 : 0.085;
      catalogue.put_generation(id, generation);
    }
    catalogue.set_tags(id, tags);
    catalogue.put_hyperparameters(id, hyperparameters);
    catalogue.set_progress(id, steps, 4, 4, 1, {{"accuracy", accuracy}, {"loss", 0.12}});
    catalogue.set_state(id, state);
    if (steps > 0) {
      storage::SampleWriter writer(
          sandbox.path("runs/" + QString::fromStdString(id) + "/samples.db").toStdString());
      for (int step = 1; step <= steps; ++step) writer.append(step <= half ? 0 : 1, "loss", step, loss(step));
      writer.append(1, "strange", 1, NAN);
      writer.append(1, "strange", 2, -INFINITY);
      writer.append(1, "strange", 4, 0.1);
    }
    return id;
  }

  static double loss(int step) { return 2.0 / std::sqrt(step); }
};

}  // namespace batchscope::cli
