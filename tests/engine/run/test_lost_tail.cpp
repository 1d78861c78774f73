// SPDX-License-Identifier: Apache-2.0
//
// A supervisor that is killed with SIGKILL at any moment loses at most what it was told in its last quarter
// second, and nothing before that. The replica writes down when it had told each step; the store says which
// of them are there. A quarter second of the supervisor's own time is meant: while the machine lets it wait
// for a processor (/proc/PID/schedstat) or a disk (state D), or the machine itself is not run (stolen time,
// or nobody was: this test neither), it cannot write.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "batchscope/storage/samples.h"
#include "scenario.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::monotonic_seconds;

namespace {

constexpr double kMostLost = 0.25;  // s
constexpr double kStall = 0.02;     // s between two looks that are made every 2 ms
constexpr int kKills = 8;

// Seconds for which a process was ready and did not run; negative where the kernel does not tell.
double waited(std::int64_t process) {
  std::ifstream schedule("/proc/" + std::to_string(process) + "/schedstat"), machine("/proc/stat");
  double ran = 0, waited = -1, stolen = 0, ignored = 0;
  std::string name;
  if (!(schedule >> ran >> waited)) return -1;
  machine >> name;
  for (int field = 0; field < 7; ++field) machine >> ignored;  // user to softirq
  machine >> stolen;
  return waited / 1e9 + stolen / static_cast<double>(sysconf(_SC_CLK_TCK));
}

bool waits_for_disk(std::int64_t process) {
  std::error_code gone;
  for (const auto& thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task", gone)) {
    std::ifstream file(thread.path() / "stat");
    std::string stat;
    std::getline(file, stat, '\0');  // nothing where the thread ends meanwhile
    if (const auto name = stat.rfind(')'); name != std::string::npos && stat.substr(name + 2, 1) == "D")
      return true;
  }
  return false;
}

// How long a process has waited since some moment.
class WaitingTime {
 public:
  explicit WaitingTime(std::int64_t process) : process_(process) { look(); }

  void look() {
    const double now = monotonic_seconds();
    if (!seen_.empty()) {
      const double passed = now - seen_.back().first;
      if (passed > kStall || waits_for_disk(process_)) stalled_ += passed;
    }
    seen_.emplace_back(now, waited(process_) + stalled_);
  }
  double since(double moment) const {
    double before = seen_.front().second;
    for (const auto& [time, waited] : seen_)
      if (time <= moment) before = waited;
    return seen_.back().second - before;
  }

 private:
  std::int64_t process_;
  double stalled_ = 0;
  std::vector<std::pair<double, double>> seen_;
};

// Step -> when it had been told. The last line may be half a one.
std::map<std::int64_t, double> told(const std::string& file) {
  std::map<std::int64_t, double> steps;
  std::ifstream in(file);
  std::int64_t step = 0;
  for (std::string line; std::getline(in, line) && !in.eof();)
    if (double time = 0; std::sscanf(line.c_str(), "%ld %lf", &step, &time) == 2) steps[step] = time;
  return steps;
}

}  // namespace

class TestLostTail : public Scenario {
  Q_OBJECT

 private Q_SLOTS:
  void init() { begin(); }
  void initTestCase() {
    if (waited(getpid()) < 0) QSKIP("this kernel does not tell how long a process waits for a processor");
  }

  void atMostAQuarterSecondIsLost_data() {
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= kKills; ++seed) QTest::addRow("kill %d", seed) << seed;
  }

  void atMostAQuarterSecondIsLost() {
    QFETCH(int, seed);
    const std::string log = file("sent");
    const std::string id = start(1, {"--steps", "1000000", "--step-ms", "4", "--sent", log});
    QVERIFY(eventually([&] {
      const auto generations = catalogue().generations(id);
      return !generations.empty() && generations.back().first_step > 0;
    }));
    const pid_t process = supervisor(id);
    WaitingTime waiting(process);

    // Anywhere between two of its commits.
    std::mt19937 random(static_cast<unsigned>(seed));
    const double moment = monotonic_seconds() + 0.4 + std::uniform_real_distribution(0.0, 0.4)(random);
    while (monotonic_seconds() < moment) {
      usleep(2000);
      waiting.look();
    }
    const double killed = monotonic_seconds();
    QCOMPARE(::kill(process, SIGKILL), 0);
    QVERIFY(eventually([&] { return catalogue().run(id)->state == protocol::RunState::interrupted; }));

    const std::map<std::int64_t, double> steps = told(log);
    const auto samples = storage::SampleReader(protocol::run_paths(id).samples).read("loss", 0);
    QVERIFY(!samples.empty());
    for (std::size_t i = 0; i < samples.size(); ++i)  // no hole before the tail
      QCOMPARE(samples[i].step, static_cast<std::int64_t>(i) + 1);
    const auto lost = steps.upper_bound(samples.back().step);
    if (lost == steps.end() || lost->second > killed) return;  // none
    const double tail = killed - lost->second, idle = waiting.since(lost->second);
    const QString found =
        QString("lost %1 ms, in which the supervisor waited for %2 ms").arg(1e3 * tail).arg(1e3 * idle);
    QVERIFY2(tail - idle <= kMostLost, qPrintable(found));
    qInfo("%s", qPrintable(found));
  }
};

BATCHSCOPE_TEST(TestLostTail)
#include "test_lost_tail.moc"
