// SPDX-License-Identifier: Apache-2.0
//
// When a queue will end, and what other numbers of devices would be worth to it: closed forms, and what holds
// for any jobs.
#include <cmath>
#include <random>

#include "batchscope/policy/forecast.h"
#include "batchscope/policy/prices.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope::policy;
using batchscope::testing::columns;

namespace {

// Speeds up by this power of its replicas, and has so much to do on one.
Job timed_job(const std::string& name, double exponent, double seconds, int most = 64) {
  Job job;
  job.name = name;
  job.goodput = [exponent](int kind, int, int n) { return kind == 0 ? std::pow(n, exponent) : 0; };
  job.remaining = seconds;
  job.max_replicas = job.max_profiled = most;
  return job;
}

Job endless(const std::string& name) {
  Job job = ::timed_job(name, 1, 0);
  job.remaining.reset();
  return job;
}

std::vector<Job> random_queue(std::mt19937& random, int count) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Job> jobs;
  for (int i = 0; i < count; ++i) {
    jobs.push_back(timed_job("job-" + std::to_string(i), unit(random), 1 + 1e4 * unit(random),
                             1 + static_cast<int>(random() % 8)));
    if (random() % 5 == 0) jobs.back().remaining.reset();
    if (random() % 5 == 0) jobs.back().goodput = nullptr;
    jobs.back().pause = 30 * unit(random);
    jobs.back().waited = static_cast<int>(random() % 3);
    jobs.back().weight = 0.25 + 4 * unit(random);
    jobs.back().min_replicas =
        random() % 4 == 0 ? std::min(jobs.back().max_replicas, 1 + static_cast<int>(random() % 3)) : 0;
  }
  return jobs;
}

double end(const std::vector<std::optional<double>>& ends, std::size_t job) { return ends[job].value_or(-1); }

void about(std::optional<double> value, double expected) {
  QVERIFY(value.has_value());
  QVERIFY2(std::abs(*value - expected) <= 1e-9 * expected,
           qPrintable(QString("%1, expected %2").arg(*value).arg(expected)));
}

}  // namespace

class TestPrices : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // One alone: work over speed, and the pause before it.
  void endsAloneAfterItsWork() {
    Job alone = timed_job("a", 1, 1000);
    about(forecast(std::vector{alone}, uniform_cluster(1, 4), Objective::fair)[0], 250);
    alone.pause = 7;
    about(forecast(std::vector{alone}, uniform_cluster(1, 4), Objective::fair)[0], 257);
    alone.placement = {{0, 4}};
    about(forecast(std::vector{alone}, uniform_cluster(1, 4), Objective::fair)[0], 250);
    alone.remaining = 0;
    QCOMPARE(end(forecast(std::vector{alone}, uniform_cluster(1, 4), Objective::fair), 0), 0.0);
  }

  // Two share two devices until one ends; the other then has both: 100, and 100 + (400 - 100) / 2.
  void givesOnWhatIsLeftBehind() {
    const std::vector jobs{timed_job("short", 1, 100), timed_job("long", 1, 400)};
    const auto ends = forecast(jobs, uniform_cluster(1, 2), Objective::fair);
    about(ends[0], 100);
    about(ends[1], 250);
  }

  // One device: one after the other, the shorter one first under fast.
  void queues() {
    const std::vector jobs{timed_job("long", 1, 400), timed_job("short", 1, 100)};
    const auto ends = forecast(jobs, uniform_cluster(1, 1), Objective::fast);
    about(ends[1], 100);
    about(ends[0], 500);
  }

  // Each of three jobs on one device has it once in four decisions at the least; the one that ends has no
  // more than that, since the others count for more.
  void takesTurnsWithWhatNeverEnds() {
    std::vector jobs{endless("a"), endless("b"), timed_job("c", 1, 400)};
    jobs[0].weight = jobs[1].weight = 1e6;
    const auto ends = forecast(jobs, uniform_cluster(1, 1), Objective::fair);
    QVERIFY(!ends[0] && !ends[1]);
    about(ends[2], 4 * 400);
  }

  void doesNotSayWhatNobodyKnows() {
    Job fresh = timed_job("fresh", 1, 100);
    fresh.goodput = nullptr;
    Job large = timed_job("large", 1, 100);
    large.min_replicas = 8;
    Job broken = timed_job("broken", 1, 100);
    broken.goodput = [](int, int, int) { return HUGE_VAL; };
    broken.preemptible = false;
    broken.placement = {{0, 1}};
    const auto ends = forecast(std::vector{fresh, endless("e"), large, timed_job("a", 1, 100, 1), broken},
                               uniform_cluster(1, 4), Objective::fair);
    QVERIFY(!ends[0] && !ends[1] && !ends[2] && !ends[4]);
    about(ends[3], 100);
    QVERIFY(forecast({}, uniform_cluster(1, 4), Objective::fair).empty());
    QVERIFY(!forecast(std::vector{timed_job("a", 1, 1)}, {}, Objective::fair)[0]);
  }

  // Nobody ends before its work could be done by all it may have, and what is known ends.
  void foreseesWhatIsPossible() {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
      const int all = 1 + static_cast<int>(random() % 6);
      const std::vector<Job> jobs = random_queue(random, static_cast<int>(random() % 8));
      const Objective objective = random() % 2 == 0 ? Objective::fair : Objective::fast;
      const auto ends = forecast(jobs, uniform_cluster(1, all), objective);
      QCOMPARE(ends.size(), jobs.size());
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (!jobs[i].goodput || !jobs[i].remaining || jobs[i].min_replicas > all) {
          QVERIFY(!ends[i]);
          continue;
        }
        const int most = std::min(all, jobs[i].max_replicas);
        if (jobs[i].min_replicas <= 1) QVERIFY(ends[i]);
        if (ends[i])
          QVERIFY(*ends[i] * (1 + 1e-9) >= jobs[i].pause + *jobs[i].remaining / jobs[i].goodput(0, 1, most));
      }
    }
  }

  // A second device lets a job end in half of the time that it takes on one.
  void timesAreRounded_data() {
    const auto row = columns<double, std::string>({"sooner", "text"});
    row("less than a second", 0.4, "0 s");
    row("seconds", 98.6, "99 s");
    row("100 seconds are minutes", 99.5, "2 min");
    row("minutes", 5969, "99 min");
    row("100 minutes are hours", 5970, "1 h 40 min");
    row("whole hours", 7200, "2 h");
    row("and a minute", 7231, "2 h 1 min");
    row("more than anybody waits", 1e18, "277777777777 h 47 min");
  }
  void timesAreRounded() {
    QFETCH(const double, sooner);
    QFETCH(const std::string, text);
    const Advice advice =
        advise(std::vector{timed_job("a", 1, 2 * sooner)}, uniform_cluster(1, 1), Objective::fair);
    QCOMPARE(advice.sentence, "1 more device would end the queue " + text + " sooner");
    about(advice.end_now, 2 * sooner);
    about(advice.end_with, sooner);
  }

  void whatIsOfNoUseEndsNothingSooner() {
    const Advice advice =
        advise(std::vector{timed_job("a", 1, 1000, 1)}, uniform_cluster(1, 3), Objective::fair, {.price = 0});
    QCOMPARE(advice.devices, 1);
    QCOMPARE(advice.sentence, std::string("2 fewer devices would end the queue 0 s sooner"));
  }

  // A job makes nine tenths of two devices on two nodes; one device is on one node.
  void useIsOverOneDevice() {
    Job job = timed_job("a", 1, 1000);
    job.goodput = [](int, int nodes, int n) { return nodes > 1 ? 0.9 * n : n; };
    about(advise(std::vector{job}, uniform_cluster(2, 1), Objective::fair).utility, 0.9);
  }

  // Where one device is too few, the fewest that suffice are worth themselves.
  void useIsOverTheFewestDevices() {
    Job job = timed_job("a", 1, 1000);
    job.goodput = [](int, int, int n) { return n < 2 ? 0.0 : n == 2 ? 50.0 : 75.0; };
    about(advise(std::vector{job}, uniform_cluster(1, 4), Objective::fair).utility, 75 / 25.0 / 4);
    job.goodput = [](int, int nodes, int n) { return n < 2 ? 0.0 : nodes > 1 ? 90.0 : 100.0; };
    about(advise(std::vector{job}, uniform_cluster(2, 1), Objective::fair).utility, 1);
  }

  // A job needs four devices, there are two, and four would be used by 35 %.
  void theLeastUseIsEnough() {
    Job job = timed_job("a", 1, 1000, 4);
    job.min_replicas = 4;
    job.goodput = [](int, int, int n) { return n < 4 ? 1 : 1.4; };
    QCOMPARE(advise(std::vector{job}, uniform_cluster(1, 2), Objective::fair).devices, 4);
  }

  // Goodputs of one job on 1, 2, .. devices, of which there are four.
  void theBoundsOfUseBelongToIt_data() {
    const auto row = columns<std::vector<double>, int>({"goodputs", "devices"});
    row("0.65 suits", {1, 1.6, 2.1, 2.6, 3, 3.4, 3.7, 4}, 4);
    row("above it does not", {1, 1.6, 2.1, 2.61, 3, 3.4, 3.7, 4}, 8);
    row("0.35 suits", {1, 1, 1.2, 1.4, 1.4, 1.4, 1.4, 1.4}, 4);
    row("below it does not", {1, 1, 1.2, 1.39, 1.39, 1.39, 1.39, 1.39}, 2);
    // 0.5 and a 32nd on seven, 0.5 less a 32nd on eight.
    row("of two as near, the larger", {1, 1.9, 2.8, 3.6, 3.65, 3.7, 3.71875, 3.75}, 8);
  }
  void theBoundsOfUseBelongToIt() {
    QFETCH(const std::vector<double>, goodputs);
    Job job = timed_job("a", 1, 1000);
    job.goodput = [goodputs](int, int, int n) { return goodputs.at(static_cast<std::size_t>(n - 1)); };
    job.max_replicas = 8;
    QTEST(advise(std::vector{job}, uniform_cluster(1, 4), Objective::fair).devices, "devices");
  }

  // Linear: used to the full, so that AdaptDL's rule asks for more; twice as many end it in half the time.
  void asksForMoreWhereTheyAreUsed() {
    const Advice advice = advise(std::vector{timed_job("a", 1, 4920)}, uniform_cluster(1, 2), Objective::fair,
                                 {.price = {}, .device = "GPU"});
    QCOMPARE(advice.present, 2);
    QCOMPARE(advice.devices, 4);
    QCOMPARE(advice.utility, 1.0);
    about(advice.end_now, 2460);
    about(advice.end_with, 1230);
    QCOMPARE(advice.sentence, std::string("2 more GPUs would end the queue 21 min sooner"));
    QCOMPARE(advice.counts.size(), 4u);
  }

  // n^0.5: utility k^-0.5, within the bounds from 3 to 8 devices and 0.5 at 4.
  void keepsWhatIsUsedWell() {
    const auto wanted = [](int present) {
      return advise(std::vector{timed_job("a", 0.5, 1000)}, uniform_cluster(1, present), Objective::fair)
          .devices;
    };
    for (int present = 3; present <= 8; ++present) QCOMPARE(wanted(present), present);
    QCOMPARE(wanted(1), 2);
    QCOMPARE(wanted(2), 4);
    QCOMPARE(wanted(16), 4);
    QCOMPARE(wanted(0), 1);
    const Advice none = advise({}, uniform_cluster(1, 8), Objective::fair, {.price = {}, .device = "GPU"});
    QCOMPARE(none.devices, 0);
    QCOMPARE(none.sentence, std::string("there are no jobs: no GPU is needed"));
  }

  // Nor is there a node: the one device would be on a node of its own.
  void advisesTheFirstDevice() {
    const Advice advice = advise(std::vector{timed_job("a", 1, 100)}, {}, Objective::fair);
    QCOMPARE(advice.counts.size(), 2u);
    for (int devices = 0; devices < 2; ++devices)
      QCOMPARE(advice.counts[static_cast<std::size_t>(devices)].devices, devices);
    QCOMPARE(advice.devices, 1);
  }

  // n^0.5 for 3600 s: hours k^-0.5 + p k k^-0.5, least at k = 1 / p.
  void weighsThePrice() {
    const std::vector jobs{timed_job("a", 0.5, 3600)};
    for (const int best : {2, 3, 5}) {
      const Advice advice = advise(jobs, uniform_cluster(1, 4), Objective::fair, {.price = 1.0 / best});
      QCOMPARE(advice.devices, best);
    }
    QCOMPARE(advise(jobs, uniform_cluster(1, 4), Objective::fair, {.price = 0}).devices, 8);
    QCOMPARE(advise(jobs, uniform_cluster(1, 4), Objective::fair, {.price = 100}).devices, 1);
    const Advice without =
        advise(std::vector{endless("e")}, uniform_cluster(1, 4), Objective::fair, {.price = 0.1});
    QCOMPARE(without.sentence,
             std::string("4 more devices would be used to 100 %, the present ones to 100 %"));
  }

  // Four of eight devices for a job that was measured on two.
  void foreseesNoMoreThanTwiceWhatWasMeasured() {
    Job job = timed_job("a", 1, 1200);
    job.max_profiled = 2;
    about(forecast(std::vector{job}, uniform_cluster(1, 8), Objective::fair)[0], 300);
    job.max_profiled = 0;  // a model from elsewhere
    about(forecast(std::vector{job}, uniform_cluster(1, 8), Objective::fair)[0], 1200);
  }

  // A model of one replica takes synchronisation for free: it does not buy devices.
  void advisesNothingByGuesses() {
    for (const std::optional<double> price : {std::optional<double>(), std::optional(0.0)}) {
      Job job = timed_job("digits", 1, 1200);
      const auto advice = [&](int measured) {
        job.max_profiled = measured;
        return advise(std::vector{job}, uniform_cluster(1, 1), Objective::fair, {.price = price});
      };
      QCOMPARE(advice(1).devices, 1);
      QCOMPARE(advice(1).sentence, std::string("1 more device would end the queue 10 min sooner; "
                                               "digits was never measured on more than 1 replica"));
      QVERIFY(advice(1).counts.back().is_guess && !advice(1).counts.front().is_guess);
      QCOMPARE(advice(2).devices, 2);
      QCOMPARE(advice(2).sentence, std::string("1 more device would end the queue 10 min sooner"));
    }
    Job job = timed_job("digits", 1, 1200);
    job.max_profiled = 2;
    const Advice extrapolated = advise(std::vector{job, job}, uniform_cluster(1, 4), Objective::fair);
    QCOMPARE(extrapolated.devices, 8);
    QCOMPARE(extrapolated.sentence, std::string("4 more devices would end the queue 5 min sooner; "
                                                "2 jobs were never measured on as many replicas"));
    QCOMPARE(advise(std::vector{job}, uniform_cluster(1, 2), Objective::fair).sentence,
             std::string("2 more devices would end the queue 5 min sooner; "
                         "digits was never measured on more than 2 replicas"));
  }

  // Devices of jobs that may not be moved are not given away, on several nodes as on one.
  void keepsWhatIsHeld() {
    std::vector jobs{timed_job("held", 0.1, 1000), timed_job("other", 0.1, 1000)};
    jobs[0].preemptible = false;
    jobs[0].placement = {{0, 1}, {2, 2}};
    jobs[1].placement = {{1, 3}};
    const Advice advice = advise(jobs, uniform_cluster(3, 3), Objective::fair, {.price = 100});
    QCOMPARE(advice.counts.front().devices, 3);
    QCOMPARE(advice.counts.back().devices, 18);
    for (std::size_t i = 0; i < advice.counts.size(); ++i)
      QCOMPARE(advice.counts[i].devices, 3 + static_cast<int>(i));
    QVERIFY(advice.devices < 9);
    QVERIFY(QString::fromStdString(advice.sentence).contains(" fewer devices would end the queue"));
  }

  // Others than the present nodes come with them, as large as the largest: a job that trains well on one node
  // only is not faster for them. Fewer devices are those of the first nodes.
  void moreDevicesAreMoreNodes() {
    Job job = timed_job("a", 1, 1200);
    job.goodput = [](int, int nodes, int n) { return nodes > 1 ? 0.1 * n : n; };
    const Advice advice = advise(std::vector{job}, uniform_cluster(2, 2), Objective::fair);
    QCOMPARE(advice.counts.size(), 8u);
    about(advice.counts[0].end, 1200);
    for (std::size_t more = 1; more < 8; ++more) about(advice.counts[more].end, 600);
    for (std::size_t i = 0; i < 8; ++i) QCOMPARE(advice.counts[i].devices, static_cast<int>(i) + 1);
    job.max_replicas = 2;
    const Advice three = advise(std::vector{job, job, job}, uniform_cluster(2, 2), Objective::fair);
    about(three.counts[5].sum_of_ends, 3 * 600);  // two devices on a node for each
    const Advice on_small_nodes = advise(std::vector{job}, uniform_cluster(2, 1), Objective::fair);
    QCOMPARE(on_small_nodes.counts.size(), 4u);
    for (const DeviceCount& count : on_small_nodes.counts) about(count.end, 1200);
  }

  // A job whose devices all stay trains on without a pause; one that would lose a device begins again with
  // what is left.
  void whoKeepsItsDevicesHasNoPause() {
    Job job = timed_job("a", 1, 1000, 2);
    job.pause = 100;
    job.placement = {{0, 2}};
    about(advise(std::vector{job}, uniform_cluster(1, 2), Objective::fair).end_now, 500);
    about(advise(std::vector{job}, uniform_cluster(1, 2), Objective::fair).counts[0].end, 1100);
    job.placement = {{0, 1}, {1, 1}};
    about(advise(std::vector{job}, uniform_cluster(2, 1), Objective::fair).counts[0].end, 1100);
    Job held = timed_job("held", 1, 1000, 1);
    held.preemptible = false;
    held.placement = {{0, 1}};
    job.placement = {{0, 2}};
    const Advice beside = advise(std::vector{held, job}, uniform_cluster(1, 3), Objective::fair);
    QCOMPARE(beside.counts[1].devices, 2);
    about(beside.counts[1].end, 1100);
    Job first = timed_job("b", 1, 1000, 1), second = first;
    first.placement = second.placement = {{0, 1}};
    second.pause = 100;
    const Advice advice = advise(std::vector{first, second}, uniform_cluster(1, 2), Objective::fair);
    about(advice.counts[0].sum_of_ends, 1000 + 2100);
    about(advice.counts[1].sum_of_ends, 1000 + 1000);
  }

  void letsLargeJobsEnd() {
    Job large = timed_job("large", 1, 600);
    large.min_replicas = 4;
    const Advice advice = advise(std::vector{large, timed_job("a", 1, 600, 1)}, uniform_cluster(1, 2),
                                 Objective::fair, {.price = 100});
    QCOMPARE(advice.unknown, 1);
    QCOMPARE(advice.devices, 4);
    QCOMPARE(advice.sentence, std::string("2 more devices would let 1 more job finish"));
  }

  void tellsOfTheJobsThatEnd() {
    const Advice advice =
        advise(std::vector{timed_job("a", 1, 1200), endless("e")}, uniform_cluster(1, 2), Objective::fair);
    QCOMPARE(advice.sentence, std::string("2 more devices would end 1 job of known length 10 min sooner"));
  }

  void tellsOfUseWhereNothingEndsNow() {
    Job large = timed_job("large", 1, 600);
    large.min_replicas = 4;
    const Advice advice = advise(std::vector{large}, uniform_cluster(1, 2), Objective::fair);
    QVERIFY(!advice.end_now);
    QCOMPARE(advice.sentence, std::string("2 more devices would be used to 100 %, the present ones to 0 %"));
  }

  // Not every number up to 64 devices is looked at, but the present one is.
  void boundsItsWork() {
    std::mt19937 random(4);
    const Advice advice =
        advise(random_queue(random, 20), uniform_cluster(16, 4), Objective::fast, {.price = 0.01});
    QVERIFY(advice.counts.size() <= 33);
    QCOMPARE(advice.counts.back().devices, 128);
    QVERIFY(std::any_of(advice.counts.begin(), advice.counts.end(),
                        [](const DeviceCount& count) { return count.devices == 64; }));
    QVERIFY(!advice.sentence.empty());
    const std::vector one{timed_job("a", 0.5, 1000)};
    QVERIFY(advise(one, uniform_cluster(1, 33), Objective::fair).counts.size() <= 33);
    QCOMPARE(advise(one, uniform_cluster(1, 32), Objective::fair).counts.size(), 32u);
  }

  void refusesWhatCannotBe() {
    const std::vector jobs{timed_job("a", 1, 1)};
    QVERIFY_EXCEPTION_THROWN(advise(jobs, Cluster{{1, 0}, {1, 1}}, Objective::fair), std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(advise(jobs, uniform_cluster(1, 1), Objective::fair, {.price = -1}),
                             std::invalid_argument);
    std::vector elsewhere = jobs;
    elsewhere[0].placement = {{4, 1}};
    QVERIFY_EXCEPTION_THROWN(advise(elsewhere, uniform_cluster(1, 1), Objective::fair),
                             std::invalid_argument);
    QVERIFY_EXCEPTION_THROWN(forecast(elsewhere, uniform_cluster(1, 1), Objective::fair),
                             std::invalid_argument);
  }
};

BATCHSCOPE_TEST(TestPrices)
#include "test_prices.moc"
