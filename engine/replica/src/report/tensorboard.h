// SPDX-License-Identifier: Apache-2.0
//
// Scalars for TensorBoard, in an event file of this generation below ADAPTDL_TENSORBOARD_LOGDIR: the rows of
// optimizer steps, under the names of protocol's series, and what the program records. Rank 0, where the
// variable is set. A run of millions of steps stays small: every step up to the ten thousandth, every tenth
// up to the hundred thousandth, and so on. A file that cannot be written is one warning, not the end of
// training.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace batchscope::replica::tensorboard {

bool wanted();
bool wants_row(std::int64_t step);
void write(std::int64_t step, const std::map<std::string, double>& scalars);  // nothing unless wanted()

}  // namespace batchscope::replica::tensorboard
