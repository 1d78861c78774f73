// SPDX-License-Identifier: Apache-2.0
//
// The shape of a branch's step: exactly its batch size, in as few micro-batches as the limits allow; and of a
// step that measures noise.
#include "adapt/branching.h"
#include "adapt/noise_measurement.h"
#include "batchscope/protocol/error.h"
#include "process/process.h"
#include "process/session.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::replica;

class TestBranching : public QObject {
  Q_OBJECT

  static BatchShape shape(std::int64_t batch_size, int replicas, std::int64_t max_local = 0,
                          bool accumulates = false, std::int64_t min_local = 1) {
    return branch_shape(batch_size, replicas, {.min_local = min_local, .max_local = max_local}, accumulates,
                        1000);
  }

 private Q_SLOTS:
  void aStepIsSharedEvenly() {
    QCOMPARE(shape(96, 1), (BatchShape{96, 0}));
    QCOMPARE(shape(96, 4), (BatchShape{24, 0}));
    QCOMPARE(shape(96, 4, 24), (BatchShape{24, 0}));
    QCOMPARE(shape(1000, 1), (BatchShape{1000, 0}));         // all the data
    QCOMPARE(shape(8, 1, 0, false, 8), (BatchShape{8, 0}));  // the smallest
  }

  void asFewMicroBatchesAsFit() {
    QCOMPARE(shape(96, 1, 50, true), (BatchShape{48, 1}));
    QCOMPARE(shape(96, 2, 20, true), (BatchShape{16, 2}));
    QCOMPARE(shape(97, 1, 50, true), (BatchShape{1, 96}));  // a prime
    QCOMPARE(shape(4, 1, 1, true), (BatchShape{1, 3}));
    QCOMPARE(shape(96, 1, 48, true, 48), (BatchShape{48, 1}));  // both bounds
    for (const int replicas : {1, 2, 3})
      for (const std::int64_t most : {1, 5, 7, 32})
        for (std::int64_t size = replicas; size < 200; size += replicas) {
          const BatchShape made = shape(size, replicas, most, true);
          QCOMPARE(made.batch_size(replicas), size);
          QVERIFY(made.local_batch_size <= most);
        }
  }

  void whatDoesNotFitIsRefused() {
    VERIFY_THROWS("usage", "cannot be shared evenly among 3 replicas", shape(64, 3));
    VERIFY_THROWS("usage", "does not allow accumulation", shape(64, 1, 32));
    VERIFY_THROWS("usage", "a replica's share, 32 samples, is above the largest local batch size, 31",
                  shape(64, 2, 31));
    VERIFY_THROWS("usage", "below the smallest local batch size, 16", shape(8, 1, 0, false, 16));
    VERIFY_THROWS("usage", "a micro-batch of 15 samples is below", shape(30, 1, 20, true, 16));
    VERIFY_THROWS("usage", "the data have 1000 samples", shape(1024, 1));
  }

  // --- an estimate of the noise, from gradients of the initial batch size ---

  void anEstimateIsOfTenGradientsAtMost() {
    const NoiseMeasurement measurement;
    QCOMPARE(measurement.shape({8, 0}, 1000), (BatchShape{8, 9}));
    QCOMPARE(measurement.shape({8, 0}, 80), (BatchShape{8, 9}));
    QCOMPARE(measurement.shape({8, 0}, 79), (BatchShape{8, 8}));
    QCOMPARE(measurement.shape({8, 3}, 16), (BatchShape{8, 1}));
    VERIFY_THROWS("usage", "the data, 15 samples, are fewer than two batches of 8",
                  measurement.shape({8, 0}, 15));
    // Two replicas have two gradients a micro-batch.
    int& replicas = session().part<Process>().environment.num_replicas;
    replicas = 2;
    QCOMPARE(measurement.shape({8, 0}, 79), (BatchShape{8, 3}));
    VERIFY_THROWS("usage", "the data, 31 samples, are fewer than two batches of 16",
                  measurement.shape({8, 0}, 31));
    replicas = 1;
  }
};

BATCHSCOPE_TEST(TestBranching)
#include "test_branching.moc"
