// SPDX-License-Identifier: Apache-2.0
//
// AdaScaleOptimizer's calls by FairScale's own cases (tests/optim/test_single_node_adascale.py, with the data
// of golden_testing_data.py), in one process, where micro-batches stand for its ranks; and those for which
// FairScale has no case.
#include <ATen/ATen.h>
#include <torch/optim/sgd.h>

#include <memory>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/train/adascale.h"
#include "batchscope/train/lr_scheduler.h"
#include "replicas.h"
#include "rows.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::testing;

namespace {

using Vector = std::vector<double>;
using Vectors = std::vector<Vector>;

at::Tensor row(const Vector& values) { return at::tensor(values, at::kFloat); }

// A layer y = W x + b.
struct Layer {
  at::Tensor weight, bias;

  static Layer of(const Vector& weights, std::int64_t out, double bias) {
    return {row(weights).view({out, -1}).requires_grad_(true),
            at::full({out}, bias, at::kFloat).requires_grad_(true)};
  }
  std::vector<at::Tensor> parameters() const { return {weight, bias}; }
  at::Tensor operator()(const at::Tensor& x) const { return weight.mv(x) + bias; }
};

Layer square_layer() { return Layer::of({1, 2, 3, 4}, 2, 0.1); }

torch::optim::OptimizerParamGroup group(const Layer& layer) {
  return torch::optim::OptimizerParamGroup(layer.parameters());
}

bool all_close(double is, double should) {
  const bool fine = std::abs(is - should) <= 1e-5 * std::abs(should) + 1e-8;  // NumPy's allclose
  if (!fine) qWarning("%.12g instead of %.12g", is, should);
  return fine;
}

// A weight without bias, around which FairScale's smaller cases are.
struct OneWeight {
  explicit OneWeight(const AdaScaleOptimizer::Options& options, std::int64_t inputs = 2)
      : weight(at::rand({2, inputs}).requires_grad_(true)),
        adascale(std::make_unique<torch::optim::SGD>(std::vector<at::Tensor>{weight}, 0.1), options) {}

  at::Tensor loss(const Vector& x) const { return weight.mv(row(x)).sum(); }

  at::Tensor weight;
  AdaScaleOptimizer adascale;
};

}  // namespace

class TestFairscaleCases : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void accumulates_data() {
    const auto add = columns<std::vector<Vectors>, double, Vector>({"steps", "gain", "gradient"});
    add("orthogonal", {{{1, 0}, {0, 1}}, {{1, 0}, {0, 1}}}, 4.0 / 3, {0.5, 0.5});
    add("alike", {{{1, 1}, {1, 1}}, {{1, 1}, {1, 1}}}, 1.0000001249999846, {1, 1});
    add("opposite", {{{-1, 1}, {1, -1}}, {{-1, 1}, {1, -1}}}, 2, {0, 0});
    add("different", {{{1, 4}, {5, 0.5}}, {{1, 4}, {5, 0.5}}}, 1.4688796680497926, {3, 2.25});
    add("very different", {{{-0.2, 3}, {5, 0.5}}, {{-0.2, 3}, {5, 0.5}}}, 1.8472893901708, {2.4, 1.75});
    add("two steps", {{{-0.2, 3.3}, {5.2, 0.7}}, {{1, 4}, {3.1, 0.1}}}, 1.6720968158031417, {2.05, 2.05});
  }

  // test_grad_accum
  void accumulates() {
    QFETCH(std::vector<Vectors>, steps);
    QFETCH(double, gain);
    QFETCH(Vector, gradient);
    for (const bool is_scaled_loss : {true, false}) {
      const Layer layer = square_layer();
      torch::optim::SGD sgd(layer.parameters(), 0.1);
      AdaScaleOptimizer adascale(sgd, {.num_gradients_to_accumulate = 2, .is_scaled_loss = is_scaled_loss});
      for (const Vectors& step : steps) {
        adascale.zero_grad();
        for (const Vector& x : step) (layer(row(x)).sum() / (is_scaled_loss ? 2 : 1)).backward();
        if (!is_scaled_loss) adascale.scale_grad_by_num_grads_to_accum();
        if (&step == &steps.back()) break;
        adascale.step();
      }
      QVERIFY(all_close(adascale.gain(), gain));
      QVERIFY(at::allclose(layer.weight.grad(), row(gradient).expand({2, 2}), 1e-5, 1e-6));
      QVERIFY(at::allclose(layer.bias.grad(), at::ones({2})));
    }
  }

  void addsGroups_data() {
    const auto add = columns<bool, bool>({"debias", "is_scaled_loss"});
    add("debiased, scaled", true, true);
    add("debiased, not scaled", true, false);
    add("mean, scaled", false, true);
    add("mean, not scaled", false, false);
  }

  // test_add_param_group. Its total gain without debiasing, 1.139196, is of a second step that divides the
  // third group's only estimate by two; ours is that of a mean over the steps that the group has had, which
  // is all but that of a debiased average.
  void addsGroups() {
    QFETCH(bool, debias);
    QFETCH(bool, is_scaled_loss);
    std::vector<Layer> layers{square_layer()};
    torch::optim::SGD sgd(layers[0].parameters(), 0.1);
    AdaScaleOptimizer adascale(
        sgd, {.num_gradients_to_accumulate = 2, .debias_ewma = debias, .is_scaled_loss = is_scaled_loss});
    const auto add = [&](const Layer& layer) {
      adascale.add_param_group(group(layer));
      QCOMPARE(adascale.gain(layers.size()), 1.0);
      layers.push_back(layer);
    };
    const auto backward = [&] {
      adascale.zero_grad();
      for (const Vector& x : Vectors{{1, 2}, {3, 4}}) {
        at::Tensor y = row(x);
        for (const Layer& layer : layers) y = layer(y);
        (y.sum() / (is_scaled_loss ? 2 : 1)).backward();
      }
      if (!is_scaled_loss) adascale.scale_grad_by_num_grads_to_accum();
    };
    add(Layer::of({1, 2, 3, 4, 5, 6}, 3, 0.2));
    backward();
    QVERIFY(all_close(adascale.gain(), 1.1440223454935758));
    QVERIFY(all_close(adascale.gain(0), 1.1428571428571428));
    QVERIFY(all_close(adascale.gain(1), 1.1471258476157762));
    const at::Tensor before = layers[1].weight.detach().clone();
    adascale.step();
    QVERIFY(at::allclose(before - layers[1].weight, 0.1 * adascale.gain(1) * layers[1].weight.grad(), 1e-4,
                         1e-6));

    add(Layer::of({1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}, 4, 0.2));
    backward();
    QVERIFY(all_close(adascale.gain(), 1.1382937715383077));
    QVERIFY(all_close(adascale.gain(0), 1.142857206008338));
    QVERIFY(all_close(adascale.gain(1), 1.1116875516387468));
    QVERIFY(all_close(adascale.gain(2), 1.0749164095196344));
    adascale.step();
    QCOMPARE(sgd.param_groups().size(), std::size_t{3});
  }

  // The state comes from a checkpoint of a program that has added its groups before.
  void addedGroupsAreOfTheState() {
    const auto make = [](AdaScaleOptimizer& adascale, const Layer& layer) {
      adascale.add_param_group(group(layer));
    };
    OneWeight one({.num_gradients_to_accumulate = 2}), other({.num_gradients_to_accumulate = 2});
    const Layer layer = square_layer();
    make(one.adascale, layer);
    VERIFY_THROWS("corrupt", "state", other.adascale.restore(one.adascale.state()));
    make(other.adascale, square_layer());
    for (int i = 0; i < 2; ++i) ((one.loss({1, 1.0 * i}) + layer(row({0, 1})).sum()) / 2).backward();
    one.adascale.step();
    other.adascale.restore(one.adascale.state());
    QCOMPARE(other.adascale.gain(), one.adascale.gain());
    QCOMPARE(other.adascale.gain(1), one.adascale.gain(1));
  }

  // PyTorch's LambdaLR does not see a group that comes later.
  void schedulesLeaveLaterGroupsAlone() {
    OneWeight one({.num_gradients_to_accumulate = 2});
    LambdaLR schedule(one.adascale.optimizer(), [](int e) { return 1.0 / (1 + e); });
    one.adascale.add_param_group(group(square_layer()));
    schedule.step();
    QCOMPARE(schedule.learning_rates(), (Vector{0.05, 0.1}));
  }

  void accumulationChanges_data() {
    const auto add = columns<int, double>({"count", "gain"});
    add("3", 3, 2.141385737279438);
    add("6", 6, 2.9927880097754036);
    add("9", 9, 3.4461759591877312);
  }

  // test_set_num_gradients_to_accumulate
  void accumulationChanges() {
    QFETCH(int, count);
    QFETCH(double, gain);
    for (const bool is_scaled_loss : {true, false}) {
      OneWeight one({.num_gradients_to_accumulate = 2, .is_scaled_loss = is_scaled_loss});
      AdaScaleOptimizer& adascale = one.adascale;
      for (const Vector& x : Vectors{{0, 1}, {1, 0}}) (one.loss(x) / (is_scaled_loss ? 2 : 1)).backward();
      if (!is_scaled_loss) adascale.scale_grad_by_num_grads_to_accum();
      QVERIFY(all_close(adascale.gain(), 2));
      adascale.step();
      adascale.zero_grad();
      adascale.set_scale(count, AdaScaleOptimizer::ScaleChange::fairscale);
      adascale.set_num_gradients_to_accumulate(count);
      for (int i = 0; i < count; ++i) (one.loss({0, 1}) / count / (is_scaled_loss ? count : 1)).backward();
      if (!is_scaled_loss) adascale.scale_grad_by_num_grads_to_accum();
      QVERIFY(all_close(adascale.gain(), gain));
      adascale.step();
    }
  }

  void orthogonalGradientsGainTheScale_data() {
    const auto add = columns<double>({"scale"});
    add("of three accumulated", 4.0 / 3);
    add("of two accumulated", 2);
    add("of a single batch", 4);
  }

  // test_scale_not_equal_default
  void orthogonalGradientsGainTheScale() {
    QFETCH(double, scale);
    OneWeight one({.scale = scale, .num_gradients_to_accumulate = 4}, 4);
    for (const Vector& x : Vectors{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}})
      one.loss(x).backward();
    QVERIFY(all_close(one.adascale.gain(), scale));
  }

  // test_gradient_value; zero_grad leaves none, where FairScale's leaves zeros
  void gradientsAreNotChanged() {
    OneWeight one({.num_gradients_to_accumulate = 2});
    const auto gradient_is = [&](const Vector& row_of_each) {
      return one.weight.grad().equal(row(row_of_each).expand({2, 2}));
    };
    one.loss({0, 1}).backward();
    QVERIFY(gradient_is({0, 1}));
    one.loss({0, 1}).backward();
    QVERIFY(gradient_is({0, 2}));
    QVERIFY(all_close(one.adascale.gain(), 1.0000002499999376));
    one.adascale.step();
    QVERIFY(gradient_is({0, 2}));
    one.adascale.zero_grad();
    QVERIFY(!one.weight.grad().defined());
  }

  // test_loss_accum_cpu: losses that are added up make one gradient.
  void lossesAddedUpAreOneGradient() {
    OneWeight one({.num_gradients_to_accumulate = 3});
    (one.loss({0, 1}) + one.loss({1, 0}) + one.loss({1, 2})).backward();
    QCOMPARE(one.adascale.gain(), 1.0);
    VERIFY_THROWS("usage", "1 of 3", one.adascale.step());
  }

  // test_custom_smoothing_factor
  void smoothingIsAsItWasGiven() {
    OneWeight one({.smoothing = 0.12345, .num_gradients_to_accumulate = 3});
    QCOMPARE(one.adascale.smoothing(), 0.12345);
  }

  // test_unhook
  void unhookLetsTheParametersGo() {
    const Layer layer = square_layer();
    torch::optim::SGD sgd(layer.parameters(), 0.1);
    const auto uses = layer.weight.use_count();
    AdaScaleOptimizer adascale(sgd, {.num_gradients_to_accumulate = 2});
    for (const Vector& x : Vectors{{1, 0}, {0, 1}}) (layer(row(x)).sum() / 2).backward();
    QVERIFY(layer.weight.use_count() > uses);
    const double gain = adascale.gain();
    adascale.unhook();
    QCOMPARE(layer.weight.use_count(), uses);

    sgd.zero_grad();
    for (int i = 0; i < 3; ++i) layer(row({1, 0})).sum().backward();  // nobody counts
    sgd.step();
    QCOMPARE(adascale.gain(), gain);
    VERIFY_THROWS("usage", "step() after unhook()", adascale.step());
    VERIFY_THROWS("usage", "zero_grad() after unhook()", adascale.zero_grad());
    VERIFY_THROWS("usage", "after unhook()", adascale.add_param_group(group(square_layer())));
    AdaScaleOptimizer again(sgd, {.num_gradients_to_accumulate = 2});
    again.zero_grad();
    for (const Vector& x : Vectors{{1, 0}, {0, 1}}) (layer(row(x)).sum() / 2).backward();
    again.step();
    QVERIFY(all_close(again.gain(), gain));
  }

  void stepsWithAClosure() {
    OneWeight one({.num_gradients_to_accumulate = 2});
    const at::Tensor before = one.weight.detach().clone();
    int calls = 0;
    at::Tensor loss;
    {
      const at::NoGradGuard no_grad;
      loss = one.adascale.step([&] {
        ++calls;
        one.adascale.zero_grad();
        at::Tensor sum = at::zeros({});
        for (const Vector& x : Vectors{{1, 0}, {0, 1}}) {
          const at::Tensor part = one.loss(x) / 2;
          part.backward();
          sum = sum + part.detach();
        }
        return sum;
      });
    }
    QCOMPARE(calls, 1);
    QVERIFY(all_close(loss.item<double>(), before.sum().item<double>() / 2));
    QVERIFY(all_close(one.adascale.gain(), 2));  // of these gradients, for this step
    QVERIFY(at::allclose(before - one.weight, at::full({2, 2}, 0.1 * 2 * 0.5), 1e-5, 1e-6));
    QVERIFY(!one.adascale
                 .step([&] {
                   for (int i = 0; i < 2; ++i) one.loss({1, 0}).backward();
                   return at::Tensor();
                 })
                 .defined());
    one.adascale.zero_grad();
    VERIFY_THROWS("usage", "0 of 2", one.adascale.step([&] { return one.loss({1, 0}); }));
  }

  void keepsTheOptimizerThatItWasGiven() {
    OneWeight one({.num_gradients_to_accumulate = 2});
    StepLR schedule(one.adascale.optimizer(), 1, 0.5);
    schedule.step();
    const at::Tensor before = one.weight.detach().clone();
    for (const Vector& x : Vectors{{1, 0}, {0, 1}}) (one.loss(x) / 2).backward();
    one.adascale.step();
    QVERIFY(at::allclose(before - one.weight, at::full({2, 2}, 0.05 * 2 * 0.5), 1e-5, 1e-6));
    QVERIFY(dynamic_cast<torch::optim::SGD*>(&one.adascale.optimizer()));
  }

  void callsOutOfTurnAreRefused() {
    OneWeight scaled({.num_gradients_to_accumulate = 2});
    VERIFY_THROWS("usage", "is_scaled_loss", scaled.adascale.scale_grad_by_num_grads_to_accum());
    OneWeight one({.num_gradients_to_accumulate = 2, .is_scaled_loss = false});
    VERIFY_THROWS("usage", "0 of 2", one.adascale.scale_grad_by_num_grads_to_accum());
    one.loss({1, 0}).backward();
    VERIFY_THROWS("usage", "1 of 2", one.adascale.scale_grad_by_num_grads_to_accum());
    VERIFY_THROWS("usage", "in the middle", one.adascale.add_param_group(group(square_layer())));
    one.adascale.zero_grad();
    const torch::optim::OptimizerParamGroup twice(std::vector<at::Tensor>{one.weight});
    VERIFY_THROWS("usage", "another group has", one.adascale.add_param_group(twice));
    const torch::optim::OptimizerParamGroup no_leaf(std::vector<at::Tensor>{one.weight * 2});
    VERIFY_THROWS("usage", "refuses the parameter group", one.adascale.add_param_group(no_leaf));
    for (const int size : {0, 3})
      VERIFY_THROWS("usage", "world_size is " + std::to_string(size),
                    OneWeight({.num_gradients_to_accumulate = 2, .world_size = size}));
  }

  void replicasAddGroupsAsMicroBatchesDo_data() { rows("form", {"whole", "sharded"}); }
  void replicasAddGroupsAsMicroBatchesDo() {
    QFETCH(QString, form);
    const auto one = run({"adascale", {"added", form}, 1});
    const auto two = run({"adascale", {"added", form}, 2});
    QVERIFY(all_ended(one) && all_ended(two));
    QVERIFY(one[0].said["gains"].size() == 3);
    for (const Replica& replica : two) QCOMPARE(replica.said.dump(), one[0].said.dump());
  }

  // Each with gradients of its own: 3 and 1 on the first, 6 and 4 on the second.
  void aWorldOfOneIsThisReplicaAlone() {
    const auto replicas = run({"adascale", {"alone"}, 2});
    QVERIFY(all_ended(replicas));
    const auto gain = [](double sqr, double var) { return (var + sqr) / (var / 2 + sqr); };
    QVERIFY(all_close(replicas[0].said["gain"], gain(3, 2)));
    QVERIFY(all_close(replicas[1].said["gain"], gain(24, 2)));
    QVERIFY(all_close(replicas[0].said["value"], -0.5 * gain(3, 2) * 2));
    QVERIFY(all_close(replicas[1].said["value"], -0.5 * gain(24, 2) * 5));
    QVERIFY(all_ended(run({"adascale", {"world", "2"}, 2})));
    for (const Replica& replica : run({"adascale", {"world", "3"}, 2}))
      VERIFY_MESSAGE(replica.said, "the number of replicas, 2");
  }
};

BATCHSCOPE_TEST(TestFairscaleCases)
#include "test_fairscale_cases.moc"
