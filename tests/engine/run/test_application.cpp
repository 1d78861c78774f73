// SPDX-License-Identifier: Apache-2.0
//
// Exceptions of event handlers are handed on, and the event loop goes on.
#include <unistd.h>

#include <QEventLoop>
#include <QSocketNotifier>
#include <QTimer>
#include <stdexcept>

#include "batchscope/run/application.h"
#include "test_case.h"

using batchscope::run::Application;

class TestApplication : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatHandlersThrowIsHandedOn() {
    int count = 1;
    char name[] = "test", *arguments[] = {name, nullptr};
    Application application(count, arguments);
    QStringList caught;
    application.on_exception = [&](const std::exception& exception) { caught << exception.what(); };
    QEventLoop loop;
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, [] { throw std::runtime_error("of a timer"); });
    timer.start(0);
    int ends[2];
    QCOMPARE(pipe(ends), 0);
    QCOMPARE(write(ends[1], "x", 1), 1);  // which nobody reads
    QSocketNotifier notifier(ends[0], QSocketNotifier::Read);
    QObject::connect(&notifier, &QSocketNotifier::activated, [] { throw std::logic_error("of a socket"); });
    QTimer watch;
    QObject::connect(&watch, &QTimer::timeout, [&] {
      if (caught.count("of a timer") > 2 && caught.contains("of a socket")) loop.quit();
    });
    watch.start(1);
    QTimer::singleShot(20'000, &loop, &QEventLoop::quit);
    loop.exec();
    for (const int end : ends) close(end);
    QVERIFY(caught.count("of a timer") > 2);
    QVERIFY(caught.contains("of a socket"));
  }
};

BATCHSCOPE_TEST(TestApplication)
#include "test_application.moc"
