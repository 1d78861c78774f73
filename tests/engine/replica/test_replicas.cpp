// SPDX-License-Identifier: Apache-2.0
//
// Several replicas: how they meet, what they compute together, how they share the data, and how they leave.
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <functional>
#include <set>
#include <thread>

#include "adapt/metrics.h"
#include "adapt/step_context.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/replica/accumulator.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/collective.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/replica/gradient_average.h"
#include "generations.h"
#include "process/process.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;
using batchscope::testing::Program;

class TestReplicas : public QObject {
  Q_OBJECT

  using Json = protocol::Json;

  static std::string error_of(const Program::Ended& ended) {
    return ended.said.empty() ? "nothing was thrown" : ended.said.back().value("error", "nothing was thrown");
  }
  static void end_step() {
    if (step_context().optimizer_step)
      metrics::commit_step({.gain = 1, .gradient = {1, 10}});
    else
      metrics::end_micro_step();
  }
  static int usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  }
  // An epoch of 23 samples, 8 a step, whose samples are counted and said.
  static void train(const std::function<void()>& after_step = [] {}) {
    AdaptiveDataLoaderHelper training({.size = 23, .batch_size = 8});
    Accumulator<std::int64_t> seen;
    for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
      for (auto loop = training.loop(); !loop.done(); loop.advance()) {
        const auto positions = loop.pass()->positions(loop.number());
        Program::say({{"positions", positions}, {"weight", step_context().gradient_weight}});
        seen["samples"] += std::ssize(positions);
        end_step();
        after_step();
      }
    Program::say({{"seen", seen.synchronized()["samples"]}, {"steps", metrics::steps()}});
  }
  static std::multiset<std::int64_t> positions_of(const std::vector<Program::Ended>& replicas) {
    std::multiset<std::int64_t> all;
    for (const auto& replica : replicas)
      for (const Json& line : replica.said)
        if (line.contains("positions"))
          for (const std::int64_t position : line.at("positions")) all.insert(position);
    return all;
  }
  static std::multiset<std::int64_t> upto(std::int64_t size) {
    std::multiset<std::int64_t> all;
    for (std::int64_t position = 0; position < size; ++position) all.insert(position);
    return all;
  }

 private Q_SLOTS:
  // --- how they meet ---

  void placesThatCannotBeAreRefused() {
    const auto refused = [](const ProcessGroupOptions& options) {
      return error_of(Program().run([] {}, options));
    };
    VERIFY_HOLDS(refused({.world_size = 2, .rank = 2}), "rank 2 is not one of 2 replicas");
    VERIFY_HOLDS(refused({.world_size = 1, .rank = 1}), "rank 1 is not one of 1 replicas");
    for (const char* method :
         {"tcp://host", "tcp://host:", "tcp://host:0", "tcp://host:65536", "tcp://host:12x"})
      VERIFY_HOLDS(refused({.init_method = method, .world_size = 2, .rank = 1}), method);
    VERIFY_HOLDS(refused({.init_method = "carrier pigeon"}),
                 "expected env://, tcp://HOST:PORT or file://DIRECTORY");
    QCOMPARE(refused({.init_method = "tcp://127.0.0.1:65535"}), "nothing was thrown");
    QCOMPARE(refused({.world_size = 1, .rank = 0}), "nothing was thrown");
    VERIFY_HOLDS(error_of(Program().run([] { init_replica(); })), "was called twice");
  }

  void whereNobodyMeetsWhoIsMissingIsNamed() {
    Program program;
    program.variables[protocol::variable::kMeetingTimeout] = "0.1";
    const std::string folder = "file://" + program.path("folder");
    std::filesystem::create_directory(program.path("folder"));
    VERIFY_HOLDS(error_of(program.run([] {}, {.init_method = folder, .world_size = 3, .rank = 0})),
                 "replicas 1, 2 did not appear within 100 ms");
    VERIFY_HOLDS(
        error_of(program.run([] {}, {.init_method = folder + "/nowhere", .world_size = 3, .rank = 0})),
        "cannot meet at");
    Program unset;
    VERIFY_HOLDS(error_of(unset.run([] {}, {.world_size = 2, .rank = 0})), "needs a place to meet");
  }

  void theSchedulerIsAskedWhereNothingElseSaysWhereToMeet() {
    Program program;
    program.variables[protocol::variable::kSupervisorUrl] = "http://127.0.0.1:1/token";
    program.variables[protocol::variable::kMeetingTimeout] = "0.1";
    QCOMPARE(program.run([] {}).code, 0);  // alone it meets nobody
    const ProcessGroupOptions second{.world_size = 2, .rank = 1};
    VERIFY_HOLDS(error_of(program.run([] {}, second)), "did not come within 0.1 s");
    program.variables[protocol::variable::kMasterAddress] = "127.0.0.1";
    VERIFY_HOLDS(error_of(program.run([] {}, second)), "needs a place to meet");
  }

  void whatIsChosenOfTheEnvironmentIsKnown() {
    Program program;
    program.variables[protocol::variable::kCollectiveTimeout] = "2.5";
    program.variables[protocol::variable::kMemoryPath] = program.path("memory");
    const auto chosen = [&](const ProcessGroupOptions& options = {}) {
      const auto ended = program.run(
          [] {
            const Process& now = process();
            Program::say({now.environment.num_replicas, now.environment.replica_rank, now.timeout.count(),
                          now.environment.memory_path.empty()});
          },
          options);
      return ended.said.back().dump();
    };
    QCOMPARE(chosen(), "[1,0,2500,false]");
    QCOMPARE(chosen({.timeout = std::chrono::milliseconds(70)}), "[1,0,70,false]");
    program.variables[protocol::variable::kNumNodes] = "2";  // no other node reads this one's memory
    QCOMPARE(chosen(), "[1,0,2500,true]");
  }

  // It was given GPUs, and computes on the machine's cores.
  void aProgramThatUsesNoGpuSharesTheCores() {
    const int cores = usable_cores();
    const auto devices = [](const std::map<std::string, std::string>& variables, const char* count = "3") {
      Program program;
      program.variables = variables;
      program.variables[protocol::variable::kNumDevices] = count;
      return program.run([] { Program::say({process().environment.num_devices}); }).said.back()[0].get<int>();
    };
    QCOMPARE(devices({{"CUDA_VISIBLE_DEVICES", "0,1,2"}}), cores);
    QCOMPARE(devices({{"CUDA_VISIBLE_DEVICES", "0,1,2"}, {protocol::variable::kDevicesPerReplica, "2"}}),
             std::max(1, cores / 2));
    QCOMPARE(devices({{"CUDA_VISIBLE_DEVICES", "0,1,2"}, {protocol::variable::kDevicesPerReplica, "4096"}}),
             1);
    QCOMPARE(devices({{"CUDA_VISIBLE_DEVICES", "0"}}, "1"), cores);
    QCOMPARE(devices({{"CUDA_VISIBLE_DEVICES", "0"}}, ""), 0);  // nobody said how many
    QCOMPARE(devices({{"CUDA_VISIBLE_DEVICES", ""}}), 3);
    QCOMPARE(devices({{"CUDA_VISIBLE_DEVICES", "0,1,2"}, {protocol::variable::kDevice, "cpu"}}), 3);
    // The cores that count are those that it may run on.
    Program bound;
    bound.variables = {{"CUDA_VISIBLE_DEVICES", "0,1"}, {protocol::variable::kNumDevices, "2"}};
    bound.start = [](const ProcessGroupOptions& options) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(::sched_getcpu(), &one);
      if (::sched_setaffinity(0, sizeof one, &one) != 0) ::_exit(9);
      init_replica(options);
    };
    QCOMPARE(bound.run([] { Program::say(process().environment.num_devices); }).said.back().dump(), "1");
  }

  // --- what they compute together ---

  void valuesAreTheSameOnAll() {
    const auto replicas = Program().run_replicas(3, [] {
      const int rank = replica_rank();
      Program::say({{"replicas", num_replicas()}, {"rank", rank}});
      auto pending =
          collective::all_reduce_async("later", std::string(1, static_cast<char>('a' + rank)),
                                       [](const std::string& a, const std::string& b) { return a + b; });
      Json all{{"sum", collective::sum("one", 0.5 + rank)},
               {"sums", collective::sum("two", std::vector<double>{1, 10.0 * rank})},
               {"max", collective::max("most", rank == 1 ? 7 : -rank)},
               {"first", collective::broadcast("first", std::to_string(rank + 5))},
               {"all", collective::gather("all", std::string(static_cast<std::size_t>(rank), 'x'))},
               {"reduced", collective::all_reduce("by value", rank + 1, std::multiplies<>())}};
      all["later"] = pending.wait();
      collective::barrier("end");
      Program::say(all);
      try {
        pending.wait();
      } catch (const Error& error) {
        Program::say({{"error", error.what()}});
      }
    });
    for (std::size_t rank = 0; rank < 3; ++rank) {
      QCOMPARE(replicas[rank].code, 0);
      QCOMPARE(replicas[rank].said.at(0).dump(), (Json{{"replicas", 3}, {"rank", rank}}.dump()));
      const Json& said = replicas[rank].said.at(1);
      QCOMPARE(said.at("sum").get<double>(), 4.5);
      QCOMPARE(said.at("sums").get<std::vector<double>>(), (std::vector<double>{3, 30}));
      QCOMPARE(said.at("max").get<int>(), 7);
      QCOMPARE(said.at("first").get<std::string>(), "5");
      QCOMPARE(said.at("all").get<std::vector<std::string>>(), (std::vector<std::string>{"", "x", "xx"}));
      QCOMPARE(said.at("reduced").get<int>(), 6);
      QCOMPARE(said.at("later").get<std::string>(), "abc");
      VERIFY_HOLDS(error_of(replicas[rank]), "wait() was called twice");
    }
  }

  // It has the group's time-out, or a longer one where a replica has long work of its own.
  void aBarrierWaitsForWhoIsLate() {
    const auto after = [](int late, std::chrono::milliseconds timeout, const char* of_the_group) {
      Program program;
      program.variables[protocol::variable::kCollectiveTimeout] = of_the_group;
      program.variables[protocol::variable::kMeetingTimeout] = "20";
      std::string all;
      for (const auto& ended : program.run_replicas(2, [=] {
             if (replica_rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(late));
             collective::barrier("end", timeout);
           }))
        all += error_of(ended) + "\n";
      return all;
    };
    const std::string none = "nothing was thrown\nnothing was thrown\n";
    QCOMPARE(after(100, {}, "20"), none);
    QCOMPARE(after(300, std::chrono::seconds(20), "0.1"), none);
    VERIFY_HOLDS(after(300, {}, "0.1"), "replica 1 did not take part in barrier 'end' in time\n");
  }

  void oneReplicaIsAsGoodAsItsOwn() {
    const auto ended = Program().run([] {
      auto pending =
          collective::all_reduce_async("a", "x", [](const auto& a, const auto&) { return a + "?"; });
      Program::say({collective::sum("a", 2.5), collective::max("a", -3),
                    collective::broadcast("a", std::string("v")),
                    collective::gather("a", std::string("v")).size(), pending.wait()});
    });
    QCOMPARE(ended.said.at(0).dump(), (Json{2.5, -3, "v", 1, "x"}.dump()));
  }

  void vectorsOfTwoLengthsAreRefused() {
    const auto replicas = Program().run_replicas(
        2, [] { collective::sum("a", std::vector<double>(static_cast<std::size_t>(replica_rank() + 1))); });
    for (const auto& replica : replicas) {
      QCOMPARE(replica.code, 1);
      VERIFY_HOLDS(error_of(replica), "sum 'a': replicas passed vectors of 1 and 2 numbers");
    }
  }

  // The noise scale that is fed with all gradients.
  void gradientsAreAveragedOverAllReplicas() {
    const auto replicas = Program().run_replicas(2, [] {
      GradientAverage average(2);
      for (int i = 0; i < 3; ++i) {
        step_context() = {.initial_batch_size = 4, .local_batch_size = 4, .samples = 8};
        const auto step = average.add(std::vector<double>{1.0 + i + replica_rank(), 2});
        Program::say({{"gradient", step->gradient}, {"gain", step->gain}});
        average.finish(0.1);
      }
    });
    goodput::NoiseScale noise(1);
    for (int i = 0; i < 3; ++i) {
      const double first = 1.0 + i, second = 2.0 + i, mean = (first + second) / 2;
      noise.update({{first * first + 4 + second * second + 4}, {mean * mean + 4}, 2, 2, {}, {}});
      for (const auto& replica : replicas) {
        const Json& said = replica.said.at(static_cast<std::size_t>(i));
        QCOMPARE(said.at("gradient").get<std::vector<double>>(), (std::vector<double>{mean, 2}));
        QCOMPARE(said.at("gain").get<double>(), noise.gain(2));
      }
    }
  }

  // A single replica's pairs of gradients, the last of which the checkpoint holds.
  void theNoiseGoesOnAfterARestart() {
    const auto step = [](GradientAverage& average, double gradient) {
      step_context() = {.initial_batch_size = 4, .local_batch_size = 8, .samples = 8};
      const double gain = average.add(std::vector{gradient})->gain;
      average.finish(0.1);
      return gain;
    };
    Program broken, whole;
    broken.run([step] {
      GradientAverage average(1);
      for (const double gradient : {3.0, 1.0, 2.5}) step(average, gradient);
      checkpoint::save_all_states("manual");
    });
    const auto after = broken.run([step] {
      GradientAverage average(1);
      Program::say({step(average, -1), step(average, 4)});
      Program::say(metrics::steps());  // of both, though nobody asked for what was counted
    });
    const auto expected = whole.run([step] {
      GradientAverage average(1);
      for (const double gradient : {3.0, 1.0, 2.5}) step(average, gradient);
      Program::say({step(average, -1), step(average, 4)});
    });
    QCOMPARE(after.said.at(0).dump(), expected.said.at(0).dump());
    QCOMPARE(after.said.at(1).dump(), "5");
  }

  // --- how they share the data ---

  // 23 samples, 8 a step: the last step has 7, of which the replicas' shares differ.
  void eachSampleIsOneReplicas_data() {
    QTest::addColumn<int>("count");
    for (const int count : {1, 2, 3, 5}) QTest::addRow("%d replicas", count) << count;
  }
  void eachSampleIsOneReplicas() {
    QFETCH(int, count);
    const auto replicas = Program().run_replicas(count, [] { train(); });
    QCOMPARE(positions_of(replicas), upto(23));
    std::vector<double> weights(3);
    for (const auto& replica : replicas) {
      QCOMPARE(replica.code, 0);
      QCOMPARE(replica.said.back().at("seen").get<int>(), 23);
      QCOMPARE(replica.said.back().at("steps").get<int>(), 3);
      for (std::size_t step = 0; step < 3; ++step)
        weights[step] += replica.said.at(step).at("weight").get<double>() / count;
    }
    for (const double weight : weights) QCOMPARE(weight, 1.0);
  }

  // A person's signal to one of them is all replicas' to follow, at the same step.
  void allLeaveTogetherAndGoOnAsOthers() {
    Program program;
    const auto first = program.run_replicas(2, [] {
      train([] {
        if (replica_rank() == 1 && metrics::steps() == 1) ::raise(SIGTERM);
      });
    });
    std::set<std::size_t> steps;
    for (const auto& replica : first) {
      QCOMPARE(replica.code, kExitCheckpointed);
      steps.insert(replica.said.size());
    }
    QCOMPARE(steps.size(), 1u);
    const protocol::Manifest manifest = program.newest();
    QCOMPARE(manifest.num_replicas, 2);
    QCOMPARE(manifest.step, static_cast<std::int64_t>(*steps.begin()));
    const auto second = program.run_replicas(3, [] { train(); });
    auto all = positions_of(first);
    all.merge(positions_of(second));
    QCOMPARE(all, upto(23));
    for (const auto& replica : second) {
      QCOMPARE(replica.code, 0);
      QCOMPARE(replica.said.back().at("seen").get<int>(), 23);  // the sums of both generations
    }
    QCOMPARE(program.newest().num_replicas, 3);
  }

  // A step takes at least a sample of each replica.
  void dropLastMayLeaveNothing() {
    const auto over = [](std::int64_t size) {
      return [size] {
        AdaptiveDataLoaderHelper training({.size = size, .batch_size = 4, .drop_last = true});
        for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
          for (auto loop = training.loop(); !loop.done(); loop.advance()) end_step();
        Program::say({{"steps", metrics::steps()}});
      };
    };
    for (const auto& replica : Program().run_replicas(3, over(5)))
      VERIFY_HOLDS(error_of(replica),
                   "drop_last drops the whole dataset: it has 5 samples, and a batch has 6");
    // One replica has used 4 of 9 samples; three would take 6.
    Program program;
    program.variables[protocol::variable::kTriggers] = R"(["step=1:stop"])";
    QCOMPARE(program.run(over(9)).code, kExitCheckpointed);
    for (const auto& replica : program.run_replicas(3, over(9))) {
      QCOMPARE(replica.code, 0);
      QCOMPARE(replica.said.back().at("steps").get<int>(), 1);
    }
  }

  void aStreamMustBeTheSameOnAll() {
    const auto replicas = Program().run_replicas(2, [] {
      AdaptiveDataLoaderHelper training({.batch_size = 4, .stream = [](std::int64_t, std::int64_t to) {
                                           return std::min<std::int64_t>(to, 10 + replica_rank());
                                         }});
      for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
        for (auto loop = training.loop(); !loop.done(); loop.advance()) end_step();
    });
    for (const auto& replica : replicas)
      VERIFY_HOLDS(error_of(replica), "the stream ends after 10 samples on one replica and not on another");
  }

  // --- how they end ---

  void whoEndsIsNamedByTheOthers() {
    const auto replicas = Program().run_replicas(2, [] {
      if (replica_rank() == 1) ::_exit(3);
      collective::sum("a", 1);
    });
    QCOMPARE(replicas[1].code, 3);
    QCOMPARE(error_of(replicas[0]), "replica 1 is gone: its connection ended before sum 'a'");
  }

  void aCheckpointThatRankZeroCannotWriteIsAnErrorOnAll() {
    struct Broken final : checkpoint::State {
      Broken() : State("broken") {}
      void save(std::ostream&) override { throw std::runtime_error("cannot say"); }
      void load(std::istream&) override {}
    };
    const auto replicas = Program().run_replicas(2, [] {
      Broken broken;
      checkpoint::save_all_states("manual");
    });
    QCOMPARE(error_of(replicas[0]), "cannot say");
    QCOMPARE(error_of(replicas[1]), "rank 0 could not write the checkpoint: cannot say");
  }
};

BATCHSCOPE_TEST(TestReplicas)
#include "test_replicas.moc"
