// SPDX-License-Identifier: Apache-2.0
//
// Microseconds of the search for the best batch size, for one number of replicas and for 1 to 64 at once,
// with accumulation and bounds on the local batch size, which is the longer way. Beside each, the same as a
// multiple of the in-run baseline: one call of evaluate.
#include <numeric>

#include "batchscope/goodput/model.h"
#include "bench.h"

using namespace batchscope;

int main(int argc, char** argv) {
  const goodput::GoodputFunction function({0.121, 0.00568, 0.0236, 0.00634, 0.0118, 0.00317, 1.14},
                                          {0.00136, 0.000502}, 128);
  const goodput::Bounds bounds{12'800, 16, 256, true};
  std::vector<int> replicas(64), nodes(64);
  std::iota(replicas.begin(), replicas.end(), 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = (replicas[i] + 3) / 4;

  const auto scalar = [&] {
    return bench::seconds(2'000, [&] { bench::keep(function.optimize(1, 4, bounds)); });
  };
  const auto vector = [&] {
    return bench::seconds(50, [&] { bench::keep(function.optimize(nodes, replicas, bounds)); });
  };
  const auto evaluate = [&] {
    return bench::seconds(20'000, [&] { bench::keep(function.evaluate({1, 4, 64, 1})); });
  };
  return bench::run(argc, argv,
                    {{"optimize.scalar", "us", 5.0, [&] { return 1e6 * scalar(); }},
                     {"optimize.scalar.evaluations", "ratio", {}, [&] { return scalar() / evaluate(); }},
                     {"optimize.vector64", "us", 100.0, [&] { return 1e6 * vector(); }},
                     {"optimize.vector64.evaluations", "ratio", {}, [&] { return vector() / evaluate(); }}});
}
