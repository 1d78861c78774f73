// SPDX-License-Identifier: Apache-2.0
//
// Warnings about a store's file system.
#include "database/medium.h"
#include "test_case.h"

#include <sys/vfs.h>

#include "batchscope/storage/medium.h"
#include "store_test.h"

using namespace batchscope::storage;
using namespace batchscope::storage::test;

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
    const std::string warning = network_warning(folder / "runs.db");
    QCOMPARE(warning.empty(), name.empty());
    if (!warning.empty()) QVERIFY(warning.find(name) != std::string::npos);
  }
};

BATCHSCOPE_TEST(TestMedium)
#include "test_medium.moc"
