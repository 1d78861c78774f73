// SPDX-License-Identifier: Apache-2.0
//
// Jobs that must be served now so that nobody starves: as many of those who have waited longest as could
// otherwise not all have devices in time.
#include "starvation.h"

#include "rows.h"
#include "test_case.h"

using namespace batchscope::policy;

namespace {

const Options kOne{{0, 1, 0.0}}, kThree{{0, 3, 0.0}}, kNone{}, kSecond{{1, 1, 0.0}};
const Options kEither{{0, 1, 0.0}, {1, 1, 0.0}}, kOneOrTwo{{0, 1, 0.0}, {0, 2, 0.0}};

}  // namespace

class TestStarvation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whoMustBeServed_data() {
    const auto row =
        batchscope::testing::columns<std::vector<int>, std::vector<Options>, std::vector<int>,
                                     std::vector<bool>>({"waited", "options", "capacity", "must"});
    const std::vector<Options> one{kOne}, two(2, kOne), three(3, kOne), four(4, kOne);
    row("nobody", {}, {}, {1}, {});
    row("one that has not waited", {0}, one, {2}, {false});
    row("two that have not", {0, 0}, two, {1}, {false, false});
    row("soon", {2, 0, 0}, three, {1}, {false, false, false});
    row("now", {3, 0, 0}, three, {1}, {true, false, false});
    row("long ago", {9, 0, 0}, three, {2}, {true, false, false});
    row("the first of two, as each can be served once", {0, 2, 2}, three, {1}, {false, true, false});
    row("the one that has waited longer", {0, 2, 3}, three, {1}, {false, false, true});
    row("three on two devices, all alike", {1, 1, 1}, three, {2}, {true, false, false});
    row("three on two devices, in time", {1, 1, 0}, three, {2}, {false, false, false});
    row("two on two devices", {1, 0}, two, {2}, {true, false});
    row("three, but there are two devices", {2, 2, 2, 0}, four, {2}, {true, true, false, false});
    row("what needs several, as it fits", {5, 5, 0}, {kThree, kThree, kThree}, {4}, {true, false, false});
    row("past what does not fit", {5, 5, 5}, {kThree, kThree, kOne}, {4}, {true, false, true});
    row("all of the devices", {5}, {kThree}, {3}, {true});
    row("on the kind of which most are left", {9, 9}, {kEither, kOne}, {1, 2}, {true, true});
    row("on the first kind of as many", {9, 9}, {kEither, kSecond}, {1, 1}, {true, true});
    row("with the fewest that it may have", {9, 9}, {kOneOrTwo, kOne}, {2}, {true, true});
    row("without those that can have none", {2, 9, 9}, {kOne, kNone, kNone}, {1}, {true, false, false});
    row("which do not count", {0, 9, 9}, {kOne, kNone, kNone}, {1}, {false, false, false});
    row("none, where none can have any", {9, 9}, {kNone, kNone}, {1}, {false, false});
    row("none, where there are no devices", {9}, {kNone}, {0}, {false});
  }
  void whoMustBeServed() {
    QFETCH(const std::vector<int>, waited);
    QFETCH(const std::vector<Options>, options);
    QFETCH(const std::vector<int>, capacity);
    std::vector<Job> jobs(waited.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].waited = waited[i];
    QTEST(must_be_served(jobs, options, capacity), "must");
  }
};

BATCHSCOPE_TEST(TestStarvation)
#include "test_starvation.moc"
