// SPDX-License-Identifier: Apache-2.0
//
// Numbers of replicas as people write them.
#include "batchscope/protocol/replicas.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;

class TestReplicas : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void numbersAndRanges() {
    QCOMPARE(ReplicaCount::parse("3").number, std::optional(3));
    QVERIFY(!ReplicaCount::parse("3").automatic);
    QVERIFY(ReplicaCount::parse("auto").automatic == (AutoReplicas{1, 0}));
    QVERIFY(ReplicaCount::parse("auto:2").automatic == (AutoReplicas{2, 0}));
    QVERIFY(ReplicaCount::parse("auto:2-8").automatic == (AutoReplicas{2, 8}));
    QVERIFY(ReplicaCount::parse("2-8").automatic == (AutoReplicas{2, 8}));
    QVERIFY(!ReplicaCount::parse("auto").number);
  }

  void textsSurvive() {
    for (const char* text : {"auto", "auto:2", "auto:1-4", "auto:4-4"})
      QCOMPARE(ReplicaCount::parse(text).automatic->text(), std::string(text));
  }

  void theFirstGenerationIsWithinTheRange() {
    QCOMPARE(ReplicaCount::parse("3").first(1), 3);
    QCOMPARE(ReplicaCount::parse("auto").first(2), 2);
    QCOMPARE(ReplicaCount::parse("auto:2").first(1), 2);
    QCOMPARE(ReplicaCount::parse("auto:1-4").first(8), 4);
    QCOMPARE(ReplicaCount{}.first(3), 3);
  }

  void aNumberIsNotARange() {
    VERIFY_THROWS("usage", "expected auto or auto:MIN-MAX, found \"3\"", Json("3").get<AutoReplicas>());
  }

  void nonsenseIsQuoted_data() {
    testing::rows("text", {"",        "0",       "-1",        "3.5",        "4097",
                           "two",     "auto:",   "auto:0",    "auto:4-1",   "auto:1-",
                           "auto:-4", "auto1-4", "automatic", "auto:1-4-8", "4-1",
                           "1-",      "-4",      "0-2",       "1-4-8",      "99999999999999999999"});
  }
  void nonsenseIsQuoted() {
    QFETCH(QString, text);
    VERIFY_THROWS("usage", "'" + text.toStdString() + "'", ReplicaCount::parse(text.toStdString()));
  }
};

BATCHSCOPE_TEST(TestReplicas)
#include "test_replicas.moc"
