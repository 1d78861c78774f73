// SPDX-License-Identifier: Apache-2.0
//
// W&B's run-ID.wandb, which holds all that a run has sent or would have: a log as LevelDB's
// (github.com/google/leveldb/blob/main/doc/log_format.md) behind a heading of seven bytes, with zlib's CRC-32
// in place of CRC-32C. Blocks of 32 KiB hold fragments, each its checksum, length and kind; fragments make
// records, messages of wandb_internal.proto. Of a damaged block the rest is left out; the next is read.
#pragma once

#include <cstdint>
#include <string>

#include "trackers/findings.h"

namespace batchscope::cli {

class WandbLogReader : public FileReader {
 public:
  void feed(std::string_view bytes, Findings& findings) override;
  std::string trouble() const override;

 private:
  // Takes what `rest` begins with, and returns how many bytes that is; 0: more must come first.
  std::size_t advance(std::string_view rest, Findings& findings);

  std::string waiting_;         // the beginning of a fragment
  std::uint64_t position_ = 0;  // of its first byte in the file
  bool isDamaged_ = false;      // the block, whose rest is passed over
  std::string record_;          // its fragments so far
  bool isOpen_ = false;         // a fragment of it is to come
  std::string damage_;
};

}  // namespace batchscope::cli
