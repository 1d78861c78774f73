// SPDX-License-Identifier: Apache-2.0
//
// Sums of every type: exact, over all replicas, in a scope that changes them, and across restarts.
#include <QTemporaryDir>
#include <cmath>
#include <limits>

#include "batchscope/protocol/error.h"
#include "batchscope/replica/accumulator.h"
#include "batchscope/train/process_group.h"
#include "job.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::testing;
using protocol::Json;

namespace {

struct Score {
  std::int64_t right = 0;
  double loss = 0;
  Score& operator+=(const Score& other) {
    right += other.right;
    loss += other.loss;
    return *this;
  }
  bool operator==(const Score&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Score, right, loss)

constexpr std::int64_t kLarge = (std::int64_t{1} << 53) + 1;  // no double

template <class T>
T there_and_back(const T& value) {
  return from_bytes<T>(to_bytes(value));
}

}  // namespace

class TestAccumulator : public QObject {
  Q_OBJECT

  QTemporaryDir directory_;

 private Q_SLOTS:
  void initTestCase() {
    qputenv("ADAPTDL_CHECKPOINT_PATH", directory_.filePath("checkpoints").toUtf8());
    init_process_group();
  }

  void values_travel_exactly() {
    QCOMPARE(there_and_back(kLarge), kLarge);
    QCOMPARE(there_and_back(std::numeric_limits<std::uint64_t>::max()),
             std::numeric_limits<std::uint64_t>::max());
    for (const double value :
         {0.1, -0.0, 5e-324, std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity()}) {
      QCOMPARE(there_and_back(value), value);
      QCOMPARE(std::signbit(there_and_back(value)), std::signbit(value));
    }
    QVERIFY(std::isnan(there_and_back(std::nan(""))));
    const std::map<std::string, std::vector<bool>> flags{{"a", {true, false}}, {"b", {}}};
    QVERIFY(there_and_back(flags) == flags);
    QVERIFY(there_and_back(Score{3, 0.1}) == (Score{3, 0.1}));
    const std::string bytes = to_bytes(std::string("text"));
    QVERIFY_EXCEPTION_THROWN(from_bytes<int>(bytes), Error);
    QVERIFY_EXCEPTION_THROWN(from_bytes<int>("\xff"), Error);
    QVERIFY_EXCEPTION_THROWN(from_bytes<int>(""), Error);
  }

  void whole_numbers_are_exact() {
    Accumulator<std::int64_t> counts;
    counts["a"] += kLarge;
    counts["a"] += 1;
    counts["b"] -= kLarge;
    QVERIFY(counts.synchronized() ==
            (std::map<std::string, std::int64_t>{{"a", kLarge + 1}, {"b", -kLarge}}));
  }

  void vectors_are_added_entry_by_entry() {
    Accumulator<std::vector<double>> histograms;
    histograms.update({{"a", {1, 2}}});
    histograms += {{"a", {10, 20, 30}}, {"b", {1}}};
    histograms -= {{"b", {0, 5}}};
    QVERIFY(histograms.synchronized() ==
            (std::map<std::string, std::vector<double>>{{"a", {11, 22, 30}}, {"b", {1, -5}}}));
  }

  void any_type_that_adds_will_do() {
    Accumulator<Score> scores;
    scores["digits"] += {3, 0.25};
    scores.update({{"digits", {4, 0.5}}});
    QVERIFY(scores.synchronized().at("digits") == (Score{7, 0.75}));
    Accumulator<std::string> names;
    names["all"] += "ab";
    names["all"] += "c";
    QCOMPARE(names.synchronized().at("all"), std::string("abc"));
  }

  void sums_begin_with_what_is_given() {
    Accumulator sums({{"right", 2}, {"seen", 3}});
    sums["seen"] += 1;
    QVERIFY(sums.synchronized() == (std::map<std::string, double>{{"right", 2}, {"seen", 4}}));
    Accumulator<std::int64_t> counts({{"a", kLarge}});
    QCOMPARE(counts.synchronized().at("a"), kLarge);
    counts.clear();
    QVERIFY(counts.synchronized().empty());
  }

  void what_a_scope_leaves_is_gone_on_from() {
    Accumulator sums;
    sums += {{"right", 30}, {"seen", 40}};
    sums.synchronized([](auto& total) {
      total["accuracy"] = total["right"] / total["seen"];
      total.erase("right");
    });
    sums["seen"] += 1;
    QVERIFY(sums.synchronized() == (std::map<std::string, double>{{"accuracy", 0.75}, {"seen", 41}}));
    sums.synchronized([](auto& total) { total.clear(); });
    QVERIFY(sums.synchronized().empty());
  }

  void outside_of_a_scope_it_reads_as_this_replicas_share() {
    Accumulator sums;
    sums["a"] += 2;
    QCOMPARE(sums["a"], 2.0);
    sums.synchronized([](auto& total) { total["a"] = 7; });
    sums["b"] -= 1;
    QCOMPARE(sums["b"], -1.0);
  }

  void a_scope_that_throws_changes_nothing() {
    Accumulator sums;
    sums["a"] += 1;
    const auto fails = [](auto& total) {
      total.clear();
      throw std::runtime_error("no");
    };
    QVERIFY_EXCEPTION_THROWN(sums.synchronized(fails), std::runtime_error);
    QCOMPARE(sums.synchronized().at("a"), 1.0);
  }

  // The program prints the same, in whatever pieces and on however many replicas it ran.
  void restarts_change_nothing_data() {
    QTest::addColumn<QList<int>>("replicas");
    QTest::addColumn<QStringList>("signals_at");
    QTest::newRow("at once") << QList<int>{2} << QStringList{""};
    QTest::newRow("in training") << QList<int>{2, 3} << QStringList{"2:0", ""};
    QTest::newRow("between a scope and the next")
        << QList<int>{3, 1, 2} << QStringList{"e0v2:0", "e1v1:0", ""};
    QTest::newRow("twice at the same place") << QList<int>{2, 2, 2} << QStringList{"e0v2:0", "e0v3:1", ""};
  }
  void restarts_change_nothing() {
    QFETCH(QList<int>, replicas);
    QFETCH(QStringList, signals_at);
    Job job("accumulator");
    std::vector<Replica> last;
    for (qsizetype i = 0; i < replicas.size(); ++i) {
      last = job.generation(replicas[i], {}, {signals_at[i]});
      QVERIFY(all_ended(last, signals_at[i].isEmpty() ? 0 : 143));
    }
    for (const Replica& replica : last) {
      const Json& said = replica.said;
      QCOMPARE(said.at("counts").at("seen").get<std::int64_t>(), 2 * 53 * kLarge);
      QCOMPARE(said.at("counts").at("epochs").get<int>(), 2);
      QCOMPARE(said.at("counts").at("given").get<int>(), 7);
      QCOMPARE(said.at("counts").at("between").get<int>(), 2);
      QCOMPARE(said.at("counts").at("validated").get<int>(), 2 * 53);
      QCOMPARE(said.at("counts").at("scopes").get<int>(), 2);
      QVERIFY(said.at("spread") == Json(std::vector<double>(53, 2.0)));
    }
  }
};

BATCHSCOPE_TEST(TestAccumulator)
#include "test_accumulator.moc"
