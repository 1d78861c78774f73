// SPDX-License-Identifier: Apache-2.0
//
// Behaviour on a GPU alone. Where there is none, all of it is left out.
#include <ATen/ATen.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/cuda.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include <QTemporaryDir>
#include <torch/csrc/distributed/c10d/FileStore.hpp>

#include "adapt/timer.h"
#include "batchscope/protocol/error.h"
#include "batchscope/train/adaptive_data_loader.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/autocast.h"
#include "batchscope/train/grad_scaler.h"
#include "batchscope/train/process_group.h"
#include "device/backend.h"
#include "device/tensor_group.h"
#include "steps.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::train;
using testing::in_an_epoch;

class TestCuda : public QObject {
  Q_OBJECT

  QTemporaryDir directory_;

 private Q_SLOTS:
  void initTestCase() {
    if (!torch::cuda::is_available()) QSKIP("no GPU");
    qputenv("ADAPTDL_CHECKPOINT_PATH", directory_.filePath("checkpoints").toUtf8());
    init_process_group();
  }

  void a_replica_is_on_its_gpu() {
    const c10::Device device = replica_device();
    QVERIFY(device.is_cuda() && device.has_index());
    QCOMPARE(c10::impl::getDeviceGuardImpl(c10::kCUDA)->getDevice(), device);
    QVERIFY(!replica::timer().at_once());
    QVERIFY(!gpu_name(device).empty());
  }

  void nccl_exchanges_what_lies_on_the_gpu() {
    const auto store = c10::make_intrusive<c10d::FileStore>(directory_.filePath("store").toStdString(), 1);
    TensorGroup::Place alone;
    alone.timeout = std::chrono::seconds(30);
    const auto group = make_tensor_group("nccl", store, alone);
    const at::Tensor numbers = at::arange(1000, at::kFloat).to(replica_device());
    const at::Tensor exchanged = numbers.clone();
    group->all_reduce(exchanged).wait();
    group->broadcast(exchanged).wait();
    QVERIFY(at::equal(exchanged, numbers));
  }

  void batches_lie_in_page_locked_memory() {
    const at::Tensor rows = at::arange(64, at::kFloat).view({16, 4}), targets = at::arange(16, at::kLong);
    const TensorDataset dataset(rows, targets);
    AdaptiveDataLoader loader(dataset, {.batch_size = 8, .num_workers = 2});
    in_an_epoch([&] {
      for (const Batch& batch : loader) {
        QVERIFY(batch.data.is_pinned() && batch.target.is_pinned());
        const at::Tensor there = batch.data.to(replica_device(), /*non_blocking=*/true);
        QVERIFY(at::equal(there.cpu(), rows.index_select(0, batch.target)));
      }
    });
  }

  void sixteen_bits_train_data() {
    QTest::addColumn<bool>("half");
    QTest::newRow("fp16, with a scaler") << true;
    QTest::newRow("bf16") << false;
  }
  void sixteen_bits_train() {
    QFETCH(bool, half);
    const c10::Device device = replica_device();
    const c10::ScalarType type = half ? at::kHalf : at::kBFloat16;
    at::manual_seed(1);
    torch::nn::Linear model(16, 1);
    model->to(device);
    torch::optim::SGD optimizer(model->parameters(), 0.05);
    GradScaler scaler({.enabled = half});
    AdaptiveDataParallel::Options options;
    options.name = half ? "fp16" : "bf16";
    options.scaler = &scaler;
    AdaptiveDataParallel adp(*model, optimizer, nullptr, options);
    const at::Tensor x = at::randn({64, 16}, device), y = x.sum(1, true);
    std::vector<double> losses;
    for (int i = 0; i < 200; ++i)
      testing::make_step(adp, 64, 64, 0, [&](int) {
        const Autocast autocast(device, type);
        const at::Tensor made = model(x);
        if (made.scalar_type() != type) qFatal("it was computed in another type");
        const at::Tensor loss = at::mse_loss(made.to(at::kFloat), y);
        losses.push_back(loss.item<double>());
        return scaler.scale(loss);
      });
    QVERIFY(losses.back() < losses.front() / 10);
  }

  // The message is one that engine/run's memory_fault.h knows again.
  void memory_that_runs_out_is_told() {
    try {
      at::empty({std::int64_t{1} << 55}, at::device(replica_device()));
      QFAIL("it was allocated");
    } catch (const std::exception& error) {
      QVERIFY2(std::string(error.what()).find("out of memory") != std::string::npos, error.what());
    }
  }
};

BATCHSCOPE_TEST(TestCuda)
#include "test_cuda.moc"
