// SPDX-License-Identifier: Apache-2.0
//
// Which bound on the local batch size a new run takes from earlier ones.
#include "supervision/earlier_bound.h"

#include "test_case.h"

using namespace batchscope;
using namespace batchscope::run;

namespace {

using Devices = std::vector<std::string>;

const Devices kCore{"cpu:0"}, kGpu{"cuda:0"};

storage::MemoryBound ran_out(std::int64_t bound, const Devices& devices = kCore) {
  return {.run = "run" + std::to_string(bound),
          .devices = devices,
          .ran_out = true,
          .bound = bound,
          .fitted = bound};
}

std::int64_t taken(const std::vector<storage::MemoryBound>& earlier, const Devices& devices = kCore,
                   const protocol::RunSpec& spec = {}) {
  const auto found = earlier_bound(earlier, spec, devices);
  return found ? found->local_batch_size : 0;
}

protocol::RunSpec python(const std::vector<std::string>& arguments, const std::string& folder = "/home") {
  protocol::RunSpec spec;
  spec.program = "/usr/bin/python3";
  spec.arguments = arguments;
  spec.working_directory = folder;
  return spec;
}

}  // namespace

class TestEarlierBound : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void withoutRunsThereIsNone() { QCOMPARE(taken({}), 0); }

  void theNewestRunThatRanOutCounts() {
    QCOMPARE(taken({ran_out(70), ran_out(90)}), 70);
    QCOMPARE(earlier_bound(std::vector{ran_out(70)}, {}, kCore)->run, "run70");
  }

  void aBoundThatAPersonChoseIsNotFound() {
    storage::MemoryBound chosen = ran_out(8);
    chosen.ran_out = false;
    QCOMPARE(taken({chosen}), 0);
    QCOMPARE(taken({chosen, ran_out(90)}), 90);
  }

  void coresAndGpusAreToldApart() {
    QCOMPARE(taken({ran_out(70, kGpu), ran_out(90)}), 90);
    QCOMPARE(taken({ran_out(70, kGpu), ran_out(90)}, kGpu), 70);
    QCOMPARE(taken({ran_out(70, {"cpu:0", "cuda:0"})}), 0);
    QCOMPARE(taken({ran_out(70)}, {"cpu:0", "cuda:0"}), 0);
    QCOMPARE(taken({ran_out(70, {"n2/cuda:0"})}, kGpu), 70);
    QCOMPARE(taken({ran_out(70, {})}), 0);
  }

  void trainingAboveABoundRefutesIt() {
    storage::MemoryBound larger;
    larger.devices = kCore;
    larger.fitted = 91;
    QCOMPARE(taken({larger, ran_out(90)}), 0);
    larger.fitted = 90;
    QCOMPARE(taken({larger, ran_out(90)}), 90);
    QCOMPARE(taken({ran_out(90), ran_out(70)}), 90);
  }

  void aBoundOfNothingIsNone() { QCOMPARE(taken({ran_out(0), ran_out(90)}), 90); }

  // Whatever it is called with.
  void aScriptThatIsTheProgramIsOne() {
    storage::MemoryBound one = ran_out(70);
    one.arguments = {"a.py"};
    protocol::RunSpec spec = python({"b.py"});
    QCOMPARE(taken({one}, kCore, spec), 0);
    spec.program = "/home/train.py";
    QCOMPARE(taken({one}, kCore, spec), 70);
  }

  void pythonCountsAsItsScript() {
    storage::MemoryBound one = ran_out(70);
    one.arguments = {"-u", "train.py", "--lr", "1"};
    one.working_directory = "/home";
    QCOMPARE(taken({one}, kCore, python({"train.py", "--lr", "2"})), 70);
    QCOMPARE(taken({one}, kCore, python({"/home/train.py"}, "/")), 70);
    QCOMPARE(taken({one}, kCore, python({"other.py"})), 0);
    QCOMPARE(taken({one}, kCore, python({"train.py"}, "/elsewhere")), 0);
  }
};

BATCHSCOPE_TEST(TestEarlierBound)
#include "test_earlier_bound.moc"
