// SPDX-License-Identifier: Apache-2.0
//
// TensorBoard files of a training loop, read back by the test's own parser.
#include <ATen/ops/tensor.h>
#include <torch/optim/sgd.h>

#include <QTemporaryDir>
#include <cmath>
#include <filesystem>

#include "../protocol/event_reader.h"
#include "batchscope/goodput/noise_scale.h"
#include "batchscope/protocol/event_file.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/replica/record.h"
#include "batchscope/train/adaptive_data_loader.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "batchscope/train/process_group.h"
#include "close.h"
#include "report/tensorboard.h"
#include "steps.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;
using namespace batchscope::testing;

namespace {}  // namespace

class TestTensorboard : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    qputenv("ADAPTDL_CHECKPOINT_PATH", (directory_.path() + "/checkpoints").toLocal8Bit());
    qputenv("ADAPTDL_TENSORBOARD_LOGDIR", (directory_.path() + "/events").toLocal8Bit());
    init_process_group();
  }

  void stepsAndScalars() {
    OneNumber model;
    torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.5));
    AdaptiveDataParallel adp(model, optimizer);
    std::vector<double> gains, squares, variances;
    for (int step = 0; step < 3; ++step) {
      make_step(adp, 8, 8, 1, [&](int micro) { return (model.weight * (3.0 - 2 * micro + step)).sum(); });
      gains.push_back(adp.gain());
      squares.push_back(adp.noise_scale().sqr());
      variances.push_back(adp.noise_scale().var());
    }
    record("validation_loss", 0.25);

    const std::vector<Event> events = EventReader::read(file());
    QCOMPARE(events.size(), std::size_t(1 + 3 + 1));
    QCOMPARE(events[0].file_version, std::string("brain.Event:2"));
    double progress = 0;
    for (std::size_t step = 0; step < 3; ++step) {
      const Event& event = events[1 + step];
      QCOMPARE(event.step, static_cast<std::int64_t>(step) + 1);
      QVERIFY(event.wall_time > 1.6e9);
      progress += gains[step];
      const std::map<std::string, double> expected{{"gain", gains[step]},       {"lr_factor", gains[step]},
                                                   {"grad_sqr", squares[step]}, {"grad_var", variances[step]},
                                                   {"batch_size", 16},          {"local_batch_size", 8},
                                                   {"accumulation_steps", 1},   {"progress", progress}};
      for (const auto& [name, value] : expected)
        QVERIFY2(event.scalars.count(name) && close_in_single(event.scalars.at(name), value), name.c_str());
      QVERIFY(!event.scalars.count("mono"));
    }
    QCOMPARE(events[4].step, std::int64_t(3));
    QVERIFY(events[4].scalars == (std::map<std::string, float>{{"validation_loss", 0.25f}}));
  }

  // A value recorded inside of a loop belongs to its step: the mean of its values, in the step's own event.
  void whatALoopRecords() {
    OneNumber model;
    torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.5));
    AdaptiveDataParallel adp(model, optimizer);
    const at::Tensor numbers = at::tensor({1, 2, 3, 4, 5, 6}, at::kDouble);
    const TensorDataset dataset(numbers, numbers);
    AdaptiveDataLoader loader(dataset, {.batch_size = 2});
    for ([[maybe_unused]] const int epoch : remaining_epochs_until(1))
      for (const Batch& batch : loader) {
        adp.zero_grad();
        (model.weight * batch.data).sum().backward();
        record("mine", batch.data[0].item<double>());
        record("mine", batch.data[1].item<double>());
        adp.step();
      }
    std::vector<float> mine, learning_rates;
    for (const Event& event : EventReader::read(file()))
      if (event.scalars.count("mine")) {
        mine.push_back(event.scalars.at("mine"));
        learning_rates.push_back(event.scalars.at("lr"));
        QVERIFY(event.scalars.count("gain") && event.scalars.count("epoch"));
      }
    QCOMPARE(mine, (std::vector<float>{1.5F, 3.5F, 5.5F}));
    QCOMPARE(learning_rates, std::vector<float>(3, 0.5F));
  }

  // Scalars go into a file of the program's own, as by AdaptDL's to_tensorboard.
  void whatIsAskedForGoesIntoAnyFile() {
    OneNumber model;
    torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.5));
    AdaptiveDataParallel adp(model, optimizer);
    make_step(adp, 8, 8, 1, [&](int micro) { return (model.weight * (3.0 - 2 * micro)).sum(); });
    const at::Tensor numbers = at::tensor({1, 2, 3, 4, 5, 6}, at::kDouble);
    const TensorDataset dataset(numbers, numbers);
    const AdaptiveDataLoader loader(dataset, {.batch_size = 2});
    protocol::EventFile writer((directory_.path() + "/own").toStdString());
    adp.to_tensorboard(writer, 7, "AdaptDL/Model");
    loader.to_tensorboard(writer, 8, "AdaptDL/Data/");
    loader.to_tensorboard(writer, 9);

    const std::vector<Event> events = EventReader::read(writer.path());
    QCOMPARE(events.size(), std::size_t(1 + 3));
    QCOMPARE(events[1].step, std::int64_t(7));
    QVERIFY(events[1].wall_time > 1.6e9);
    const std::map<std::string, double> expected{{"Gradient_Norm_Sqr", adp.noise_scale().sqr()},
                                                 {"Gradient_Variance", adp.noise_scale().var()},
                                                 {"Gain", adp.gain()},
                                                 {"Learning_Rate_Factor", adp.lr_factor()},
                                                 {"Accum_Scale", 1},
                                                 {"Accum_Count", 2},
                                                 {"Progress", adp.progress()}};
    QCOMPARE(events[1].scalars.size(), expected.size());
    for (const auto& [tag, value] : expected)
      QVERIFY2(close_in_single(events[1].scalars.at("AdaptDL/Model/" + tag), value), tag.c_str());
    const auto sizes = [](const std::string& prefix) {
      return std::map<std::string, float>{{prefix + "Total_Batch_Size", 2},
                                          {prefix + "Local_Batch_Size", 2},
                                          {prefix + "Accumulation_Steps", 0}};
    };
    QVERIFY(events[2].scalars == sizes("AdaptDL/Data/"));
    QVERIFY(events[3].scalars == sizes(""));
  }

  void longRunsStaySmall() {
    for (const std::int64_t step : {1, 9'999, 10'000, 10'010, 100'000, 100'100, 1'000'000})
      QVERIFY2(tensorboard::wants_row(step), qPrintable(QString::number(step)));
    for (const std::int64_t step : {10'001, 99'999, 100'010, 1'000'100})
      QVERIFY2(!tensorboard::wants_row(step), qPrintable(QString::number(step)));
  }

 private:
  std::filesystem::path file() const {
    std::filesystem::path found;
    int count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator((directory_.path() + "/events").toStdString())) {
      found = entry.path();
      ++count;
    }
    return count == 1 ? found : std::filesystem::path();
  }

  const QTemporaryDir directory_;
};

BATCHSCOPE_TEST(TestTensorboard)
#include "test_tensorboard.moc"
