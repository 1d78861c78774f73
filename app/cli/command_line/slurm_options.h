// SPDX-License-Identifier: Apache-2.0
//
// The flags for jobs of Slurm, which `submit` and `sweep run` share, and those of them that the pool has,
// too.
#pragma once

#include <fmt/core.h>

#include "command_line/command_builder.h"
#include "slurm/slurm_options.h"

namespace batchscope::cli {

// --slurm is a flag, not an option: an option would take the next word as its value, but `submit --slurm
// digits` names a program.
template <class Options>
void addSlurmNodeOptions(CommandBuilder<Options>& command, const std::string& does) {
  command.app()
      ->add_flag(fmt::format("--slurm{{{}}}", SlurmOptions::kSitesDefault), command.options()->partition)
      ->description(say("{}; --slurm=NAME in this partition", does));
  command
      .option("--nodes N", &Options::nodes, say("With --slurm: how many nodes, such as 2 or 1-4; default: 1"))
      .option("--gpus-per-node N", &Options::gpusPerNode,
              say("With --slurm: GPUs of each node; default: none"), range(1, SlurmOptions::kMostPerNode))
      .option("--time TIME", &Options::time,
              say("With --slurm: the time limit of each job, as sbatch takes it"))
      .option("--sbatch-arg ARG", &Options::sbatchArguments,
              say("With --slurm: any option of sbatch, such as --sbatch-arg=--account=physics"),
              Takes::repeated);
}

template <class Options>
void addSlurmOptions(CommandBuilder<Options>& command, const std::string& does) {
  addSlurmNodeOptions(command, does);
  command
      .option("--replicas-per-node N", &Options::replicasPerNode,
              say("With --slurm: replicas on each node; default: one for each GPU, or one"),
              range(1, SlurmOptions::kMostPerNode))
      .option(
          "--folder DIR", &Options::folder,
          say("With --slurm: where the run's folder is made, on a file system that the nodes share; default: "
              "batchscope-runs in this folder"),
          Values::files)
      .flag("--print", &Options::print, say("With --slurm: only print the script"));
}

}  // namespace batchscope::cli
