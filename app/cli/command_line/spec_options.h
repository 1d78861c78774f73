// SPDX-License-Identifier: Apache-2.0
//
// The flags for a new run, which `run` and `submit` share.
#pragma once

#include "batchscope/protocol/replicas.h"
#include "command_line/command_builder.h"

namespace batchscope::cli {

// Accepts a number of replicas: "3", "1-4", "auto".
CLI::Validator replicaText();
// Accepts a time: "90s", "10m".
CLI::Validator timeText();
// Accepts a scripted event: "epoch=1:replicas=2".
CLI::Validator eventText();
// Accepts the name of one device, such as "cpu:0" (protocol/devices.h).
CLI::Validator deviceName();
// Accepts the kinds of device that a run may ask for: auto, cpu, cuda, cuda:N.
CLI::Validator deviceKind();

// Adds the flags. `device` and `replicas` are the descriptions of --device and --replicas, which differ
// between the commands.
template <class Options>
void addSpecOptions(CommandSet& set, CommandBuilder<Options>& command, const std::string& device,
                    const std::string& replicas) {
  set.passProgramArguments(command.app(), command.options()->arguments);
  command
      .option("PROGRAM", &Options::program,
              say("A program or Python script, by path or name, or a recipe's folder; its arguments, or the "
                  "whole command, go after \"--\""),
              Values::files)
      .option("--replicas N", &Options::replicas, replicas, replicaText())
      .option("--efficiency-floor X", &Options::efficiency_floor,
              say("With auto: the least speed-up per replica, from 0 to 1; default: 0.5"),
              CommandSet::between(0, 1))
      .option("--name TEXT", &Options::name, say("The run's name; default: the program's"))
      .option("--group TEXT", &Options::group, say("A name for runs that belong together"))
      .option("--tag TEXT", &Options::tags, say("A tag of the run; may be repeated"), Takes::repeated)
      .option("--note TEXT", &Options::note, say("A note on the run"))
      .option("--device NAME", &Options::device, device, deviceKind())
      .option("--devices-per-replica N", &Options::devices_per_replica,
              say("GPUs, or cores, of each replica; default: one GPU, or its share of the free cores"),
              range(1, protocol::kMostReplicas))
      .option(
          "--cores N", &Options::cores,
          say("The same for a run on cores, which keeps them over restarts: twice the replicas are twice the "
              "cores"),
          range(1, protocol::kMostReplicas))
      .option("--recipe TEXT", &Options::recipe, say("A recipe's name, file or folder instead of a program"))
      .option("--set TEXT", &Options::settings, say("A parameter of the recipe, KEY=VALUE"), Takes::repeated)
      .option("--at EVENT", &Options::triggers, say("A scripted event, such as epoch=2:replicas=1"),
              Takes::repeated, eventText())
      .option("--checkpoint-every TIME", &Options::checkpoint_every,
              say("Write a checkpoint this often; default: 60s; 0: never"), timeText())
      .option("--resume-arg TEXT", &Options::resume_argument,
              say("Restart a script with this argument and the path that its torch.save wrote last"))
      .flag("--tls", &Options::tls,
            say("Encrypt the lines to other nodes; what replicas exchange among themselves stays plain"))
      .option("--notify CMD|URL", &Options::notify,
              say("When it has finished or failed, call CMD with a sentence, or post JSON to URL; default: "
                  "$BATCHSCOPE_NOTIFY"));
  addFaultFlags(command.app(), command.options()->faults, timeText());
}

}  // namespace batchscope::cli
