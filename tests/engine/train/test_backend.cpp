// SPDX-License-Identifier: Apache-2.0
//
// The backend of tensor collectives, as the replicas' GPUs decide it.
#include "device/backend.h"
#include "test_case.h"

using namespace batchscope::train;
using Gpus = std::vector<std::string>;

class TestBackend : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void nccl_where_each_replica_has_a_gpu_of_its_own_data() {
    QTest::addColumn<Gpus>("gpus");
    QTest::addColumn<std::string>("backend");
    const auto row = [](const char* name, const Gpus& gpus, const char* backend) {
      QTest::newRow(name) << gpus << std::string(backend);
    };
    row("two of one machine", {"a/0000:01:00.0", "a/0000:02:00.0"}, "nccl");
    row("two machines with one each", {"a/0000:01:00.0", "b/0000:01:00.0"}, "nccl");
    row("three on two machines", {"a/0000:01:00.0", "a/0000:02:00.0", "b/0000:01:00.0"}, "nccl");
    row("shared", {"a/0000:01:00.0", "a/0000:01:00.0"}, "gloo");
    row("shared on one of two machines", {"a/0000:01:00.0", "b/0000:01:00.0", "b/0000:01:00.0"}, "gloo");
    row("cores", {"", ""}, "gloo");
    row("cores on one machine", {"a/0000:01:00.0", ""}, "gloo");
  }
  void nccl_where_each_replica_has_a_gpu_of_its_own() {
    QFETCH(Gpus, gpus);
    QFETCH(std::string, backend);
    QCOMPARE(backend_for(gpus), backend);
  }

  void cores_have_no_name() { QCOMPARE(gpu_name(c10::kCPU), std::string()); }
};

BATCHSCOPE_TEST(TestBackend)
#include "test_backend.moc"
