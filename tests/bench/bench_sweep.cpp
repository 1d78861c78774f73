// SPDX-License-Identifier: Apache-2.0
//
// Milliseconds that it takes to suggest a trial when there are 1,000: eight parameters, of every kind.
#include <memory>

#include "batchscope/sweep/method.h"
#include "bench.h"

using namespace batchscope;
using namespace batchscope::sweep;

namespace {

Space space() {
  using Kind = Parameter::Kind;
  return Space(
      {{"lr", Kind::real, 1e-5, 1, true, {}, {}, {}},
       {"decay", Kind::real, 1e-8, 1e-2, true, {}, {}, {}},
       {"dropout", Kind::real, 0, 0.5, false, 0.05, {}, {}},
       {"warmup", Kind::real, 0, 1, false, {}, {}, {}},
       {"layers", Kind::integer, 1, 8, false, {}, {}, {}},
       {"width", Kind::integer, 16, 1024, true, {}, {}, {}},
       {"rule", Kind::choice, 0, 0, false, {}, {"adascale", "linear", "sqrt"}, {}},
       {"momentum", Kind::real, 0.5, 0.99, false, {}, {}, Condition{"rule", {"adascale", "linear"}}}});
}

bench::Measure measure(const std::string& name, Method method, std::optional<double> goal) {
  return {name, "ms", goal, [=, trials = std::make_shared<std::vector<Trial>>()] {
            const Space searched = space();
            while (trials->size() < 1000) {
              const Point point = *suggest(Method::random, searched, *trials, 1);
              trials->push_back({point, Trial::State::ended, *point[0] + *point[3], {}});
            }
            return 1e3 * bench::seconds(5, [&] { bench::keep(suggest(method, searched, *trials, 1)); });
          }};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run(
      argc, argv,
      {measure("sweep.suggest", Method::tpe, 10), measure("sweep.suggest.sobol", Method::sobol, {})});
}
