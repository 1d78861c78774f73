// SPDX-License-Identifier: Apache-2.0
//
// W&B's run-ID.wandb, which holds all that a run has sent or would have sent. It is a log in LevelDB's format
// (github.com/google/leveldb/blob/main/doc/log_format.md) after a heading of seven bytes, with zlib's CRC-32
// in place of CRC-32C. Blocks of 32 KiB hold fragments, each with its checksum, length and kind. Fragments
// make records, messages of wandb_internal.proto. The rest of a damaged block is left out, and the next block
// is read.
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
  // Reads or skips what `rest` begins with, and returns its length in bytes; 0: more bytes are needed.
  std::size_t advance(std::string_view rest, Findings& findings);

  std::string waiting_;         // the beginning of a fragment
  std::uint64_t position_ = 0;  // of its first byte in the file
  bool isDamaged_ = false;      // the block, whose rest is passed over
  std::string record_;          // its fragments so far
  bool isOpen_ = false;         // a fragment of it is to come
  std::string damage_;
};

}  // namespace batchscope::cli
