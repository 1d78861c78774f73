// SPDX-License-Identifier: Apache-2.0
//
// Auto replicas with real processes: a run that moves by itself, and a person who takes over and gives back.
#include "scenario.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::AutoReplicas;
using Command = protocol::Request::Command;

namespace {

std::string chosen_by(const protocol::Json& status) { return status.at("auto_replicas").get<std::string>(); }

protocol::Json ask_auto(const std::string& id, const AutoReplicas& range) {
  protocol::Request request;
  request.command = Command::rescale;
  request.auto_replicas = range;
  return run::request(id, request, 20000);
}

}  // namespace

class TestAuto : public Scenario {
  Q_OBJECT

 private Q_SLOTS:
  void init() { begin(); }
  void movesUntilAPersonTakesOver() {
    protocol::RunSpec spec = spec_of(1, {"--steps", "1000000", "--model"});
    spec.auto_replicas = AutoReplicas{1, 2};
    const std::string id = start(spec);
    VERIFY_RUN(trains(id, 2));
    VERIFY_RUN(tells(id, "auto: from 1 to 2 replicas, for "));
    VERIFY_RUN(tells(id, "auto: stays on 2 replicas"));
    QCOMPARE(catalogue().generations(id).back().reason, "auto");
    QCOMPARE(chosen_by(ask(id, Command::status)), std::string("auto:1-2"));

    QCOMPARE(chosen_by(ask(id, Command::rescale, 1)), std::string(""));
    VERIFY_RUN(trains(id, 1));
    VERIFY_RUN(tells(id, "auto is off"));
    QVERIFY(!catalogue().run(id)->spec.auto_replicas);  // nor for the next supervisor

    QCOMPARE(chosen_by(ask_auto(id, {1, 2})), std::string("auto:1-2"));
    VERIFY_RUN(trains(id, 2));
    ask(id, Command::stop);
    VERIFY_RUN(reaches(id, protocol::RunState::stopped));
    QVERIFY(catalogue().run(id)->spec.auto_replicas == (AutoReplicas{1, 2}));
    QCOMPARE(catalogue().generations(id).size(), 4u);
  }

  // Whatever the model says: the steps before and after are compared.
  void aMoveThatDoesNotPayIsUndone() {
    protocol::RunSpec spec = spec_of(
        1, {"--steps", "1000000", "--step-ms", "20", "--model", "--model-from", "30", "--slow-on", "2"});
    spec.auto_replicas = AutoReplicas{1, 2};
    const std::string id = start(spec);
    VERIFY_RUN(tells(id, "auto: back to 1 replica, where goodput was 32 samples/s; it is 16 on 2"));
    VERIFY_RUN(trains(id, 1));
    VERIFY_RUN(tells(id, "auto: stays on 1 replica"));
    ask(id, Command::stop);
    VERIFY_RUN(reaches(id, protocol::RunState::stopped));
    QCOMPARE(catalogue().generations(id).size(), 3u);
  }

  void aCountThatCannotStartIsNotTriedAgainSoon() {
    protocol::RunSpec spec = spec_of(1, {"--steps", "300", "--model", "--die-on", "2"});
    spec.auto_replicas = AutoReplicas{1, 2};
    const std::string id = start(spec);
    VERIFY_RUN(reaches(id, protocol::RunState::finished));
    VERIFY_RUN(tells(id, "back to 1 replica"));
    VERIFY_RUN(tells(id, "auto: stays on 1 replica"));
    QCOMPARE(catalogue().generations(id).size(), 3u);
  }
};

BATCHSCOPE_TEST(TestAuto)
#include "test_auto.moc"
