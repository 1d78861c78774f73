// SPDX-License-Identifier: Apache-2.0
//
// What is taken for a want of memory, and how far a bound is lowered.
#include <QTest>

#include "memory_fault.h"

using namespace batchscope::run;

class TestMemoryFault : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void allocatorsAreUnderstood_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("memory");
    QTest::newRow("LibTorch 1.13 on the CPU")
        << "c10::Error: [enforce fail at alloc_cpu.cpp:66] . DefaultCPUAllocator: can't allocate memory: you "
           "tried to allocate 144115188075855872 bytes. Error code 12 (Cannot allocate memory)"
        << true;
    QTest::newRow("LibTorch 2 on the CPU")
        << "DefaultCPUAllocator: not enough memory: you tried to allocate 40000000000 bytes." << true;
    QTest::newRow("CUDA") << "c10::OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB" << true;
    QTest::newRow("C++") << "std::bad_alloc: std::bad_alloc" << true;
    QTest::newRow("Python") << "numpy.core._exceptions.MemoryError: Unable to allocate 7.45 TiB" << true;
    QTest::newRow("another") << "std::out_of_range: vector::_M_range_check" << false;
    QTest::newRow("nothing") << "" << false;
  }
  void allocatorsAreUnderstood() {
    QFETCH(QString, text);
    QTEST(tells_of_memory(text.toStdString()), "memory");
  }

  void aBoundIsLoweredByATenthAndComesToAnEnd() {
    QCOMPARE(lowered_local_batch_size(100), 90);
    QCOMPARE(lowered_local_batch_size(64), 57);
    QCOMPARE(lowered_local_batch_size(9), 8);
    QCOMPARE(lowered_local_batch_size(1), 0);
    QCOMPARE(lowered_local_batch_size(0), 0);
    for (std::int64_t bound = 1 << 20; bound > 0;) {
      const std::int64_t lower = lowered_local_batch_size(bound);
      QVERIFY(lower < bound);
      bound = lower;
    }
  }
};

QTEST_APPLESS_MAIN(TestMemoryFault)
#include "test_memory_fault.moc"
