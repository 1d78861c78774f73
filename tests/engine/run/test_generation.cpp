// SPDX-License-Identifier: Apache-2.0
//
// The replicas of a generation, on one node and on several: what each is given, and how it is reached.
#include "launch/generation.h"

#include <QScopeGuard>
#include <QTemporaryDir>
#include <filesystem>
#include <iterator>
#include <memory>

#include "batchscope/protocol/json.h"
#include "batchscope/run/own_snapshot.h"
#include "open_files.h"
#include "rows.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"
#include "waiting_replicas.h"

using namespace batchscope;
using namespace batchscope::run;
namespace fs = std::filesystem;

class TestGeneration : public QObject {
  Q_OBJECT

  using Variables = std::map<std::string, std::string>;

  std::unique_ptr<QTemporaryDir> folder_;
  protocol::RunPaths paths_;
  WaitingReplicas launcher_;

  // Returns the order of a run that says all that can be said.
  GenerationOrder order() const {
    protocol::RunSpec spec;
    spec.program = "/bin/true";
    spec.arguments = {"--fast"};
    spec.working_directory = "/tmp";
    spec.time_outs.collective = 20;
    spec.checkpoint_interval = 30;
    spec.max_local_batch_size = 64;
    spec.non_finite = protocol::NonFinite::stop;
    spec.triggers = {protocol::Trigger::parse("step=3:stop")};
    spec.devices_per_replica = 2;
    spec.restart_budget = 4;
    spec.environment = {{"WORLD_SIZE", "mine"},
                        {"OWN", "x"},
                        {"BATCHSCOPE_FORK_SERVER", "off"},
                        {"ADAPTDL_JOB_ID", "mine"},
                        {"BATCHSCOPE_PYTHON_HOOK", "off"}};
    Placement placement;
    placement.places = {{3, "cpu", "gloo"}, {2, "cpu", "gloo"}};
    for (int core = 0; core < 6; ++core) placement.devices.push_back("cpu:" + std::to_string(core));
    return {.number = 513,
            .run = "aaaaaaaa",
            .spec = spec,
            .paths = paths_,
            .placement = placement,
            .supervisor_url = "http://127.0.0.1:1/secret",
            .unloadable = {{"checkpoint-000002", "torn"}},
            .contention = 0.25,
            .sync_time = 0.0078125};
  }
  GenerationOrder over_nodes() const {
    GenerationOrder all = order();
    all.placement.places = {
        {1, "cuda", "nccl", ""}, {1, "cuda", "nccl", "n2", "0,1"}, {1, "cpu", "gloo", "n2"}};
    all.address_for_nodes = "10.0.0.1";
    return all;
  }
  std::string given(std::size_t rank, const std::string& name) const {
    const Variables& variables = launcher_.orders.at(rank).environment;
    const auto found = variables.find(name);
    return found == variables.end() ? "none" : found->second;
  }
  void compare_given(std::size_t rank, const Variables& expected) const {
    for (const auto& [name, value] : expected)
      QVERIFY2(given(rank, name) == value, (name + " is " + given(rank, name) + ", not " + value).c_str());
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    qputenv("BATCHSCOPE_DB", folder_->filePath("runs.db").toUtf8());
    qputenv("XDG_STATE_HOME", folder_->filePath("state").toUtf8());
    paths_ = protocol::run_paths("aaaaaaaa");
    protocol::make_run_directories(paths_);
    paths_.memory = folder_->filePath("memory").toStdString();
    fs::create_directory(paths_.memory);
  }

  void aReplicaIsGivenItsPlaceAndWhatItsRunSays() {
    qputenv("ADAPTDL_SHARED_BEFORE", "of another run");
    qputenv("BATCHSCOPE_BRANCH", "of another run");
    qputenv("INHERITED", "yes");
    const auto forget = qScopeGuard([] {
      for (const char* const name : {"ADAPTDL_SHARED_BEFORE", "BATCHSCOPE_BRANCH", "INHERITED"})
        qunsetenv(name);
    });
    const Generation generation(order(), launcher_);
    QCOMPARE(generation.number(), 513);
    QCOMPARE(generation.replicas(), 2);
    QCOMPARE(generation.master_address(), "127.1.2.1");
    QCOMPARE(generation.warning(), "");
    const fs::path meeting = paths_.rendezvous(513);
    QVERIFY(fs::is_directory(meeting));
    for (std::size_t rank = 0; rank < 2; ++rank) {
      const std::string number = std::to_string(rank), threads = rank == 0 ? "3" : "2";
      compare_given(rank, {{"ADAPTDL_MASTER_ADDR", "127.1.2.1"},
                           {"ADAPTDL_NUM_REPLICAS", "2"},
                           {"ADAPTDL_REPLICA_RANK", number},
                           {"ADAPTDL_NUM_NODES", "1"},
                           {"ADAPTDL_NUM_RESTARTS", "513"},
                           {"ADAPTDL_CHECKPOINT_PATH", paths_.checkpoints.string()},
                           {"ADAPTDL_SHARE_PATH", paths_.share.string()},
                           {"ADAPTDL_JOB_ID", "aaaaaaaa"},
                           {"ADAPTDL_SUPERVISOR_URL", "http://127.0.0.1:1/secret"},
                           {"ADAPTDL_SCHED_VERSION", "0.0.0"},
                           {"ADAPTDL_TENSORBOARD_LOGDIR", paths_.tensorboard.string()},
                           {"ADAPTDL_SHARED_BEFORE", "none"},
                           {"BATCHSCOPE_TELEMETRY_SOCKET", paths_.telemetry_socket.string()},
                           {"BATCHSCOPE_RENDEZVOUS_DIR", meeting.string()},
                           {"BATCHSCOPE_RENDEZVOUS_TOKEN", "none"},
                           {"BATCHSCOPE_MEETING_TIMEOUT", "none"},
                           {"BATCHSCOPE_THREADS", threads},
                           {"BATCHSCOPE_BACKEND", "gloo"},
                           {"BATCHSCOPE_DEVICE", "cpu"},
                           {"BATCHSCOPE_NUM_DEVICES", "3"},  // pairs
                           {"BATCHSCOPE_DEVICES_PER_REPLICA", "2"},
                           {"BATCHSCOPE_TRIGGERS", R"(["step=3:stop"])"},
                           {"BATCHSCOPE_CHECKPOINT_INTERVAL", "30.0"},
                           {"BATCHSCOPE_COLLECTIVE_TIMEOUT", "20.0"},
                           {"BATCHSCOPE_MAX_LOCAL_BATCH_SIZE", "64"},
                           {"BATCHSCOPE_NON_FINITE", "stop"},
                           {"BATCHSCOPE_MEMORY_PATH", paths_.memory.string()},
                           {"BATCHSCOPE_UNLOADABLE_CHECKPOINTS", R"({"checkpoint-000002":"torn"})"},
                           {"BATCHSCOPE_CONTENTION", "0.25"},
                           {"BATCHSCOPE_SYNC_TIME", "0.0078125"},
                           {"BATCHSCOPE_FORK_SERVER", "none"},
                           {"BATCHSCOPE_BRANCH", "none"},
                           {"OMP_NUM_THREADS", threads},
                           {"OPENBLAS_NUM_THREADS", threads},
                           {"MKL_NUM_THREADS", threads},
                           {"OMP_WAIT_POLICY", "passive"},
                           {"OPENBLAS_THREAD_TIMEOUT", "20"},
                           {"PYTHONUNBUFFERED", "1"},
                           {"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"},
                           {"RANK", number},
                           {"ROLE_RANK", number},
                           {"LOCAL_RANK", number},
                           {"WORLD_SIZE", "mine"},
                           {"ROLE_WORLD_SIZE", "2"},
                           {"LOCAL_WORLD_SIZE", "2"},
                           {"ROLE_NAME", "default"},
                           {"GROUP_RANK", "0"},
                           {"GROUP_WORLD_SIZE", "1"},
                           {"MASTER_ADDR", "127.1.2.1"},
                           {"TORCHELASTIC_RUN_ID", "aaaaaaaa"},
                           {"TORCHELASTIC_RESTART_COUNT", "513"},
                           {"TORCHELASTIC_MAX_RESTARTS", "4"},
                           {"TORCHELASTIC_USE_AGENT_STORE", "False"},
                           {"INHERITED", "yes"},
                           {"OWN", "x"}});
      const ReplicaOrder& replica = launcher_.orders[rank];
      QCOMPARE(replica.program, "/bin/true");
      QVERIFY(replica.arguments == std::vector<std::string>{"--fast"});
      QCOMPARE(replica.working_directory, "/tmp");
      QCOMPARE(replica.log, paths_.log_file(513, static_cast<int>(rank)));
      QCOMPARE(replica.node, "");
      QCOMPARE(given(rank, "MASTER_PORT"), given(0, "MASTER_PORT"));
    }
    QVERIFY(std::stoi(given(0, "MASTER_PORT")) > 1023);
    QVERIFY(std::stoi(given(0, "ADAPTDL_MASTER_PORT")) > 1023);
    QVERIFY(given(0, "MASTER_PORT") != given(0, "ADAPTDL_MASTER_PORT"));
    for (const fs::path& file : {paths_.environment, paths_.log_file(513, 0), paths_.log_file(513, 1)})
      QCOMPARE(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    const auto listed = protocol::Json::parse(testing::contents(paths_.environment));
    QCOMPARE(listed.at("RANK").get<std::string>(), "0");
    QVERIFY(!listed.contains("INHERITED"));
  }

  // A package of ours comes before what is in the search path already, where a program is not ours.
  void whatIsNotOursFindsThePackageByWhichItReports() {
    const auto forget = qScopeGuard([path = qgetenv("PYTHONPATH"), bin = qgetenv("BATCHSCOPE_BIN")] {
      path.isNull() ? qunsetenv("PYTHONPATH") : qputenv("PYTHONPATH", path);
      bin.isNull() ? qunsetenv("BATCHSCOPE_BIN") : qputenv("BATCHSCOPE_BIN", bin);
    });
    qunsetenv("PYTHONPATH");
    for (const char* const folder : {"bin", "b:in"})
      testing::write_file(folder_->filePath(folder).toStdString() + "/python/hook/sitecustomize.py", "");
    const auto path_of = [](const protocol::RunSpec& spec) {
      const auto environment = program_order(spec, {}).environment;
      const auto found = environment.find("PYTHONPATH");
      return found == environment.end() ? "none" : found->second;
    };
    protocol::RunSpec spec;
    spec.program = "/bin/true";
    qputenv("BATCHSCOPE_BIN", folder_->filePath("bin").toUtf8());
    const std::string hook = folder_->filePath("bin/python/hook").toStdString();
    QCOMPARE(path_of(spec), hook);
    spec.environment = {{"PYTHONPATH", "/said"}};
    QCOMPARE(path_of(spec), hook + ":/said");
    spec.environment["BATCHSCOPE_PYTHON_HOOK"] = "off";
    QCOMPARE(path_of(spec), "/said");
    spec.environment["BATCHSCOPE_PYTHON_HOOK"] = "on";
    spec.program = BATCHSCOPE_TEST_BIN "/fake-replica";  // which is ours
    QCOMPARE(path_of(spec), "/said");
    spec.program = "/bin/true";
    qputenv("BATCHSCOPE_BIN", folder_->filePath("b:in").toUtf8());  // which no search path can hold
    QCOMPARE(path_of(spec), "/said");
  }

  // People read in the list what the supervisor has added to its own variables.
  void aSearchPathIsListedUnlessItIsTheSupervisorsOwn() {
    const auto set = [](const QByteArray& path) {
      return path.isNull() ? qunsetenv("PYTHONPATH") : qputenv("PYTHONPATH", path);
    };
    const auto restore = qScopeGuard([&, before = qgetenv("PYTHONPATH")] { set(before); });
    const auto listed = [&](const char* own, const char* said) {
      set(own);
      GenerationOrder with = order();
      if (said != nullptr) with.spec.environment["PYTHONPATH"] = said;
      const Generation generation(with, launcher_);
      return protocol::Json::parse(testing::contents(paths_.environment)).value("PYTHONPATH", "none");
    };
    QCOMPARE(listed(nullptr, nullptr), "none");
    QCOMPARE(listed(nullptr, "/said"), "/said");
    QCOMPARE(listed("/own", nullptr), "none");
    QCOMPARE(listed("/own", "/own"), "none");
    QCOMPARE(listed("/own", "/said"), "/said");
  }

  void whatIsNotKnownIsNotSaid() {
    GenerationOrder all = order();
    all.spec.devices_per_replica = 0;
    all.spec.triggers.clear();
    all.placement.devices.clear();
    all.supervisor_url.clear();
    all.unloadable.clear();
    all.contention = all.sync_time = 0;
    all.paths.memory.clear();
    all.spec.environment.clear();
    qputenv("OMP_WAIT_POLICY", "active");
    const auto forget = qScopeGuard([] { qunsetenv("OMP_WAIT_POLICY"); });
    const Generation generation(all, launcher_);
    compare_given(0, {{"BATCHSCOPE_NUM_DEVICES", "1"},
                      {"BATCHSCOPE_DEVICES_PER_REPLICA", "none"},
                      {"BATCHSCOPE_TRIGGERS", "none"},
                      {"BATCHSCOPE_CONTENTION", "none"},
                      {"BATCHSCOPE_SYNC_TIME", "none"},
                      {"BATCHSCOPE_UNLOADABLE_CHECKPOINTS", "none"},
                      {"BATCHSCOPE_MEMORY_PATH", "none"},
                      {"ADAPTDL_SUPERVISOR_URL", "none"},
                      {"WORLD_SIZE", "2"},
                      {"OMP_WAIT_POLICY", "active"}});
  }

  // Replicas of several nodes meet by TCP, with a secret of their own.
  void placesOnOtherNodesAreTheirNodes() {
    qputenv("CUDA_VISIBLE_DEVICES", "5");
    const auto forget = qScopeGuard([] { qunsetenv("CUDA_VISIBLE_DEVICES"); });
    const fs::path shared = folder_->filePath("shared").toStdString();
    fs::create_directory(shared);
    fs::remove(paths_.checkpoints);
    fs::create_directory_symlink(shared, paths_.checkpoints);
    const Generation generation(over_nodes(), launcher_);
    QCOMPARE(generation.master_address(), "10.0.0.1");
    const char* const local_ranks[] = {"0", "0", "1"};
    const char* const on_node[] = {"1", "2", "2"};
    const char* const nodes[] = {"0", "1", "1"};
    const char* const visible[] = {"5", "0,1", "none"};
    const char* const urls[] = {"http://127.0.0.1:1/secret", "none", "none"};
    const std::string token = given(0, "BATCHSCOPE_RENDEZVOUS_TOKEN");
    QCOMPARE(token.size(), 64u);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      compare_given(rank, {{"ADAPTDL_NUM_NODES", "2"},
                           {"ADAPTDL_MASTER_ADDR", "10.0.0.1"},
                           {"MASTER_ADDR", "10.0.0.1"},
                           {"ADAPTDL_CHECKPOINT_PATH", fs::canonical(shared).string()},
                           {"ADAPTDL_SHARE_PATH", fs::canonical(paths_.share).string()},
                           {"ADAPTDL_SUPERVISOR_URL", urls[rank]},
                           {"BATCHSCOPE_RENDEZVOUS_DIR", "none"},
                           {"BATCHSCOPE_RENDEZVOUS_TOKEN", token},
                           {"BATCHSCOPE_MEETING_TIMEOUT", "54.0"},
                           {"LOCAL_RANK", local_ranks[rank]},
                           {"LOCAL_WORLD_SIZE", on_node[rank]},
                           {"GROUP_RANK", nodes[rank]},
                           {"GROUP_WORLD_SIZE", "2"},
                           {"CUDA_VISIBLE_DEVICES", visible[rank]}});
      QCOMPARE(launcher_.orders[rank].node, rank == 0 ? "" : "n2");
    }
    QVERIFY(!testing::holds(testing::contents(paths_.environment), token));
    QVERIFY(!testing::holds(testing::contents(paths_.environment), "secret"));
  }

  void processesAreReachedByRankAndByNode() {
    const auto generation = std::make_unique<Generation>(over_nodes(), launcher_);
    const std::map<int, pid_t> living = generation->living();
    QCOMPARE(living.size(), 3u);
    QVERIFY(generation->living_here() == (std::map<int, pid_t>{{0, living.at(0)}}));
    QCOMPARE(generation->node_of(0), "");
    QCOMPARE(generation->node_of(2), "n2");
    QCOMPARE(generation->rank_of(living.at(1)), std::optional(1));
    QVERIFY(!generation->rank_of(getpid()));
    const auto processes = generation->processes();
    QCOMPARE(processes.size(), 3u);
    QCOMPARE(processes[2], protocol::identify(living.at(2)));

    generation->kill_on("n2");
    for (const int rank : {1, 2}) QCOMPARE(WaitingReplicas::status_of(living.at(rank)), SIGKILL);
    QVERIFY(WaitingReplicas::lives(living.at(0)));
    QCOMPARE(generation->take_exited(living.at(2)), std::optional(2));
    QVERIFY(!generation->take_exited(living.at(2)));
    QCOMPARE(generation->living().size(), 2u);
    generation->signal_rank(2, SIGUSR1);  // which is gone
    generation->signal_rank(0, SIGUSR1);
    QCOMPARE(WaitingReplicas::status_of(living.at(0)), SIGUSR1);
    QCOMPARE(generation->take_exited(living.at(0)), std::optional(0));
    QCOMPARE(generation->take_exited(living.at(1)), std::optional(1));
  }

  void whoIsToLeaveLearnsWhatFollows() {
    for (const bool restart : {false, true}) {
      const Generation generation(order(), launcher_);
      generation.ask_exit(restart);
      for (const auto& [rank, pid] : generation.living())
        QCOMPARE(WaitingReplicas::status_of(pid), W_EXITCODE(restart ? 11 : 10, 0));
    }
  }

  void nothingIsLeftOfAGenerationThatIsGone() {
    std::map<int, pid_t> living;
    {
      fs::create_directory(paths_.rendezvous(513));  // of one that was killed
      testing::write_file(paths_.rendezvous(513) / "old", "");
      const Generation generation(order(), launcher_);
      living = generation.living();
      QVERIFY(fs::is_empty(paths_.rendezvous(513)));
    }
    for (const auto& [rank, pid] : living) QCOMPARE(WaitingReplicas::status_of(pid), SIGKILL);
    QVERIFY(!fs::exists(paths_.rendezvous(513)));
  }

  void nothingStaysOpen() {
    const auto before = testing::count_open_files();
    { const Generation generation(order(), launcher_); }
    QCOMPARE(testing::count_open_files(), before);
  }

  void whereTheDiskIsFullReplicasMeetInMemory() {
    fs::remove_all(paths_.runtime);
    {
      const Generation generation(order(), launcher_);
      QCOMPARE(given(1, "BATCHSCOPE_RENDEZVOUS_DIR"),
               (paths_.memory / paths_.rendezvous(513).filename()).string());
    }
    QVERIFY(fs::is_empty(paths_.memory));
    for (const fs::path& memory : {fs::path(), paths_.memory / "missing"}) {
      GenerationOrder without = order();
      without.paths.memory = memory;
      VERIFY_THROWS("io", "cannot make the directory " + paths_.rendezvous(513).string(),
                    Generation(without, launcher_));
    }
  }

  void aLogThatCannotBeWrittenIsTold() {
    const fs::path log = paths_.log_file(513, 1);
    fs::create_directory(log);
    const Generation generation(order(), launcher_);
    QCOMPARE(generation.warning(), log.string() + " cannot be written: what the replicas print is lost");
    QCOMPARE(launcher_.orders[0].log, paths_.log_file(513, 0));
    QCOMPARE(launcher_.orders[1].log, fs::path("/dev/null"));
  }

  void theProgramsOwnSnapshotIsAnArgument() {
    const fs::path snapshot = folder_->filePath("own.pt").toStdString();
    const auto arguments = [&](const char* argument) {
      GenerationOrder with = order();
      if (argument != nullptr) with.spec.environment[kResumeArgument] = argument;
      const Generation generation(with, launcher_);
      return launcher_.orders[0].arguments;
    };
    using Words = std::vector<std::string>;
    QVERIFY(arguments("--resume") == Words{"--fast"});  // there is none
    testing::write_file(snapshot, "weights");
    testing::write_file(paths_.share / "batchscope-snapshot.json",
                        protocol::Json{{"path", snapshot.string()}, {"step", 20}}.dump());
    QVERIFY(arguments("--resume") == (Words{"--fast", "--resume", snapshot.string()}));
    QVERIFY(arguments("--resume=") == (Words{"--fast", "--resume=" + snapshot.string()}));
    QVERIFY(arguments("") == Words{"--fast"});
    QVERIFY(arguments(nullptr) == Words{"--fast"});
  }

  void whatIsNoSnapshotIsNotTold_data() {
    const auto row = testing::columns<QString, bool>({"noted", "told"});
    row("the first step", R"({"path":"%1","step":0})", true);
    row("a step below it", R"({"path":"%1","step":-1})", false);
    row("not there", R"({"path":"%1-missing","step":20})", false);
    row("not whole", R"({"path":"own.pt","step":20})", false);
    row("no step", R"({"path":"%1"})", false);
    row("no number", R"({"path":"%1","step":"many"})", false);
    row("no JSON", "20 %1", false);
  }
  void whatIsNoSnapshotIsNotTold() {
    QFETCH(QString, noted);
    const QString snapshot = folder_->filePath("own.pt");
    QVERIFY(!own_snapshot(paths_.share));
    testing::write_file(snapshot.toStdString(), "weights");
    if (noted.contains("%1")) noted = noted.arg(snapshot);
    testing::write_file(paths_.share / "batchscope-snapshot.json", noted.toStdString());
    QTEST(own_snapshot(paths_.share).has_value(), "told");
  }

  void generationsMeetAtAddressesOfTheirOwn() {
    QCOMPARE(master_address(0), "127.1.0.0");
    QCOMPARE(master_address(255), "127.1.0.255");
    QCOMPARE(master_address(256), "127.1.1.0");
    QCOMPARE(master_address(65535), "127.1.255.255");
    QCOMPARE(master_address(65536), "127.1.0.0");
  }
};

BATCHSCOPE_TEST(TestGeneration)
#include "test_generation.moc"
