// SPDX-License-Identifier: Apache-2.0
//
// draw_digits: the drawn set as files, for programs in other languages (examples/python). Draws it if the
// cache does not have it, and prints the folder.
#include <cstdio>
#include <exception>

#include "batchscope/protocol/error.h"
#include "digit_data.h"

int main() try {
  using namespace batchscope;
  constexpr int kSeed = 0;
  const auto folder = digits::drawn_digits_directory(kSeed);
  if (!folder)
    throw Error(ErrorKind::usage,
                "there is no folder for the images: set HOME, or XDG_CACHE_HOME to an absolute path");
  digits::drawn_digits(kSeed);
  digits::load_digits(*folder);  // throws if the cache could not be written
  std::puts(folder->c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "draw_digits: %s\n", error.what());
  return 1;
}
