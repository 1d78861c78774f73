// SPDX-License-Identifier: Apache-2.0
//
// The words for a change that makes the pool decide anew, and whether a person waits for it.
#include "changes.h"

#include <functional>

#include "planned.h"
#include "rows.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::testing;

using Edit = std::function<void(World&)>;

class TestChanges : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatChangedIsTold_data() {
    const auto row = columns<Edit, QString, bool>({"edit", "cause", "urgent"});
    row(
        "nothing", [](World&) {}, "", false);
    row(
        "time alone", [](World& world) { world.now += 60; }, "", false);
    row(
        "settings", [](World& world) { world.settings.turn = 90; }, "the settings were changed", true);
    row(
        "nodes of a person", [](World& world) { world.settings.agents = "n2"; }, "the settings were changed",
        true);
    row(
        "nodes of a command",
        [](World& world) {
          world.settings.agents = "n2";
          world.settings.nodes_from = "bring";
        },
        "the nodes have changed", true);
    row(
        "the command alone", [](World& world) { world.settings.nodes_from = "bring"; },
        "the settings were changed", true);
    row(
        "cores", [](World& world) { world.machine.cores.pop_back(); }, "the machine's devices have changed",
        false);
    row(
        "GPUs", [](World& world) { world.machine.gpus = {"cuda:0"}; }, "the machine's devices have changed",
        false);
    row(
        "a new one", [](World& world) { world.members.push_back(member("c")); }, "c arrived", false);
    row(
        "one less", [](World& world) { world.members.erase(world.members.begin()); }, "a has ended", false);
    row(
        "one for another", [](World& world) { world.members[0] = member("c"); }, "c arrived", false);
    row(
        "held",
        [](World& world) {
          world.members[1].standing = Standing::outside;
          world.members[1].note = "is held";
        },
        "b is held", false);
    row(
        "to be paused", [](World& world) { world.members[0].to_be_paused = true; }, "a can be moved", false);
    row(
        "back again", [](World& world) { world.members[2].standing = Standing::free; }, "f can be moved",
        false);
    row(
        "waits",
        [](World& world) {
          world.members[2].standing = Standing::free;
          world.members[2].held.clear();
          world.members[2].reserved.clear();
        },
        "f waits", false);
    row(
        "has some on the way",
        [](World& world) {
          world.members[2].standing = Standing::free;
          world.members[2].held.clear();
        },
        "f can be moved", false);
    row(
        "another range", [](World& world) { world.members[0].run.spec.auto_replicas->max = 3; },
        "a asks for another number of replicas", true);
    row(
        "a fixed number", [](World& world) { world.members[1].run.spec.auto_replicas.reset(); },
        "b asks for another number of replicas", true);
    row(
        "beside the queue", [](World& world) { world.members[2].run.spec.auto_replicas->max = 3; }, "",
        false);
    row(
        "a model",
        [](World& world) {
          world.members[0].model.emplace();
          world.members[0].model->step = 0;
        },
        "a was measured again", false);
    row(
        "more replicas", [](World& world) { world.members[0].max_profiled = 9; }, "a was measured again",
        false);
    row(
        "fewer devices", [](World& world) { world.members[0].held.pop_back(); }, "", false);
    row(
        "no device", [](World& world) { world.members[0].held.clear(); }, "a gave its devices back", false);
    row(
        "a device", [](World& world) { world.members[1].held = {"cpu:3"}; }, "b has devices", false);
    row(
        "a name", [](World& world) { world.members[1].run.name = "mine"; }, "b is called mine now", false);
    row(
        "the first of two",
        [](World& world) {
          world.members[0].held.clear();
          world.members.push_back(member("c"));
        },
        "a gave its devices back", false);
    row(
        "a person's behind another",
        [](World& world) {
          world.members[0].held.clear();
          world.members[1].run.spec.auto_replicas->max = 3;
        },
        "a gave its devices back", true);
  }
  void whatChangedIsTold() {
    QFETCH(const Edit, edit);
    World now = world({member("a", 2, {"cpu:0", "cpu:1"}), member("b"), fixed("f", {"cpu:2"})}, 4);
    now.members[2].run.name = "f";
    Changes changes;
    QVERIFY(!changes.has_looked());
    const Change first = changes.since_last(now);
    QCOMPARE(first.cause, "a arrived");
    QVERIFY(!first.is_urgent && changes.has_looked());
    edit(now);
    for (const bool is_new : {true, false}) {
      const Change change = changes.since_last(now);
      QFETCH(const QString, cause);
      QFETCH(const bool, urgent);
      QCOMPARE(QString::fromStdString(change.cause), is_new ? cause : QString());
      QCOMPARE(change.is_urgent, is_new && urgent);
    }
  }

  void aPoolBeginsWithNobody() {
    Changes changes;
    QCOMPARE(changes.since_last(world({})).cause, "the pool began");
    QCOMPARE(changes.since_last(world({})).cause, "");
  }

  void whoWaits() {
    Member one = member("a");
    QVERIFY(waits(one));
    one.reserved = {"cpu:0"};
    QVERIFY(!waits(one));
    one.reserved.clear();
    for (const Standing standing : {Standing::fixed, Standing::in_motion, Standing::outside}) {
      one.standing = standing;
      QVERIFY(!waits(one));
    }
  }
};

BATCHSCOPE_TEST(TestChanges)
#include "test_changes.moc"
