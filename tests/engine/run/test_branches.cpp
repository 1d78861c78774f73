// SPDX-License-Identifier: Apache-2.0
//
// The batch sizes of branches as a person writes them, and the runs that they become.
#include "batchscope/run/branch.h"
#include "rows.h"
#include "stored_runs.h"
#include "test_case.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::run;

class TestBranches : public QObject {
  Q_OBJECT

  using Sizes = std::vector<std::int64_t>;

  static BranchOptions of_sizes(const Sizes& sizes, std::int64_t samples = 100'000) {
    BranchOptions options;
    options.batch_sizes = sizes;
    options.samples = samples;
    return options;
  }

 private Q_SLOTS:
  void sizesAreRead() {
    QCOMPARE(parse_batch_sizes("32..256"), (Sizes{32, 64, 128, 256}));
    QCOMPARE(parse_batch_sizes("24..100"), (Sizes{24, 32, 64, 100}));
    QCOMPARE(parse_batch_sizes("1..2"), (Sizes{1, 2}));
    QCOMPARE(parse_batch_sizes("64,32,64,96"), (Sizes{32, 64, 96}));
    QCOMPARE(parse_batch_sizes("1,1000000000000"), (Sizes{1, 1'000'000'000'000}));
  }

  void othersAreRefused_data() {
    const auto row = testing::columns<QString, QString>({"text", "complaint"});
    row("one", "64", "one size cannot be compared");
    row("one twice", "64,64", "one size cannot be compared");
    row("no end", "64..", "'' is not a number");
    row("backwards", "64..32", "the second end is to be larger");
    row("nowhere", "64..64", "the second end is to be larger");
    row("a word", "32,many", "'many' is not a number");
    row("zero", "0..4", "'0' is not a number");
    row("negative", "-4,4", "'-4' is not a number");
    row("a little too large", "1,1000000000001", "'1000000000001' is not a number");
    row("too large", "1..99999999999999999999", "is not a number");
    row("empty", "", "one size cannot be compared");
    row("a fraction", "1.5,4", "'1.5' is not a number");
  }
  void othersAreRefused() {
    QFETCH(QString, text);
    QFETCH(QString, complaint);
    VERIFY_THROWS("usage", complaint.toStdString(), parse_batch_sizes(text.toStdString()));
  }

  // On as many replicas as it had last, and no others: what else differs from branch to branch is compared,
  // too.
  void eachBranchIsTheRunAtItsBatchSize() {
    StoredRuns runs;
    protocol::RunSpec spec = runs.spec();
    spec.arguments = {"--epochs", "5"};
    spec.replicas = 3;
    spec.auto_replicas = protocol::AutoReplicas{1, 4};
    spec.triggers = {protocol::Trigger::parse("step=90:stop")};
    spec.group = "mine";
    spec.environment["DATA"] = "/data";
    const std::string id = runs.add(spec);
    storage::Generation generation;
    generation.replicas = 2;
    runs.catalogue().put_generation(id, generation);
    StoredRuns::write_checkpoint(id, 3, 40, "loader-train");

    const Sizes sizes{16, 32};
    const auto branches = branch_specs(runs.catalogue(), id, of_sizes(sizes, 530));
    QCOMPARE(branches.size(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const protocol::RunSpec& one = branches[i];
      QCOMPARE(one.name, "digits at " + std::to_string(sizes[i]));
      QCOMPARE(one.group, "digits branches");
      QCOMPARE(one.replicas, 2);
      QVERIFY(!one.auto_replicas);
      QVERIFY(one.triggers.empty());
      QCOMPARE(one.restart_budget, 1);
      QCOMPARE(one.arguments, spec.arguments);
      QCOMPARE(one.environment.at("DATA"), "/data");
      // 544 samples are the next whole number of steps, at either size.
      const protocol::Branch expected{id, "checkpoint-000003", 40, 0, sizes[i], 544, "loss", {}};
      QVERIFY(protocol::branch_of(one.environment) == expected);
    }
  }

  void aPersonsNumberAndArgumentsAreTheBranches() {
    StoredRuns runs;
    protocol::RunSpec spec = runs.spec();
    spec.arguments = {"--epochs", "5"};
    spec.restart_budget = 0;
    const std::string id = runs.add(spec);
    StoredRuns::write_checkpoint(id, 3, 40, "loader-train");
    BranchOptions options = of_sizes({16, 32});
    options.replicas = 4;
    options.arguments = {{"--epochs", "6"}};
    const protocol::RunSpec branch = branch_specs(runs.catalogue(), id, options).front();
    QCOMPARE(branch.replicas, 4);
    QCOMPARE(branch.arguments, (std::vector<std::string>{"--epochs", "6"}));
    QCOMPARE(branch.restart_budget, 0);
  }

  // Also of those in the trash, which may come back.
  void eachTimeTheyAreAGroupOfTheirOwn() {
    StoredRuns runs;
    const std::string id = runs.add(runs.spec());
    StoredRuns::write_checkpoint(id, 3, 40, "loader-train");
    const auto next = [&] { return branch_specs(runs.catalogue(), id, of_sizes({16, 32})).front(); };
    const std::string first = runs.add(next());
    QCOMPARE(next().group, "digits branches 2");
    runs.catalogue().move_to_trash(first);
    runs.add(next());
    QCOMPARE(next().group, "digits branches 3");
  }

  void sixteenStepsAreTheFewest() {
    StoredRuns runs;
    const std::string id = runs.add(runs.spec());
    StoredRuns::write_checkpoint(id, 3, 40, "loader-train");
    const auto branch = branch_specs(runs.catalogue(), id, of_sizes({8, 32}, 512)).front();
    QCOMPARE(protocol::branch_of(branch.environment)->samples, 512);
    VERIFY_THROWS("usage", "511 samples are 15 steps at batch size 32, too few to compare: --samples 512",
                  branch_specs(runs.catalogue(), id, of_sizes({8, 32}, 511)));
  }

  void whereNothingKeepsTheBatchSizeItIsRefused() {
    StoredRuns runs;
    const std::string id = runs.add(runs.spec());
    StoredRuns::write_checkpoint(id, 3, 40, "model");
    VERIFY_THROWS("conflict", "holds no AdaptiveDataLoader",
                  branch_specs(runs.catalogue(), id, of_sizes({16, 32})));
  }

  void onlyWhatAPersonSaysChangesTheNumberOfReplicas() {
    StoredRuns runs;
    protocol::RunSpec spec = runs.spec();
    spec.replicas = 3;
    const std::string id = runs.add(spec);
    StoredRuns::write_checkpoint(id, 3, 40, "loader-train");
    BranchOptions options = of_sizes({16, 32});
    const auto replicas = [&] { return branch_specs(runs.catalogue(), id, options).front().replicas; };
    QCOMPARE(replicas(), 3);
    for (const int number : {0, 1}) {
      storage::Generation generation;
      generation.number = number;
      generation.replicas = 4 + number;
      runs.catalogue().put_generation(id, generation);
    }
    QCOMPARE(replicas(), 5);
    options.replicas = 1;
    QCOMPARE(replicas(), 1);
  }

  // A program that told no largest size may have any.
  void whatTheLoaderDidNotTellIsNotChecked() {
    StoredRuns runs;
    const std::string id = runs.add(runs.spec());
    StoredRuns::write_checkpoint(id, 3, 40, "loader-train");
    const auto refusal = [&](std::int64_t largest) {
      protocol::Model model;
      model.max_local_batch_size = largest;
      runs.catalogue().put_model(id, 0, model);
      return testing::thrown_by([&] { branch_specs(runs.catalogue(), id, of_sizes({1, 2})); });
    };
    QCOMPARE(refusal(0), "nothing was thrown");
    QCOMPARE(refusal(2), "nothing was thrown");
    VERIFY_HOLDS(refusal(1), "of batch size 2 does not fit: 1 replica would take 2 samples each");
  }

  // 2 replicas, of 8 to 64 samples each.
  void aSizeThatTheLoaderCannotHaveIsRefused_data() {
    const auto row =
        testing::columns<int, int, bool, QString>({"smallest", "largest", "accumulates", "complaint"});
    row("both ends", 15, 128, false, "");
    row("too small", 14, 128, false,
        "of batch size 14 does not fit: the program's smallest local batch size is 8");
    row("too large", 15, 129, false, "of batch size 129 does not fit: 2 replicas would take 65 samples each");
    row("accumulated", 15, 129, true, "");
  }
  void aSizeThatTheLoaderCannotHaveIsRefused() {
    QFETCH(int, smallest);
    QFETCH(int, largest);
    QFETCH(bool, accumulates);
    QFETCH(QString, complaint);
    StoredRuns runs;
    protocol::RunSpec spec = runs.spec();
    spec.replicas = 2;
    const std::string id = runs.add(spec);
    StoredRuns::write_checkpoint(id, 3, 40, "loader-train");
    protocol::Model model;
    model.min_local_batch_size = 8;
    model.max_local_batch_size = 64;
    model.accumulation = accumulates;
    runs.catalogue().put_model(id, 0, model);
    BranchOptions options = of_sizes({smallest, largest});
    const std::string refusal = testing::thrown_by([&] { branch_specs(runs.catalogue(), id, options); });
    VERIFY_HOLDS(refusal,
                 complaint.isEmpty() ? "nothing was thrown" : "usage: a branch " + complaint.toStdString());
    // Nobody knows what the program does under other arguments.
    options.arguments = {{"--other"}};
    QCOMPARE(branch_specs(runs.catalogue(), id, options).size(), 2u);
  }
};

BATCHSCOPE_TEST(TestBranches)
#include "test_branches.moc"
