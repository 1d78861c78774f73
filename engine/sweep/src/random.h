// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that a seed and the number of a trial determine, on every machine alike: the distributions
// of the standard library are each implementation's own, its engines are not.
#pragma once

#include <cstdint>
#include <random>

namespace batchscope::sweep {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t number) {
    const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    std::seed_seq words{low(seed), low(seed >> 32), low(number), low(number >> 32)};
    engine_.seed(words);
  }

  std::uint64_t bits() { return engine_(); }
  // Evenly from 0 up to, but not, 1.
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  // Evenly from 0 up to, but not, `count`, which is positive and small against 2^53.
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(unit() * static_cast<double>(count));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace batchscope::sweep
