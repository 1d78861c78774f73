// SPDX-License-Identifier: Apache-2.0
//
// The priorities that make the order which a person asks for.
#include "batchscope/common/queue_order.h"

#include <QStringList>

#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::common;

namespace {

// "a:0 b*:3": runs with their priorities, * where it is moved; each was submitted as its name says.
std::vector<QueuePlace> placesOf(const QString& text) {
  std::vector<QueuePlace> places;
  for (const QString& word : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const QString name = word.section(QLatin1Char(':'), 0, 0);
    places.push_back({name.left(1).toStdString(), word.section(QLatin1Char(':'), 1).toInt(),
                      static_cast<double>(name[0].unicode()), name.endsWith(QLatin1Char('*'))});
  }
  return places;
}

}  // namespace

class TestQueueOrder : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void anOrderIsMadeOfPriorities_data() {
    QTest::addColumn<QString>("order");  // run, * where it was moved, its priority; submitted as named
    QTest::addColumn<QString>("expected");
    QTest::newRow("as it is") << "a:0 b:0 c:0"
                              << "0 0 0";
    QTest::newRow("the last first") << "c*:0 a:0 b:0"
                                    << "1 0 0";
    QTest::newRow("the first last") << "b:0 c:0 a*:0"
                                    << "0 0 -1";
    QTest::newRow("between equals") << "a:0 c*:0 b:0 d:0"
                                    << "1 1 0 0";
    QTest::newRow("between others") << "a:5 c*:0 b:1"
                                    << "5 2 1";
    QTest::newRow("no more than needed") << "a:3 b*:0 c:3"
                                         << "3 3 3";
    QTest::newRow("at the top") << "b*:0 a:10"
                                << "10 9";
    QTest::newRow("nothing") << ""
                             << "";
  }

  void anOrderIsMadeOfPriorities() {
    QFETCH(QString, order);
    QFETCH(QString, expected);
    const auto priorities = prioritiesFor(placesOf(order));
    QVERIFY(priorities.has_value());
    QStringList found;
    for (const int priority : *priorities) found << QString::number(priority);
    QCOMPARE(found.join(QLatin1Char(' ')), expected);
  }

  void aMoveChangesWhatItMust() {
    const std::vector<QueuePlace> queue = placesOf("a:0 b:0 c*:0");
    QVERIFY((movedTo(queue, 0) == std::vector<PriorityChange>{{"c", 0, 1}}));
    QVERIFY((movedTo(queue, 1) == std::vector<PriorityChange>{{"b", 0, -1}}));
    QVERIFY(movedTo(queue, 2).empty());
    QVERIFY(movedTo(queue, 3).empty());
    QVERIFY((movedTo(placesOf("a*:0 b:0 c*:0 d:0"), 4) ==
             std::vector<PriorityChange>{{"a", 0, -1}, {"c", 0, -1}}));
  }

  // Each run submitted before the one above it needs a priority of its own.
  void prioritiesComeToAnEnd() {
    std::vector<QueuePlace> places;
    for (int i = 0; i < 21; ++i) places.push_back({std::to_string(i), 0, -static_cast<double>(i), false});
    QVERIFY(prioritiesFor(places).has_value());
    places.push_back({"one more", 0, -21, true});
    QVERIFY(!prioritiesFor(places).has_value());
    VERIFY_THROWS("conflict", "more priorities than there are between -10 and 10",
                  movedTo(places, places.size()));
  }
};

BATCHSCOPE_TEST(TestQueueOrder)
#include "test_queue_order.moc"
