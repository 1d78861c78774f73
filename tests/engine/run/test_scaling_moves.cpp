// SPDX-License-Identifier: Apache-2.0
//
// Restarts on other devices or on another number of replicas, by whoever wants them: what is leased for them,
// and when there is none. On a machine with four GPUs, as programs see it.
#include <algorithm>
#include <memory>

#include "batchscope/run/pool.h"
#include "machines.h"
#include "paying_model.h"
#include "scaled_run.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;
using protocol::AutoReplicas;
using Devices = std::vector<std::string>;

class TestScalingMoves : public QObject {
  Q_OBJECT

  const protocol::Model model_ = testing::paying_model(2, 100, 16);

  // A run on two of the GPUs.
  static std::unique_ptr<Scaled> on_gpus(const std::optional<AutoReplicas>& range = {}, int of_each = 0) {
    auto run = std::make_unique<Scaled>(range, std::nullopt, "cuda", of_each);
    run->scaling->automate();
    run->scaling->take_devices(2, "start");
    return run;
  }
  static void go_to(Scaled& run, const Allocation& allocation) {
    const int before = run.fixture.machine.allocation().replicas;
    run.fixture.machine.rescale(allocation);
    run.fixture.all_exit(before, 143);
    run.fixture.machine.first_step();
    run.fixture.log.take();
  }
  // Returns to how many the model moves it, at last; 0: to none.
  int chosen(Scaled& run) const {
    for (int i = 0; i < 20 && run.fixture.machine.training(); ++i)
      run.scaling->consider(model_, {2, 2, 0.25, 60, false});
    return run.fixture.machine.training() ? 0 : run.fixture.machine.target().replicas;
  }
  static MeasuredRate rate(double goodput) {
    MeasuredRate rate;
    rate.steps = 20;
    rate.goodput = goodput;
    return rate;
  }

 private Q_SLOTS:
  void init() { qputenv("CUDA_VISIBLE_DEVICES", "0,1,2,3"); }
  void cleanup() { qunsetenv("CUDA_VISIBLE_DEVICES"); }

  void devicesAreTakenBeforeARestartAndGivenBackAfterIt() {
    const auto run = on_gpus();
    Log& log = run->fixture.log;
    QVERIFY(run->devices() == (Devices{"cuda:0", "cuda:1"}));
    QVERIFY(run->scaling->devices() == (Devices{"cuda:0", "cuda:1"}));
    run->scaling->move_to(Allocation(0, {"cuda:1", "cuda:0"}), "pool");  // where it is
    QCOMPARE(log.take(), "");
    run->scaling->move_to(Allocation(0, {"cuda:3"}), "pool");
    QVERIFY(run->devices() == (Devices{"cuda:0", "cuda:1", "cuda:3"}));
    run->scaling->keep_devices();  // it is on its way
    QCOMPARE(run->devices().size(), 3u);
    run->fixture.all_exit(2, 143);
    QCOMPARE(log.take(), "term; checkpointed; launch 1 cuda:3 pool; ");
    run->scaling->keep_devices();  // there is a way back
    QCOMPARE(run->devices().size(), 3u);
    run->fixture.machine.first_step();
    run->scaling->keep_devices();
    QVERIFY(run->devices() == Devices{"cuda:3"});
    const auto events = run->runs.catalogue().lease_events(0);
    const auto taken = std::find_if(events.begin(), events.end(),
                                    [](const auto& event) { return event.device == "cuda:3"; });
    QVERIFY(taken != events.end());
    QCOMPARE(taken->why, "pool");
    QCOMPARE(taken->generation, 1);
    run->fixture.machine.pause();
    run->fixture.machine.replica_exited(exited(0, 143));
    VERIFY_THROWS("conflict", "the run is paused", run->scaling->move_to(4, "rescale"));
    QVERIFY(run->devices().empty());
    run->scaling->take_devices(1, "resume");
    run->scaling->release_devices();
    QVERIFY(run->devices().empty());
  }

  void whatCannotBeHadChangesNothing() {
    const auto run = on_gpus();
    VERIFY_THROWS("conflict", "5", run->scaling->move_to(5, "rescale"));
    VERIFY_THROWS("conflict", "cuda:7", run->scaling->move_to(Allocation(0, {"cuda:7"}), "rescale"));
    QCOMPARE(run->fixture.log.take(), "");
    QVERIFY(run->devices() == (Devices{"cuda:0", "cuda:1"}));
  }

  // --- the model ---

  void theModelMovesARun() {
    const auto run = on_gpus(AutoReplicas{1, 4});
    const int number = chosen(*run);
    QVERIFY(number > 2 && number <= 4);
    QCOMPARE(run->fixture.log.take(), "term; ");
    QCOMPARE(run->devices().size(), static_cast<std::size_t>(number));
    VERIFY_HOLDS(run->told, "info: auto: stays on 2 replicas for now",
                 "info: auto: from 2 to " + std::to_string(number) + " replicas, for ",
                 "debug: auto: predicted goodput ");
    const std::string told = run->told;
    run->scaling->consider(model_, {2, 2, 0.25, 60});  // it is on its way
    QCOMPARE(run->told, told);
    run->fixture.all_exit(2, 143);
    QCOMPARE(run->fixture.log.take(), "checkpointed; launch " + std::to_string(number) + " auto; ");
  }

  void theModelIsNotAskedWhereAPersonOrAPoolDecides() {
    const auto person = on_gpus();
    QCOMPARE(chosen(*person), 0);
    QCOMPARE(person->told, "");
    person->scaling->judge(1, rate(100), 2, rate(50));
    QCOMPARE(person->fixture.log.take(), "");

    const auto run = on_gpus(AutoReplicas{1, 4});
    {
      const StoreLock pool(kPool);
      QCOMPARE(chosen(*run), 0);
      QCOMPARE(std::exchange(run->told, {}), "debug: the pool decides the number of replicas\n");
      run->scaling->judge(1, rate(100), 2, rate(50));
      QCOMPARE(run->told, "");
    }
    QVERIFY(chosen(*run) > 2);  // it is gone
  }

  void thereIsNoMoveToWhatOthersHave() {
    const auto run = on_gpus(AutoReplicas{1, 4});
    const std::string other = run->runs.add(run->spec);
    run->runs.catalogue().lease_devices(other, [](const auto&, const auto&) {
      return Devices{"cuda:2", "cuda:3"};
    });
    QCOMPARE(chosen(*run), 0);
  }

  void overNodesTheirRoomIsTheMost() {
    const auto run = on_gpus(AutoReplicas{1, 0});
    run->scaling->use_nodes(0, {{"n2", machine_with(2, 4)}});
    QCOMPARE(run->scaling->room(), std::optional(8));  // one for each of this node's GPUs
    const auto cores = std::make_unique<Scaled>(std::nullopt, std::nullopt, "cpu");
    cores->scaling->use_nodes(0, {{"n2", machine_with(2, 4)}});
    QCOMPARE(cores->scaling->room(), std::optional(2));
    const auto any = std::make_unique<Scaled>(std::nullopt, std::nullopt, "auto");
    any->scaling->use_nodes(0, {{"n2", machine_with(2, 4)}, {"n3", machine_with(2, 4)}});
    QCOMPARE(any->scaling->room(), std::optional(12));
    qputenv("CUDA_VISIBLE_DEVICES", "");
    const auto none = std::make_unique<Scaled>(std::nullopt, std::nullopt, "auto");
    none->scaling->use_nodes(0, {{"n2", machine_with(2, 4)}});
    QCOMPARE(none->scaling->room(), std::optional(2));
    none->scaling->use_nodes(3, {});
    QCOMPARE(none->scaling->room(), std::optional(3));
  }

  // A number that the model chose and that never came up is not chosen again at once.
  void aNumberThatDidNotStartIsRefused() {
    storage::Generation failed;
    failed.reason = "auto";
    const int first = chosen(*on_gpus(AutoReplicas{1, 4}));
    failed.replicas = first;
    for (const bool came_up : {false, true})
      for (const char* const reason : {"auto", "rescale"}) {
        const auto run = on_gpus(AutoReplicas{1, 4});
        failed.reason = reason;
        run->scaling->begin_generation(failed, came_up);
        const bool refused = !came_up && failed.reason == "auto";
        QCOMPARE(chosen(*run) != first, refused);
      }
  }

  void eachGenerationIsToldOnceThatItStays() {
    const auto run = on_gpus(AutoReplicas{2, 2});
    for (int i = 0; i < 3; ++i) run->scaling->consider(model_, {2, 2, 0.25, 60});
    QCOMPARE(run->told.find("stays"), run->told.rfind("stays"));
    QVERIFY(testing::holds(run->told, "info: auto: stays on 2 replicas for now"));
    run->told.clear();
    run->scaling->begin_generation({}, true);
    run->scaling->consider(model_, {2, 2, 0.25, 60});
    QVERIFY(testing::holds(run->told, "info: auto: stays on 2 replicas for now"));
    on_gpus()->scaling->begin_generation({}, true);  // where nothing is chosen
  }

  void aMoveThatDoesNotPayIsUndone() {
    const auto run = on_gpus(AutoReplicas{1, 4});
    run->scaling->judge(1, rate(100), 2, rate(98));
    run->scaling->judge(2, rate(100), 2, rate(50));  // which was none
    QCOMPARE(run->told, "");
    run->scaling->judge(5, rate(100), 2, rate(90));
    VERIFY_HOLDS(std::exchange(run->told, {}),
                 "info: auto: back to 5 replicas, where goodput was 100 samples/s; it is 90 on 2\n",
                 "warning: auto: the run stays as it is for now: ");
    QCOMPARE(run->fixture.log.take(), "");
    run->scaling->judge(1, rate(100), 2, rate(90));
    QCOMPARE(run->told, "info: auto: back to 1 replica, where goodput was 100 samples/s; it is 90 on 2\n");
    run->scaling->judge(1, rate(100), 2, rate(80));  // it is on its way
    run->fixture.all_exit(2, 143);
    QCOMPARE(run->fixture.log.take(), "term; checkpointed; launch 1 auto; ");
    QCOMPARE(run->told, "info: auto: back to 1 replica, where goodput was 100 samples/s; it is 90 on 2\n");
  }

  // --- what is shared ---

  void allReplicasShareTheMachineOrWhatWasNamed() {
    const auto run = on_gpus(), pairs = on_gpus({}, 2);
    QCOMPARE(run->scaling->shared_devices(), 4);
    QCOMPARE(pairs->scaling->shared_devices(), 2);
    go_to(*run, Allocation(2, {"cuda:0", "cuda:1"}));
    go_to(*pairs, Allocation(2, {"cuda:0", "cuda:1"}));
    QCOMPARE(run->scaling->shared_devices(), 4);
    QCOMPARE(pairs->scaling->shared_devices(), 1);
    go_to(*run, Allocation(2, {"cuda:0"}));
    QCOMPARE(run->scaling->shared_devices(), 1);
    go_to(*run, 2);
    run->scaling->use_named_nodes({{"n2", machine_with(2, 3)}, {"n3", machine_with(1, 1)}});
    QCOMPARE(run->scaling->shared_devices(), 8);
    qputenv("CUDA_VISIBLE_DEVICES", "");
    QCOMPARE(Scaled({}, {}, "cuda").scaling->shared_devices(), 1);
  }

  void coresAreDividedWhereNobodySaidHowMany() {
    Scaled run({}, {}, "cpu"), pairs({}, {}, "cpu", 2);
    QVERIFY(run.scaling->divides_cores());
    QVERIFY(!pairs.scaling->divides_cores());
    go_to(run, Allocation(0, {"cpu:0"}));
    QVERIFY(!run.scaling->divides_cores());
  }

  void aProgramThatCannotUseGpusGivesThemBack() {
    for (const char* const device : {"cuda:0", "cpu"}) {
      Scaled run({}, {}, "auto");
      run.scaling->take_devices(2, "start");
      QVERIFY(run.devices() == (Devices{"cuda:0", "cuda:1"}));
      run.scaling->program_uses(device);
      run.scaling->program_uses("cpu");  // it has said so already
      const bool stays = device != std::string("cpu");
      for (const std::string& held : run.devices()) QCOMPARE(held.starts_with("cuda:"), stays);
      QVERIFY(!run.devices().empty());
      for (const auto& event : run.runs.catalogue().lease_events(0)) {
        QCOMPARE(event.generation, event.device.starts_with("cuda:") ? 1 : 0);  // the one that runs
        QCOMPARE(event.why, "start");
      }
      QCOMPARE(run.scaling->devices().size(), run.devices().size());
      QCOMPARE(run.told, "");
    }
    Scaled named({}, {}, "auto");
    go_to(named, Allocation(0, {"cuda:2"}));
    named.scaling->take_devices(named.fixture.machine.allocation(), "start");
    named.scaling->program_uses("cpu");
    QVERIFY(named.devices() == Devices{"cuda:2"});
    QCOMPARE(named.told, "warning: the program trains on cores and cannot use the GPUs that it was given\n");
  }
};

BATCHSCOPE_TEST(TestScalingMoves)
#include "test_scaling_moves.moc"
