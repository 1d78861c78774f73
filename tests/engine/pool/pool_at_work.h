// SPDX-License-Identifier: Apache-2.0
//
// A pool in a thread of its own, on a machine with GPUs of which no more than the names are true, and
// supervisors that have no replicas. Its time passes where the test says so, and else not at all.
#pragma once

#include <QTest>
#include <QThread>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/pool/pool.h"
#include "batchscope/protocol/error.h"
#include "batchscope/run/pool.h"
#include "patience.h"
#include "store_test.h"
#include "supervised.h"

namespace batchscope::testing {

using storage::test::Names;

class PoolAtWork {
 protected:
  // Two GPUs, and rounds that are as far apart as a turn, or five seconds. Where one test has failed the
  // others are skipped, each of which would wait for a broken pool.
  void open(double turn) {
    if (has_failed_) QSKIP("a test before this one failed");
    folder_ = {};
    qputenv("BATCHSCOPE_BIN", (folder_ / "").c_str());
    qputenv("BATCHSCOPE_DB", (folder_ / "runs.db").c_str());
    qputenv("XDG_STATE_HOME", (folder_ / "state").c_str());
    qputenv("CUDA_VISIBLE_DEVICES", "0,1");
    program("while [ -e \"$0\" ]; do sleep 0.1; done");
    catalogue_.emplace(folder_ / "runs.db");
    storage::test::meddle(folder_ / "runs.db", "CREATE TABLE test (a)");  // of which the pool knows nothing
    catalogue_->change_pool_settings([&](auto& settings) { settings.turn = turn; });
    now_ = 1000;
  }

  // A pool has nothing to lose: it ends where its store is gone.
  void close() {
    has_failed_ = has_failed_ || QTest::currentTestFailed();
    std::filesystem::remove(folder_ / "runs.db");
    if (pool_) {
      QVERIFY(pool_->wait(pool::kPatience));
      if (ends_) QCOMPARE(code_, kExitFailure);
    }
    pool_.reset();
    supervised_.clear();
    catalogue_.reset();
    for (const char* name : {"BATCHSCOPE_BIN", "BATCHSCOPE_DB", "XDG_STATE_HOME", "CUDA_VISIBLE_DEVICES"})
      qunsetenv(name);
  }

  // In the supervisor's place: it says what it was called with, and does this.
  void program(const std::string& line) const {
    const std::filesystem::path file = folder_ / "batchscope";
    storage::test::write_file(file, "#!/bin/sh\necho \"$@\" >> \"${0%/*}/launched\"\n" + line + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

  // The pool may be writing.
  void meddles(const std::string& sql) {
    QVERIFY(
        QTest::qWaitFor([&] { return storage::test::meddle(folder_ / "runs.db", sql); }, pool::kPatience));
  }

  static protocol::RunSpec spec_of(const std::string& name, int most = 2, int least = 1) {
    protocol::RunSpec spec = storage::test::named(name);
    spec.device = "cuda";
    spec.auto_replicas = protocol::AutoReplicas{least, most};
    return spec;
  }
  std::string submit(const std::string& name, int most = 2, const storage::Job& job = {}) {
    return catalogue_->submit_run(spec_of(name, most), job);
  }

  Supervised& comes_up(const std::string& id, const Names& devices, int of_each = 1) {
    return *supervised_.emplace_back(std::make_unique<Supervised>(*catalogue_, id, devices, of_each));
  }

  // A test in which it ends by itself says so: `ends_ = false`.
  void begin() {
    ends_ = true;
    const pool::PoolTime time{[this] { return now_.load(); }, 10};
    pool_.reset(QThread::create([this, time] { code_ = pool::run_pool(time); }));
    pool_->start();
  }

  // Waits until the pool has seen all that there is to see. A look that had begun before counts for nothing,
  // and neither does one that has not ended.
  void looks() {
    for (int look = 0; look < 3; ++look) {
      const auto before = last_look();
      const auto has_looked = [&] {
        storage::test::meddle(folder_ / "runs.db", "INSERT INTO test VALUES (1)");
        return last_look() != before;
      };
      QVERIFY(QTest::qWaitFor(has_looked, pool::kPatience));
    }
  }

  void passes(double seconds) {
    now_ = now_ + seconds;
    looks();
  }

  // Lets one second pass after the other until this holds. Returns whether it does.
  bool passes_until(const std::function<bool()>& holds) {
    const auto after_a_second = [&] {
      if (holds()) return true;
      passes(1);
      return holds();
    };
    return QTest::qWaitFor(after_a_second, pool::kPatience);
  }

  // Returns whether the pool comes to rest, in which it looks at nothing for a few ticks.
  bool rests() const {
    const auto is_at_rest = [&] {
      const auto before = last_look();
      QTest::qWait(60);
      return last_look() == before;
    };
    return QTest::qWaitFor(is_at_rest, pool::kPatience);
  }

  // Returns when the pool looked last, of which its lock tells; none: it has not yet.
  std::optional<std::filesystem::file_time_type> last_look() const {
    std::error_code fault;
    const auto time = std::filesystem::last_write_time(run::kPool.lock_path(), fault);
    return fault ? std::nullopt : std::optional(time);
  }

  Names launched() const {
    std::ifstream in(folder_ / "launched");
    Names lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  // Returns the causes of its decisions.
  Names causes() {
    Names causes;
    for (const protocol::PoolDecision& decision : catalogue_->decisions()) causes.push_back(decision.cause);
    return causes;
  }

  void set(const std::function<void(protocol::PoolSettings&)>& change) {
    catalogue_->change_pool_settings(change);
  }

  void has_crashed(const std::string& id) {
    storage::Job job = catalogue_->job(id).value();
    job.crashes = 1;
    catalogue_->put_job(job);
  }

  // Agents are started by this line.
  void agents_by(const std::string& line) {
    storage::test::write_file(folder_ / "reach", "#!/bin/sh\n" + line + "\n");
    std::filesystem::permissions(folder_ / "reach", std::filesystem::perms::owner_all);
    set([&](auto& settings) { settings.agents_by = (folder_ / "reach").string(); });
  }

  // Adds a node whose agent never says anything.
  void mute(const std::string& node) {
    agents_by("exec cat > /dev/null");
    set([&](auto& settings) { settings.agents += (settings.agents.empty() ? "" : ",") + node; });
  }

  // Adds a node that was there when the pool before this one saw it last.
  void knows(const std::string& node, const Names& gpus) {
    mute(node);
    auto nodes = catalogue_->pool_nodes();
    nodes.push_back({node, true, 1, "", {}, gpus});
    catalogue_->put_pool_nodes(nodes);
  }

  void ends() {
    ends_ = false;
    QTRY_VERIFY_WITH_TIMEOUT(pool_->isFinished(), pool::kPatience);
    QCOMPARE(code_, kExitOk);
  }

  storage::test::Folder folder_;
  std::optional<storage::Catalogue> catalogue_;
  std::vector<std::unique_ptr<Supervised>> supervised_;
  std::unique_ptr<QThread> pool_;
  std::atomic<double> now_ = 0;  // s
  bool ends_ = false;            // where its store is gone
  bool has_failed_ = false;
  int code_ = -1;
};

}  // namespace batchscope::testing
