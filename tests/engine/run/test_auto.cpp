// SPDX-License-Identifier: Apache-2.0
//
// Auto replicas with real processes: a run that moves by itself, and a person who takes over and gives back.
#include "scenario.h"
#include "test_case.h"

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

class TestAuto : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void movesUntilAPersonTakesOver() {
    Scenario scenario;
    protocol::RunSpec spec = scenario.spec(1, {"--steps", "1000000", "--model"});
    spec.auto_replicas = AutoReplicas{1, 2};
    const std::string id = start_run(scenario.catalogue(), spec);
    VERIFY_RUN(scenario.trains(id, 2));
    VERIFY_RUN(scenario.tells(id, "auto: from 1 to 2 replicas; predicted goodput "));
    VERIFY_RUN(scenario.tells(id, "auto: stays on 2 replicas"));
    QCOMPARE(scenario.catalogue().generations(id).back().reason, "auto");
    QCOMPARE(chosen_by(scenario.ask(id, Command::status)), std::string("auto:1-2"));

    QCOMPARE(chosen_by(scenario.ask(id, Command::rescale, 1)), std::string(""));
    VERIFY_RUN(scenario.trains(id, 1));
    VERIFY_RUN(scenario.tells(id, "auto replicas are off"));
    QVERIFY(!scenario.catalogue().run(id)->spec.auto_replicas);  // nor for the next supervisor

    QCOMPARE(chosen_by(ask_auto(id, {1, 2})), std::string("auto:1-2"));
    VERIFY_RUN(scenario.trains(id, 2));
    scenario.ask(id, Command::stop);
    VERIFY_RUN(scenario.reaches(id, protocol::RunState::stopped));
    QVERIFY(scenario.catalogue().run(id)->spec.auto_replicas == (AutoReplicas{1, 2}));
    QCOMPARE(scenario.catalogue().generations(id).size(), 4u);
  }

  void aCountThatCannotStartIsNotTriedAgain() {
    Scenario scenario;
    protocol::RunSpec spec = scenario.spec(1, {"--steps", "300", "--model", "--die-on", "2"});
    spec.auto_replicas = AutoReplicas{1, 2};
    const std::string id = start_run(scenario.catalogue(), spec);
    VERIFY_RUN(scenario.reaches(id, protocol::RunState::finished));
    VERIFY_RUN(scenario.tells(id, "back to 1 replica"));
    VERIFY_RUN(scenario.tells(id, "auto: stays on 1 replica"));
    QCOMPARE(scenario.catalogue().generations(id).size(), 3u);
  }
};

BATCHSCOPE_TEST(TestAuto)
#include "test_auto.moc"
