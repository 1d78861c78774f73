// SPDX-License-Identifier: Apache-2.0
//
// All combinations, counted as an odometer counts: the last digit the fastest. Digits that others depend on
// are in front of these, and one whose condition does not hold is passed over, so that no point comes twice.
#include <fmt/core.h>

#include "batchscope/protocol/error.h"
#include "batchscope/sweep/method.h"
#include "method/samplers.h"

namespace batchscope::sweep {
namespace {

class Odometer {
 public:
  explicit Odometer(const Space& space) : space_(space), digits_(space.size(), 0), counts_(space.size()) {
    for (std::size_t i = 0; i < space.size(); ++i) {
      const Parameter& parameter = space.parameters()[i];
      const auto count = parameter.count();
      if (!count)
        throw Error(
            ErrorKind::usage,
            fmt::format("parameter '{}' has endlessly many values, which a grid cannot go through: give it a "
                        "step, list its values, or choose another method",
                        parameter.name));
      counts_[i] = *count;
    }
  }

  Point point() const {
    return space_.point([&](std::size_t i) { return space_.parameters()[i].nth(digits_[i]); });
  }

  // Goes on to the next point; false: that was the last one.
  bool advance() {
    const Point here = point();
    for (auto at = space_.order().rbegin(); at != space_.order().rend(); ++at) {
      if (here[*at] && ++digits_[*at] < counts_[*at]) return true;
      digits_[*at] = 0;
    }
    return false;
  }

 private:
  const Space& space_;
  std::vector<std::size_t> digits_, counts_;
};

}  // namespace

std::optional<Point> grid_point(const Space& space, std::size_t number) {
  Odometer odometer(space);
  for (; number > 0; --number)
    if (!odometer.advance()) return std::nullopt;
  return odometer.point();
}

std::size_t grid_size(const Space& space) {
  Odometer odometer(space);
  std::size_t size = 1;
  while (size < kLargestGrid && odometer.advance()) ++size;
  return size;
}

}  // namespace batchscope::sweep
