// SPDX-License-Identifier: Apache-2.0
//
// The snapshot of a training state: what it writes later is what the state held when it was taken, however
// training went on, for every optimizer.
#include <torch/nn/modules/linear.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <QTemporaryDir>
#include <functional>
#include <memory>
#include <sstream>

#include "batchscope/train/adadelta.h"
#include "batchscope/train/adaptive_data_parallel.h"
#include "checkpoint/registry.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::replica;
namespace optim = torch::optim;

namespace {

using Tensors = std::vector<at::Tensor>;
using MakeOptimizer = std::function<std::unique_ptr<optim::Optimizer>(Tensors)>;

template <class Optimizer, class Options>
MakeOptimizer with(Options options) {
  return [options](Tensors parameters) { return std::make_unique<Optimizer>(parameters, options); };
}

std::string written(const CheckpointStore::File& file) {
  std::ostringstream out;
  file.save(out);
  return std::move(out).str();
}

}  // namespace
Q_DECLARE_METATYPE(MakeOptimizer)

class TestSnapshot : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { qputenv("ADAPTDL_CHECKPOINT_PATH", checkpoints_.path().toUtf8()); }

  void training_does_not_change_it_data() {
    QTest::addColumn<MakeOptimizer>("make");
    QTest::newRow("SGD") << with<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9));
    QTest::newRow("Adam") << with<optim::Adam>(optim::AdamOptions(0.1).amsgrad(true));
    QTest::newRow("AdamW") << with<optim::AdamW>(optim::AdamWOptions(0.1));
    QTest::newRow("RMSprop") << with<optim::RMSprop>(optim::RMSpropOptions(0.1).momentum(0.9).centered(true));
    QTest::newRow("Adagrad") << with<optim::Adagrad>(optim::AdagradOptions(0.1));
    QTest::newRow("Adadelta") << with<Adadelta>(AdadeltaOptions(0.5));
  }
  void training_does_not_change_it() {
    QFETCH(MakeOptimizer, make);
    torch::nn::Linear layer(3, 2);
    const auto optimizer = make(layer->parameters());
    AdaptiveDataParallel adp(*layer, *optimizer);
    const auto train = [&] {
      for (int step = 0; step < 3; ++step) {
        adp.zero_grad();
        layer->forward(at::rand({4, 3})).pow(2).sum().backward();
        adp.step();
      }
    };
    train();
    const auto files = snapshot_states();
    const auto state = std::find_if(files.begin(), files.end(),
                                    [](const auto& f) { return f.name == "adaptdl-dataparallel"; });
    QVERIFY(state != files.end());
    const std::string before = written(*state);
    train();
    QVERIFY(written(*state) == before);
    for (const auto& fresh : snapshot_states())
      if (fresh.name == state->name) QVERIFY(written(fresh) != before);
  }

 private:
  QTemporaryDir checkpoints_;
};

BATCHSCOPE_TEST(TestSnapshot)
#include "test_snapshot.moc"
