// SPDX-License-Identifier: Apache-2.0
//
// The manifest of a checkpoint.
#include "batchscope/protocol/manifest.h"
#include "fuzz.h"

using namespace batchscope;
using namespace batchscope::protocol;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  folder.write("manifest.json", fuzz::text(data, size));
  fuzz::may_refuse_as(
      [&] {
        const Manifest read = read_manifest(folder.path());
        write_manifest(folder.path(), read);
        const Manifest again = fuzz::must_take([&] { return read_manifest(folder.path()); });
        fuzz::require(
            again.step == read.step && again.files.size() == read.files.size() && again.ledger == read.ledger,
            "a manifest that is written comes back as it was");
        verify_checkpoint(folder.path());
      },
      ErrorKind::corrupt, ErrorKind::version);
  return 0;
}
