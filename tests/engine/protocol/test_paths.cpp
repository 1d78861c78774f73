// SPDX-License-Identifier: Apache-2.0
//
// Where things lie, the 108 bytes of a socket address, and directories that must be private.
#include <unistd.h>

#include <QTemporaryDir>
#include <filesystem>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/paths.h"
#include "batchscope/protocol/private_files.h"
#include "batchscope/protocol/random_text.h"
#include "batchscope/protocol/unix_address.h"
#include "open_files.h"
#include "test_case.h"
#include "text_files.h"
#include "thrown.h"

using namespace batchscope;
using namespace batchscope::protocol;
namespace fs = std::filesystem;

class TestPaths : public QObject {
  Q_OBJECT
  QTemporaryDir home_;

 private Q_SLOTS:
  void init() {
    qputenv("HOME", home_.path().toUtf8());
    for (const char* name : {"XDG_DATA_HOME", "XDG_STATE_HOME", "BATCHSCOPE_DB"}) qunsetenv(name);
  }

  void theCatalogueIsWhereTheEnvironmentSays() {
    QCOMPARE(catalogue_path(), fs::path(home_.path().toStdString()) / ".local/share/batchscope/runs.db");
    qputenv("XDG_DATA_HOME", "relative");  // to be ignored, says the XDG specification
    QCOMPARE(catalogue_path(), fs::path(home_.path().toStdString()) / ".local/share/batchscope/runs.db");
    qputenv("XDG_DATA_HOME", "/data");
    QCOMPARE(catalogue_path(), fs::path("/data/batchscope/runs.db"));
    qputenv("BATCHSCOPE_DB", "/elsewhere/my.db");
    QCOMPARE(catalogue_path(), fs::path("/elsewhere/my.db"));
    QCOMPARE(run_paths("abcd1234").samples, fs::path("/elsewhere/runs/abcd1234/samples.db"));
  }

  void socketsFitTheirAddressHoweverDeepTheHome() {
    for (int depth = 0; depth <= 200; ++depth) {
      qputenv("XDG_STATE_HOME", QByteArray("/") + QByteArray(depth, 'x'));
      const RunPaths paths = run_paths("abcd1234");
      QVERIFY(paths.control_socket.native().size() < 108);
      QVERIFY((paths.rendezvous(9999) / "collective.sock").native().size() < 108);
      // No deeper than the longest name allows: /x/batchscope/abcd1234/g0000/collective.sock.
      QCOMPARE(paths.runtime.native().starts_with("/tmp/"), depth > 107 - 43);
    }
  }

  void memoryMayLieElsewhereOrNowhere() {
    const std::string own = "batchscope-" + std::to_string(getuid()) + "/abcd1234";
    qunsetenv("BATCHSCOPE_SHM");
    QCOMPARE(run_paths("abcd1234").memory, fs::path("/dev/shm") / own);
    qputenv("BATCHSCOPE_SHM", "/elsewhere");
    QCOMPARE(run_paths("abcd1234").memory, fs::path("/elsewhere") / own);
    qputenv("BATCHSCOPE_SHM", "off");
    QVERIFY(run_paths("abcd1234").memory.empty());
    qunsetenv("BATCHSCOPE_SHM");
  }

  void withoutAHomeItIsToldWhatToSet() {
    qunsetenv("HOME");
    VERIFY_THROWS("io", "neither XDG_DATA_HOME nor HOME is set", catalogue_path());
    qputenv("XDG_DATA_HOME", "/data");
    VERIFY_THROWS("io", "neither XDG_STATE_HOME nor HOME is set", run_paths("abcd1234"));
  }

  void directoriesAreMadeAndPrivate() {
    const RunPaths paths = run_paths("abcd1234");
    make_run_directories(paths);
    make_run_directories(paths);
    for (const fs::path& path : {paths.root.parent_path().parent_path(), paths.root.parent_path(), paths.root,
                                 paths.logs, paths.checkpoints, paths.share, paths.tensorboard})
      QCOMPARE(fs::status(path).permissions(), fs::perms::owner_all);
    QCOMPARE(fs::status(paths.runtime).permissions(), fs::perms::owner_all);
    fs::permissions(paths.runtime, fs::perms::all);
    make_run_directories(paths);
    QCOMPARE(fs::status(paths.runtime).permissions(), fs::perms::owner_all);
  }

  void whatIsMadeIsTheOwnersAlone() {
    const fs::path folder = fs::path(home_.path().toStdString()) / "one/two/";
    make_private_directories(folder);
    QCOMPARE(fs::status(folder.parent_path().parent_path()).permissions(), fs::perms::owner_all);
    const fs::path file = folder / "file";
    const auto open_files = testing::count_open_files();
    make_private_file(file);
    QCOMPARE(testing::count_open_files(), open_files);
    QCOMPARE(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    fs::permissions(folder.parent_path(), fs::perms::owner_all | fs::perms::group_read);
    fs::permissions(file, fs::perms::owner_all);
    make_private_directories(folder);  // what is there is somebody's choice
    make_private_file(file);
    QCOMPARE(fs::status(folder).permissions(), fs::perms::owner_all | fs::perms::group_read);
    QCOMPARE(fs::status(file).permissions(), fs::perms::owner_all);
    QVERIFY_EXCEPTION_THROWN(make_private_directories(file / "below"), Error);
    QVERIFY_EXCEPTION_THROWN(make_private_directories(file), Error);
    VERIFY_THROWS("io", "cannot make the folder /proc/nowhere: No such file",
                  make_private_directories("/proc/nowhere"));
  }

  // Where a socket shall lie: a place that is missing, or somebody's file, is told of.
  void aPrivateDirectoryThatCannotBe() {
    const QTemporaryDir folder;
    const fs::path parent = folder.path().toStdString();
    VERIFY_THROWS("io", "cannot make the directory", make_private_directory(parent / "nowhere" / "below"));
    testing::write_file(parent / "file", "work");
    VERIFY_THROWS("io", "set XDG_STATE_HOME to a place", make_private_directory(parent / "file"));
    if (geteuid() != 0) QSKIP("only root can give a folder to another user");
    make_private_directory(parent / "another's");
    QCOMPARE(chown((parent / "another's").c_str(), 65534, 65534), 0);
    VERIFY_THROWS("io", "is not a directory of yours", make_private_directory(parent / "another's"));
    const fs::perms open_to_all = fs::perms::owner_all | fs::perms::others_read;
    fs::permissions(parent / "another's", open_to_all);
    VERIFY_THROWS("io", "is not a directory of yours", make_private_directory(parent / "another's"));
    QCOMPARE(fs::status(parent / "another's").permissions(), open_to_all);  // what is not ours stays as it is
  }

  void aLinkInTheRuntimeDirectorysPlaceIsRefused() {
    qputenv("XDG_STATE_HOME", (home_.path() + "/state").toUtf8());
    const RunPaths paths = run_paths("linkrun1");
    fs::create_directories(paths.runtime.parent_path());
    fs::create_directory_symlink("/tmp", paths.runtime);
    QVERIFY_EXCEPTION_THROWN(make_run_directories(paths), Error);
  }

  void idsAreCheckedBeforeTheyBecomePaths() {
    QVERIFY(valid_run_id(new_run_id()));
    QVERIFY(new_run_id() != new_run_id());
    for (const char* id : {"", "..", "../../..", "abc", "ABCD1234", "abcd123/", "abcd12345"}) {
      QVERIFY(!valid_run_id(id));
      QVERIFY_EXCEPTION_THROWN(run_paths(id), Error);
    }
  }

  void aLogsNameIsReadAsItIsWritten() {
    const LogName name{12, 3};
    QVERIFY(parse_log_name(run_paths("abcd1234").log_file(12, 3).filename().native()) == name);
    for (const char* other :
         {"", "g", "g1", "g1-r", "g1-r0", "g1-r0.log.times", "g-r0.log", "fork-server.log"})
      QVERIFY2(!parse_log_name(other), other);
  }

  void aSocketsAddressHoldsItsWholePath() {
    const std::string longest = "/" + std::string(106, 's');
    QCOMPARE(std::string(unix_address(longest).sun_path), longest);
    QVERIFY_EXCEPTION_THROWN(unix_address(longest + "s"), Error);
  }

  void aTokenIsOfItsLetters() {
    const std::string token = random_text(32);
    QCOMPARE(token.size(), std::size_t(32));
    QCOMPARE(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    QVERIFY(token != random_text(32));
    const std::string all = random_text(4096);
    for (const char letter : {'0', '7', 'a', 'f'}) QVERIFY(all.find(letter) != std::string::npos);
  }
};

BATCHSCOPE_TEST(TestPaths)
#include "test_paths.moc"
