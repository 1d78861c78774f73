// SPDX-License-Identifier: Apache-2.0
//
// Milliseconds that it takes to suggest a trial when there are 1,000: eight parameters, of every kind.
// sweep.next is the whole decision, with ASHA and the course of all legs gone through again.
#include <memory>

#include "batchscope/sweep/course.h"
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

// Returns the legs of 1,000 trials that have come to their rungs, none of which may go on.
std::vector<LegRecord> legs(const SweepFile& sweep) {
  std::vector<LegRecord> legs;
  for (std::size_t trial = 0;;) {
    auto leg = *next_leg(sweep, 1, legs);
    trial += leg.rung == 0;
    if (trial > 1000) return legs;
    leg.outcome = Outcome{*leg.point[0]};
    legs.push_back(leg);
  }
}

double next_seconds() {
  static const auto sweep = [](Method method) {
    SweepFile sweep;
    sweep.parameters = space().parameters();
    sweep.method = method;
    sweep.stop = {StopRule::Kind::asha, 100, 8100, 3};
    return sweep;
  };
  static const std::vector<LegRecord> all = legs(sweep(Method::random));
  return bench::seconds(5, [&] { bench::keep(next_leg(sweep(Method::tpe), 1, all)); });
}

}  // namespace

int main(int argc, char** argv) {
  return bench::run(argc, argv,
                    {measure("sweep.suggest", Method::tpe, 10),
                     measure("sweep.suggest.sobol", Method::sobol, {}),
                     {"sweep.next", "ms", 10, [] { return 1e3 * next_seconds(); }}});
}
