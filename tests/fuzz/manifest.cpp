// SPDX-License-Identifier: Apache-2.0
//
// The manifest of a checkpoint.
#include "batchscope/protocol/manifest.h"

#include <zlib.h>

#include "fuzz.h"

using namespace batchscope;
using namespace batchscope::protocol;

// Returns the text with the right checksum where one stands, as a manifest that was written so: else its
// checksum is as far as a reader gets.
std::string sealed(std::string text) {
  constexpr std::string_view kLine = "\n  \"crc32\": ";
  const auto last = text.rfind(kLine);
  if (last == std::string::npos) return text;
  text.resize(last + 1);
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
  return text + std::string(kLine.substr(1)) + std::to_string(crc) + "\n}\n";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  folder.write("manifest.json", sealed(std::string(fuzz::text(data, size))));
  fuzz::may_refuse_as(
      [&] {
        const Manifest read = read_manifest(folder.path());
        write_manifest(folder.path(), read);
        const Manifest again = fuzz::must_take([&] { return read_manifest(folder.path()); });
        fuzz::require(again.step == read.step && again.files.size() == read.files.size() &&
                          again.ledger == read.ledger && again.ledger_from == read.ledger_from,
                      "a manifest that is written comes back as it was");
        verify_checkpoint(folder.path());
      },
      ErrorKind::corrupt, ErrorKind::version, ErrorKind::io);
  return 0;
}
