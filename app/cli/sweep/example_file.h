// SPDX-License-Identifier: Apache-2.0
//
// A sweep's file to begin with, as `batchscope sweep new --example` prints it.
#pragma once

namespace batchscope::cli {

inline constexpr char kExampleFile[] =
    R"toml(# A sweep: what is trained, what is searched, how, and until when.
# Try it:       batchscope sweep run FILE.toml
# All keys:     batchscope help sweep-file

name = "digits-lr"                  # by which commands know the sweep
recipe = "digits"                   # or program = "./train.py", as batchscope run takes it
arguments = ["--epochs", "10"]      # in front of the parameters
metric = "accuracy"                 # a series that the program records
goal = "max"                        # or "min"
trials = 16                         # points that are tried
# device_hours = 2.5                # end it earlier, when all trials together have taken so much
method = "tpe"                      # grid, random, sobol, or tpe, which learns from the trials so far

[stop]                              # stop bad trials early; without this table each is trained to its end
kind = "asha"                       # the best third goes on at each rung; or "median"
min = 400                           # first rung, in scale-invariant iterations; the metric is there by then
max = 3600                          # last rung
eta = 3                             # rungs at 400, 1200, 3600

[parameter.lr]                      # the program gets --lr VALUE
min = 1e-3
max = 0.3
scale = "log"

[parameter.momentum]
values = [0.8, 0.9, 0.95]
)toml";

}  // namespace batchscope::cli
