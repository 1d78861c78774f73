// SPDX-License-Identifier: Apache-2.0
#include "batchscope/protocol/random_text.h"

#include <random>

namespace batchscope::protocol {

std::string random_text(std::size_t length, std::string_view letters) {
  std::random_device device;
  std::uniform_int_distribution<std::size_t> letter(0, letters.size() - 1);
  std::string text;
  while (text.size() < length) text.push_back(letters[letter(device)]);
  return text;
}

}  // namespace batchscope::protocol
