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
#include <string_view>

#include "batchscope/protocol/event_file.h"

namespace batchscope::replica::tensorboard {

bool wanted();
bool wants_row(std::int64_t step);
void write(std::int64_t step, const std::map<std::string, double>& scalars);  // nothing unless wanted()

// Writes into a file of the program's own, whoever writes it: one event of now, with tags "PREFIX/TAG". As
// AdaptDL's to_tensorboard, it takes the prefix with or without its "/".
void write_to(protocol::EventFile& file, std::int64_t step, std::string_view prefix,
              const std::map<std::string, double>& scalars);

}  // namespace batchscope::replica::tensorboard
