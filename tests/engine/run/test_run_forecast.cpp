// SPDX-License-Identifier: Apache-2.0
//
// The models that a run's replicas tell, and what its supervisor makes of them: what is kept, predicted,
// measured, and chosen.
#include "batchscope/protocol/series.h"
#include "batchscope/run/machine.h"
#include "batchscope/run/prediction.h"
#include "paying_model.h"
#include "played_run.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::RunState;
using Command = protocol::Request::Command;
namespace series = protocol::series;

class TestRunForecast : public PlayedRun {
  Q_OBJECT

  static protocol::Model model() {
    protocol::Model model = testing::paying_model(1, 3);
    model.residual = 0.01;
    return model;
  }
  // Returns so many steps of a second each, with half of their samples' worth.
  static protocol::Steps seconds(std::int64_t first, std::size_t count, double batch_size, int replicas) {
    const auto all = [count](double value) { return std::vector<double>(count, value); };
    return {first,
            {{series::kMono, all(now())},
             {series::kStepTime, all(1)},
             {series::kBatchSize, all(batch_size)},
             {series::kReplicas, all(replicas)},
             {series::kLocalBatchSize, all(batch_size / replicas)},
             {series::kAccumulation, all(0)},
             {series::kEfficiency, all(0.5)}},
            0};
  }

  // Has its first steps, and tells a model that is kept.
  void tell_model(const PlayedReplica& replica, const std::string& id) {
    replica.say_hello(now());
    replica.tell(seconds(1, 3, 64, 1));
    replica.tell(model());
    if (!eventually([&] { return catalogue().model(id).has_value(); }))
      throw Error(ErrorKind::failure, story(id));
  }
  static double now() { return protocol::monotonic_seconds(); }

 private Q_SLOTS:
  void init() { begin(); }

  void whatWasPredictedIsKeptBesideWhatCame() {
    const std::string id = start(played(1));
    const PlayedReplica a(file(""), 0, 0);
    tell_model(a, id);
    const protocol::Model kept = *catalogue().model(id);
    QCOMPARE(kept.devices, static_cast<int>(Machine::here().cores.size()));
    QVERIFY(!kept.divides_cores);  // it does not say with how many it computes
    protocol::Model with_cores = model();
    with_cores.cores = 1;
    a.tell(with_cores);
    QVERIFY(eventually([&] { return catalogue().model(id)->divides_cores; }));
    a.tell(model());
    QVERIFY(eventually([&] { return catalogue().model(id)->cores == 0; }));

    const protocol::Json predicted = ask(id, Command::rescale, 2).at("predicted");
    const auto expected = predict(kept, 2);
    QCOMPARE(protocol::decode_number(predicted.at("goodput")), expected->goodput);
    QCOMPARE(protocol::decode_number(predicted.at("throughput")), expected->throughput);
    QCOMPARE(protocol::decode_number(predicted.at("error")), expected->error);
    QVERIFY(expected->error > 0);
    a.exit(143);
    const PlayedReplica b(file(""), 1, 0), c(file(""), 1, 1);
    b.say_hello(now());
    b.tell(seconds(4, 40, 64, 2));
    VERIFY_RUN(tells(id, " samples/s on 2 replicas, obtained 32 ("));
    ask(id, Command::stop);
    b.exit(143);
    c.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations[0].predicted_goodput, -1.0);
    QCOMPARE(generations[1].predicted_goodput, expected->goodput);
    QCOMPARE(generations[1].predicted_throughput, expected->throughput);
    QCOMPARE(generations[1].predicted_error, expected->error);
    QCOMPARE(generations[1].obtained_throughput, 64.0);
    QCOMPARE(generations[1].obtained_goodput, 32.0);

    // The next supervisor goes on with the model. As many replicas go on as they are.
    spawn_supervisor(id, 2, {});
    {
      const PlayedReplica d(file(""), 2, 0), e(file(""), 2, 1);
      ask(id, Command::stop);
      d.exit(143);
      e.exit(143);
    }
    VERIFY_RUN(reaches(id, RunState::stopped));
    QCOMPARE(catalogue().generations(id)[2].predicted_goodput, predict(kept, {1, 2, 32, 0}).goodput);
  }

  // The run moves by itself, and comes back where that did not pay.
  void theModelMovesTheRunThatIsLeftToIt() {
    if (Machine::here().cores.size() < 2) QSKIP("there is nowhere to go");
    protocol::RunSpec spec = played(1);
    spec.auto_replicas = protocol::AutoReplicas{1, 2};
    const std::string id = start(spec);
    QCOMPARE(status(id).auto_replicas, "auto:1-2");
    {
      const PlayedReplica a(file(""), 0, 0);
      tell_model(a, id);
      a.tell(seconds(4, 40, 64, 1));
      for (int i = 0; i < 10; ++i) a.tell(model());
      QVERIFY(a.gets("TERM\n"));
      a.exit(143);
    }
    {
      const PlayedReplica b(file(""), 1, 0), c(file(""), 1, 1);
      b.say_hello(now());
      b.tell(seconds(44, 40, 32, 2));  // half as much
      QVERIFY(b.gets("TERM\n") && c.gets("TERM\n"));
      b.exit(143);
      c.exit(143);
    }
    const PlayedReplica d(file(""), 2, 0);
    ask(id, Command::stop);
    d.exit(143);
    VERIFY_RUN(reaches(id, RunState::stopped));
    const auto generations = catalogue().generations(id);
    QCOMPARE(generations.size(), 3u);
    for (const std::size_t number : {1u, 2u}) QCOMPARE(generations[number].reason, "auto");
    VERIFY_HOLDS(story(id), "info: auto: from 1 to 2 replicas, for ", "debug: auto: predicted goodput ",
                 "info: auto: back to 1 replica, where goodput was 32 samples/s; it is 16 on 2");
  }

  void thatTheModelMovesNothingIsToldInEachGeneration() {
    protocol::RunSpec spec = played(1);
    spec.auto_replicas = protocol::AutoReplicas{1, 1};
    const std::string id = start(spec);
    for (const int generation : {0, 1}) {
      const PlayedReplica a(file(""), generation, 0);
      tell_model(a, id);
      for (int i = 0; i < 3; ++i) a.tell(model());
      a.tell(protocol::Notice{"info", "so far " + std::to_string(generation), 3});
      VERIFY_RUN(tells(id, "so far " + std::to_string(generation)));
      ask(id, generation == 0 ? Command::pause : Command::stop);
      a.exit(143);
      if (generation == 1) break;
      VERIFY_RUN(comes_to(id, RunState::paused));
      ask(id, Command::resume);
    }
    VERIFY_RUN(reaches(id, RunState::stopped));
    const auto lines = told(id);
    QCOMPARE(std::count_if(lines.begin(), lines.end(),
                           [](const std::string& line) {
                             return line.starts_with("info: auto: stays on 1 replica for now");
                           }),
             2);
  }

  // Runs of the same program know how much replicas slow one another down.
  void whatOthersHaveShownIsAFirstGuess() {
    const std::string other = catalogue().create_run(played(1));
    catalogue().lease_devices(other, [](const auto&, const auto&) {
      return std::vector<std::string>{Machine::here().cores.front()};
    });
    for (const int number : {0, 1}) {
      storage::Generation generation;
      generation.number = number;
      generation.replicas = 1 + number;
      generation.reason = "start";
      generation.started = generation.ended = 1e9;
      generation.first_step = 1;
      generation.last_step = 1000;
      catalogue().put_generation(other, generation);
    }
    protocol::Model shown = model();
    shown.contention = 0.25;
    shown.cores = 1;
    shown.devices = 2;
    catalogue().put_model(other, 1, shown);
    catalogue().release_devices(other);
    catalogue().set_state(other, RunState::stopped);
    const std::string id = start(played(1));
    PlayedReplica a(file(""), 0, 0);
    QCOMPARE(a.variable("BATCHSCOPE_CONTENTION"), "0.25");
    a.exit(0);
    VERIFY_RUN(reaches(id, RunState::finished));
  }
};

BATCHSCOPE_TEST(TestRunForecast)
#include "test_run_forecast.moc"
