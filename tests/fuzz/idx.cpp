// SPDX-License-Identifier: Apache-2.0
//
// Images and labels in MNIST's format, plain and gzipped.
#include "idx.h"
#include "fuzz.h"

using namespace batchscope;
using namespace batchscope::digits;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  const auto file = folder.write("idx.gz", fuzz::text(data, size));
  fuzz::may_refuse_as(
      [&] {
        const std::vector<std::uint8_t> bytes = read_bytes(file);
        fuzz::may_refuse_as(
            [&] {
              const Images images = parse_images(bytes, "images");
              fuzz::require(
                  images.pixels.size() == std::uint64_t{images.count} * images.rows * images.columns,
                  "every pixel is there");
            },
            ErrorKind::corrupt);
        for (const std::uint8_t label : parse_labels(bytes, "labels"))
          fuzz::require(label <= 9, "labels are from 0 to 9");
      },
      ErrorKind::corrupt);
  return 0;
}
