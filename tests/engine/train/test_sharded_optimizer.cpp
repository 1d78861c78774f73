// SPDX-License-Identifier: Apache-2.0
//
// Optimizers whose state is shared out: the numbers are those of one process, whatever the number of replicas
// and wherever it changes, and no state is kept twice.
#include <ATen/ops/zeros.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/sgd.h>

#include <memory>

#include "batchscope/train/sharded_optimizer.h"
#include "parallel_training.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::testing;
using protocol::Json;

namespace {

// Parameters that are trained, each of which has a state.
constexpr int kTrained = 8;

}  // namespace

class TestShardedOptimizer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsOneProcess_data() {
    QTest::addColumn<int>("replicas");
    QTest::addColumn<int>("accumulation");
    for (int replicas : {1, 2, 3})
      for (int accumulation : {0, 1})
        QTest::addRow("%d replicas, accumulation %d", replicas, accumulation) << replicas << accumulation;
  }

  void equalsOneProcess() {
    QFETCH(int, replicas);
    QFETCH(int, accumulation);
    const auto all = train_replicas({{"replicas", replicas},
                                     {"accumulation", accumulation},
                                     {"steps", Json::array({50})},
                                     {"mode", "sharded"}});
    QCOMPARE(all.size(), static_cast<std::size_t>(replicas));
    VERIFY_WEIGHTS(all, plain());
  }

  void clipsTheWholeGradient() {
    const auto reference =
        train_replicas({{"replicas", 1}, {"steps", Json::array({20})}, {"mode", "plain-clip"}});
    const auto all =
        train_replicas({{"replicas", 2}, {"steps", Json::array({20})}, {"mode", "sharded-clip"}});
    QCOMPARE(all.size(), std::size_t(2));
    VERIFY_WEIGHTS(all, reference.at(0));
  }

  void keepsEachStateOnce() {
    const auto all = train_replicas({{"replicas", 3}, {"steps", Json::array({5})}, {"mode", "sharded"}});
    QCOMPARE(all.size(), std::size_t(3));
    for (const auto& [optimizer, first] : all[0].items()) {
      int sum = 0;
      for (const Json& replica : all) {
        const int states = replica[optimizer]["states"];
        QVERIFY2(states >= 1 && states < kTrained, optimizer.c_str());
        sum += states;
      }
      if (optimizer != "adagrad") QCOMPARE(sum, kTrained);  // which has one of the untrained, too
    }
  }

  void goesOnWithAnotherNumber_data() {
    QTest::addColumn<QString>("replicas");
    for (const char* replicas : {"[2,3,1]", "[1,2,2]", "[3,1,2]"}) QTest::newRow(replicas) << replicas;
  }

  // Checkpoints of as many replicas, read by as many others.
  void goesOnWithAnotherNumber() {
    QFETCH(QString, replicas);
    const Json generations = Json::parse(replicas.toStdString());
    const auto all = train_replicas(
        {{"replicas", generations}, {"steps", Json::array({20, 10, 20})}, {"mode", "sharded"}});
    QCOMPARE(all.size(), generations.back().get<std::size_t>());
    VERIFY_WEIGHTS(all, plain());
  }

  // FairScale's test_oss_adascale.py, test_sequential: AdaScale outside the sharding is AdaScale without it.
  void isFairScales_data() {
    QTest::addColumn<QString>("mode");
    QTest::newRow("whole") << "whole";
    QTest::newRow("sharded") << "sharded";
  }

  void isFairScales() {
    QFETCH(QString, mode);
    const auto replicas = run({"adascale", {"sequential", mode}, 2});
    QVERIFY(all_ended(replicas));
    for (const Replica& replica : replicas) {
      QVERIFY2(replica.said.contains("gain"), replica.said.dump().c_str());
      QVERIFY(std::abs(replica.said["gain"].get<double>() / 1.0335265132125744 - 1) < 1e-6);
      QVERIFY(std::abs(replica.said["mean_weight"].get<double>() / 52.92657661437988 - 1) < 1e-6);
    }
  }

  void callsTheClosureOnce() {
    at::Tensor parameter = at::zeros({1}).set_requires_grad(true);
    ShardedOptimizer optimizer(std::make_unique<torch::optim::SGD>(std::vector<at::Tensor>{parameter},
                                                                   torch::optim::SGDOptions(0.5)));
    int calls = 0;
    const at::Tensor loss = optimizer.step([&] {
      ++calls;
      optimizer.zero_grad();
      at::Tensor loss = (parameter * 3).sum();
      loss.backward();
      return loss;
    });
    QCOMPARE(calls, 1);
    QCOMPARE(loss.item<float>(), 0.0F);
    QCOMPARE(parameter.item<float>(), -1.5F);
  }

  // Steps are made with the options that are set on the groups here.
  void stepsByItsOwnGroups() {
    at::Tensor first = at::zeros({1}).set_requires_grad(true),
               second = at::zeros({1}).set_requires_grad(true);
    ShardedOptimizer optimizer(
        std::make_unique<torch::optim::SGD>(std::vector<at::Tensor>{first}, torch::optim::SGDOptions(0.5)));
    optimizer.param_groups()[0].options().set_lr(2);
    optimizer.add_param_group({{second}, std::make_unique<torch::optim::SGDOptions>(4)});
    (first + second).sum().backward();
    optimizer.step();
    QCOMPARE(first.item<float>(), -2.0F);
    QCOMPARE(second.item<float>(), -4.0F);
    QVERIFY(optimizer.owns(first) && optimizer.owns(second));
  }

  void refusesWhatNeedsAllAtOnce() {
    const std::vector<at::Tensor> parameters{at::zeros({1}).set_requires_grad(true)};
    VERIFY_THROWS("usage", "LBFGS", ShardedOptimizer(std::make_unique<torch::optim::LBFGS>(parameters)));
  }
};

BATCHSCOPE_TEST(TestShardedOptimizer)
#include "test_sharded_optimizer.moc"
