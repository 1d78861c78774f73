// SPDX-License-Identifier: Apache-2.0
//
// Loaders on the helper across restarts on changing numbers of replicas, with real processes.
#include <map>

#include "job.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::testing;
using protocol::Json;

class TestOwnLoader : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void each_word_once_an_epoch_in_its_own_order_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("size");
    QTest::newRow("a short last batch") << QStringList() << 100;
    QTest::newRow("accumulating") << QStringList{"--accumulate"} << 96;  // whole steps: ends by progress
    QTest::newRow("a stream") << QStringList{"--stream"} << 100;
    QTest::newRow("a stream, accumulating") << QStringList{"--stream", "--accumulate"} << 97;
  }
  void each_word_once_an_epoch_in_its_own_order() {
    QFETCH(QStringList, options);
    QFETCH(int, size);
    Job job("own-loader", options + QStringList{"--size", QString::number(size)});
    std::map<std::pair<int, int>, int> seen;
    for (const auto& [replicas, signal] :
         {std::pair{2, "2:1"}, {3, "5:0"}, {1, "11:0"}, {2, ""}}) {  // the third in the second epoch
      const auto all = job.generation(replicas, signal);
      QVERIFY(all_ended(all, *signal ? 143 : 0));
      for (const Replica& replica : all)
        for (const Json& line : replica.lines("optimizer_step")) {
          int before = -1;
          for (const int id : line.at("ids")) {
            ++seen[{line.at("epoch"), id}];
            if (before >= 0) QVERIFY((line.at("epoch") == 0) == (id > before));
            before = id;
          }
          QCOMPARE(line.at("batch_size").get<int>(), 12);
        }
      if (!*signal) QCOMPARE(all[0].said.at("samples").get<int>(), 2 * size);
    }
    QCOMPARE(std::ssize(seen), 2 * size);
    for (const auto& [sample, times] : seen) QCOMPARE(times, 1);
  }

  // Shard k has the numbers from k * k to (k + 1) * (k + 1) - 1.
  void what_was_read_through_is_not_opened_again() {
    Job job("own-loader", {"--shards"});
    std::map<std::pair<int, int>, int> seen;
    int opened = 0;
    for (const auto& [replicas, signal] : {std::pair{2, "2:1"}, {3, "5:0"}, {1, "11:0"}, {2, ""}}) {
      const auto before = seen;
      const auto all = job.generation(replicas, signal);
      QVERIFY(all_ended(all, *signal ? 143 : 0));
      for (const Replica& replica : all) {
        for (const Json& line : replica.lines("optimizer_step"))
          for (const int id : line.at("ids")) ++seen[{line.at("epoch"), id}];
        for (const Json& line : replica.lines("opened")) {
          const int shard = line.at("opened"), last = (shard + 1) * (shard + 1);
          bool is_read = true;
          for (int number = shard * shard; number < last; ++number)
            is_read = is_read && before.contains({line.at("epoch"), number});
          QVERIFY2(!is_read, line.dump().c_str());
          ++opened;
        }
      }
    }
    QVERIFY(opened >= 20);
    QCOMPARE(std::ssize(seen), 200);
    for (const auto& [sample, times] : seen) QCOMPARE(times, 1);
  }

  // 102 windows. The columns change with every number of replicas, but not with a restart alone.
  void each_token_of_a_text_once_whatever_the_restarts() {
    Job job("own-loader", {"--bptt"});
    std::map<int, int> targets;
    std::map<int, Json> last;  // first tokens by rank, of the batch before
    int before = 0;
    for (const auto& [replicas, signal] :
         {std::pair{2, "3:1"}, {2, "5:0"}, {3, "9:2"}, {1, "12:0"}, {4, ""}}) {
      const auto all = job.generation(replicas, signal);
      QVERIFY(all_ended(all, *signal ? 143 : 0));
      if (before != replicas) last.clear();
      before = replicas;
      for (int rank = 0; rank < replicas; ++rank)
        for (const Json& line : all[static_cast<std::size_t>(rank)].lines("optimizer_step")) {
          for (const int target : line.at("targets"))
            if (target != -100) ++targets[target];
          const Json first = line.at("first"), continues = line.at("continues");
          for (std::size_t column = 0; column < continues.size() && !line.at("targets").empty(); ++column)
            QCOMPARE(continues[column] == 1,
                     !last[rank].empty() && first[column].get<int>() == last[rank][column].get<int>() + 5);
          last[rank] = first;
        }
    }
    QCOMPARE(targets.size(), 507u);
    for (const auto& [token, times] : targets) QCOMPARE(times, 1);
    QCOMPARE(targets.begin()->first, 1);
  }
};

BATCHSCOPE_TEST(TestOwnLoader)
#include "test_own_loader.moc"
