// SPDX-License-Identifier: Apache-2.0
//
// Predictions for a number of replicas, where the program or the memory says how, and where nobody knows the
// devices.
#include "batchscope/run/prediction.h"

#include "batchscope/run/model.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

protocol::Model fitted_model() {
  protocol::Model m;
  m.perf = {0.01, 0.0002, 0, 0, 0.002, 0.0005, 1.5};
  m.grad_sqr = 1;
  m.grad_var = 20;
  m.init_batch_size = 64;
  return m;
}

}  // namespace

class TestPrediction : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aFixedBatchSizeIsSharedRoundedUp() {
    const auto prediction = predict(fitted_model(), 3);
    QCOMPARE(prediction->at.local_batch_size, 22);
    QCOMPARE(prediction->at.accumulation_steps, 0);
    QCOMPARE(prediction->batch_size, 66);
  }

  void aFixedBatchSizeIsSplitWhereMemoryIsShort() {
    protocol::Model m = fitted_model();
    m.max_local_batch_size = 16;
    const auto prediction = predict(m, 2);
    QCOMPARE(prediction->at.local_batch_size, 16);
    QCOMPARE(prediction->at.accumulation_steps, 1);
    QCOMPARE(prediction->batch_size, 64);
    m.micro_batches = 2;  // of 64 samples each, on each replica
    const auto each = predict(m, 2);
    QCOMPARE(each->at.local_batch_size, 16);
    QCOMPARE(each->at.accumulation_steps, 7);
    QCOMPARE(each->batch_size, 256);
  }

  void whatIsNoConfigurationHasNoPrediction() {
    protocol::Model m = fitted_model();
    QVERIFY(!predict(m, 2, 0));
    QVERIFY(!predict(m, 0, 0));
    QVERIFY(predict(m, 2, 2));
    m.init_batch_size = 1;
    QVERIFY(predict(m, 1));
    m.init_batch_size = 0;
    QVERIFY(!predict(m, 1));
    m = fitted_model();
    QCOMPARE(predict(m, {1, 1, 0, 0}).batch_size, 0);
    QCOMPARE(predict(m, {1, 1, 0, 0}).throughput, 0.0);
    QCOMPARE(predict(m, {1, 1, 1, 0}).batch_size, 1);
    const std::int64_t most = 1'000'000'000'000'000;
    QCOMPARE(predict(m, {1, 1, most, 0}).batch_size, most);
    QCOMPARE(predict(m, {1, 1, most + 1, 0}).batch_size, 0);
    QCOMPARE(predict(m, {1, 2, most, 0}).batch_size, 0);
  }

  void whatIsSlowIsPredictedToo() {
    protocol::Model m = fitted_model();
    m.perf->beta_c = 60;  // s a sample
    QVERIFY(predict(m, 1)->goodput < 1);
    QVERIFY(has_fixed_batch_size(m));
    m.max_batch_size = 1;
    QVERIFY(!has_fixed_batch_size(m));
  }

  // A model whose times nobody has fitted has none either, wherever it would run.
  void aModelWithoutTimesPredictsNothing() {
    protocol::Model m = fitted_model();
    m.perf.reset();
    for (const std::int64_t largest : {0, 1024}) {
      m.max_batch_size = largest;
      m.accumulation = largest > 0;
      for (const auto& [replicas, nodes] : {std::pair(1, 1), {2, 1}, {3, 1}, {2, 2}, {4, 2}})
        QVERIFY(!predict(m, replicas, nodes));
    }
  }

  // The prediction does as the run itself will: goodput's optimize.
  void oneReplicaWithoutAccumulationStaysUnlessItIsAllowedToGrow() {
    protocol::Model m = fitted_model();
    m.max_batch_size = 1024;
    QCOMPARE(predict(m, 1)->batch_size, 64);
    QVERIFY(predict(m, 2)->batch_size > 64);
    m.single_gradient = true;
    QVERIFY(predict(m, 1)->batch_size > 64);
    QCOMPARE(predict(m, 1)->at.accumulation_steps, 0);
    m.single_gradient = false;
    m.accumulation = true;
    QVERIFY(predict(m, 1)->batch_size > 64);
    QVERIFY(predict(m, 1)->at.accumulation_steps > 0);
  }

  // Where nobody recorded them, there were as many as replicas.
  void devicesAreThoseThatTheModelKnows() {
    protocol::Model m = fitted_model();
    QCOMPARE(counted_devices(m), 0);
    QCOMPARE(devices(m).cores_per_replica, 1);
    m.max_profiled_replicas = 3;
    m.divides_cores = true;
    QCOMPARE(counted_devices(m), 3);
    QVERIFY(!devices(m).divided);  // which nobody has counted
    m.devices = 1;
    QCOMPARE(counted_devices(m), 1);
    QVERIFY(devices(m).divided);
    m.devices = 2;
    m.cores = 4;
    QCOMPARE(devices(m).count, 2);
    QVERIFY(devices(m).divided);
    QCOMPARE(devices(m).cores_per_replica, 4);
    m.max_profiled_replicas = -1;
    m.devices = 0;
    QCOMPARE(counted_devices(m), 0);
  }

  void unknownDevicesPromiseNoMoreThanWasMeasured() {
    protocol::Model m = fitted_model();
    m.max_profiled_replicas = 2;
    const double two = predict(m, {1, 2, 32, 0}).throughput;
    QVERIFY(two > predict(m, {1, 1, 32, 0}).throughput);
    QVERIFY(predict(m, {1, 4, 32, 0}).throughput < two);
    m.devices = 4;
    QVERIFY(predict(m, {1, 4, 32, 0}).throughput > two);
  }

  // By the root of the sum of squares (prediction.h); 1.645 standard deviations are nine of ten.
  void saysHowSureItIs() {
    protocol::Model m = fitted_model();
    m.max_profiled_replicas = 2;
    m.min_profiled_local_batch_size = 32;
    m.max_profiled_local_batch_size = 64;
    QCOMPARE(predict(m, {1, 2, 32, 0}).error,
             0.0);  // nobody said how far measured times are from the model's
    m.residual = 0;
    const double known = std::expm1(1.645 * 0.1), doubled = std::expm1(1.645 * std::hypot(0.1, 0.15)),
                 both = std::expm1(1.645 * std::hypot(0.1, 0.15, 0.3));
    QCOMPARE(predict(m, {1, 2, 32, 0}).error, known);
    QCOMPARE(predict(m, {1, 1, 64, 3}).error, known);
    QCOMPARE(predict(m, {1, 4, 32, 0}).error, doubled);
    QCOMPARE(predict(m, {1, 2, 128, 0}).error, doubled);
    QCOMPARE(predict(m, {1, 2, 16, 0}).error, doubled);
    QCOMPARE(predict(m, {1, 4, 8, 0}).error, both);
    m.residual = 0.15;
    const Prediction prediction = predict(m, {1, 2, 32, 0});
    QCOMPARE(prediction.error, doubled);
    QCOMPARE(prediction.high() / prediction.goodput, 1 + doubled);
    QCOMPARE(prediction.goodput / prediction.low(), 1 + doubled);
  }

  // A sample costs less in a larger micro-batch, and the noise allows any.
  void promisesNothingOfMicroBatchesFarBeyondWhatWasMeasured() {
    protocol::Model m = fitted_model();
    m.max_batch_size = 4096;
    m.grad_var = 1e6 * m.grad_sqr;
    m.single_gradient = true;
    const auto local = [&](int replicas) { return predict(m, replicas)->at.local_batch_size; };
    const std::int64_t of_one = local(1);
    QVERIFY(of_one > 128);
    m.max_profiled_local_batch_size = 40;
    QCOMPARE(local(1), 80);
    QCOMPARE(local(2), 80);
    m.max_profiled_local_batch_size = 4096;
    QCOMPARE(local(1), of_one);
  }

  // Nobody said how far it was measured.
  void whatIsUnknownMakesItNoLessSure() {
    protocol::Model m = fitted_model();
    m.residual = 0;
    const double known = std::expm1(1.645 * 0.1), doubled = std::expm1(1.645 * std::hypot(0.1, 0.15));
    QCOMPARE(predict(m, {1, 8, 512, 0}).error, known);
    m.max_profiled_replicas = 1;
    QCOMPARE(predict(m, {1, 2, 512, 0}).error, doubled);
    m.max_profiled_replicas = 8;
    m.max_profiled_local_batch_size = 1;
    QCOMPARE(predict(m, {1, 8, 2, 0}).error, doubled);
    m.max_profiled_local_batch_size = 2;
    m.min_profiled_local_batch_size = 2;
    QCOMPARE(predict(m, {1, 8, 1, 0}).error, doubled);
  }

  void theNoiseScalesErrorIsPartOfIt() {
    protocol::Model m = fitted_model();
    m.max_batch_size = 1024;
    m.max_profiled_replicas = 2;
    m.residual = 0;
    m.grad_sqr_error = 0.3;
    const double known = std::expm1(1.645 * 0.1);
    QCOMPARE(predict(m, {1, 2, 32, 0}).error, known);  // the initial batch size has an efficiency of 1
    QVERIFY(predict(m, {1, 2, 64, 0}).error > known);
    QVERIFY(predict(m, {1, 2, 256, 0}).error > predict(m, {1, 2, 64, 0}).error);
    // gain = 21 / (20 / 4 + sqr): between those of 1 + 0.49 and 1 - 0.49.
    const double ends =
        std::log(((20 + 0.5065) / (5 + 0.5065)) / ((20 + 1.4935) / (5 + 1.4935))) / (2 * 1.645);
    QCOMPARE(predict(m, {1, 2, 128, 0}).error, std::expm1(1.645 * std::hypot(0.1, ends)));
  }

  void theBestBatchSizeIsAsSureAsTheNoiseScale() {
    protocol::Model m = fitted_model();
    QVERIFY(!best_batch_sizes(m, 2));  // the program fixes it
    m.max_batch_size = 4096;
    QVERIFY(!best_batch_sizes(m, 2));  // nobody knows how sure the noise scale is
    m.grad_sqr_error = 0.3;
    const auto range = best_batch_sizes(m, 2);
    QVERIFY(range);
    const std::int64_t best = predict(m, 2)->batch_size;
    QVERIFY(range->first < best && best < range->second);
    m.grad_sqr = 1 - 1.645 * 0.3;
    QCOMPARE(range->second, predict(m, 2)->batch_size);
    m.grad_sqr = 1;
    m.grad_sqr_error = 2;  // the gradient cannot be told from nothing: as large as it may be
    QCOMPARE(best_batch_sizes(m, 2)->second, std::int64_t{4096});
  }

  void linksBetweenNodesCost() {
    protocol::Model m = fitted_model();
    m.perf->alpha_n = 1;  // s
    QCOMPARE(predict(m, 2, 2)->at.num_nodes, 2);
    QVERIFY(predict(m, 2, 2)->throughput < predict(m, 2)->throughput / 10);
    m.max_batch_size = 1024;
    QCOMPARE(predict(m, 4, 2)->at.num_nodes, 2);
    QVERIFY(predict(m, 4, 2)->throughput < predict(m, 4)->throughput / 2);
    QVERIFY(!predict(m, 1, 2));
  }
};

BATCHSCOPE_TEST(TestPrediction)
#include "test_prediction.moc"
