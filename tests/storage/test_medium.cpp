// SPDX-License-Identifier: Apache-2.0
//
// Warnings about a store's file system.
#include "database/medium.h"
#include "test_case.h"

#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "batchscope/storage/medium.h"
#include "store_test.h"

using namespace batchscope::storage;
using namespace batchscope::storage::test;

// The type of every file system; 0: the system's own answer.
static std::uint32_t told_file_system = 0;

// Stands in the place of the C library's in this program.
int statfs(const char* path, struct statfs* status) noexcept {
  const auto result = static_cast<int>(syscall(SYS_statfs, path, status));
  if (told_file_system != 0) status->f_type = told_file_system;
  return result;
}

class TestMedium : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void networksAreKnownByTheirNumbers() {
    QCOMPARE(network_file_system_name(0x6969), "NFS");
    QCOMPARE(network_file_system_name(0xff534d42), "SMB");
    QCOMPARE(network_file_system_name(0x65735546), "FUSE");
    for (const std::uint32_t local :
         {0xef53u, 0x01021994u, 0x9123683eu, 0x58465342u})  // ext4, tmpfs, btrfs, XFS
      QVERIFY(network_file_system_name(local).empty());
  }

  // A path that is not there yet lies where it would be made, whatever this machine has.
  void aPathIsWhereItWouldBeMade() {
    const Folder folder;
    struct statfs status {};
    QCOMPARE(statfs(folder.path().c_str(), &status), 0);
    const std::string name(network_file_system_name(static_cast<std::uint32_t>(status.f_type)));
    QCOMPARE(network_file_system(folder.path()), name);
    QCOMPARE(network_file_system(folder / "not/there/yet"), name);
    QCOMPARE(network_warning(folder / "runs.db").empty(), name.empty());
  }

  void aStoreOnANetworkIsWarnedOf() {
    const Folder folder;
    told_file_system = 0x6969;
    const std::string warning = network_warning(folder / "runs.db");
    told_file_system = 0xef53;
    QCOMPARE(network_warning(folder / "runs.db"), "");
    told_file_system = 0;
    VERIFY_HOLDS(warning, (folder / "runs.db").string() + " lies on NFS", "set BATCHSCOPE_DB to a file");
  }
};

BATCHSCOPE_TEST(TestMedium)
#include "test_medium.moc"
