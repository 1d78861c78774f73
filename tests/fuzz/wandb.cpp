// SPDX-License-Identifier: Apache-2.0
//
// A sweep of Weights & Biases, which becomes one that can be read.
#include "batchscope/sweep/wandb.h"
#include "fuzz.h"

using namespace batchscope;
using namespace batchscope::sweep;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  const auto file = folder.write("sweep.yaml", fuzz::text(data, size));
  std::optional<Imported> imported;
  fuzz::may_refuse_as([&] { imported = import_wandb(file); }, ErrorKind::usage);
  if (imported)
    fuzz::require(SweepFile::load(folder.write("sweep.toml", imported->sweep.text())) == imported->sweep,
                  "what is imported is a file of ours");
  return 0;
}
