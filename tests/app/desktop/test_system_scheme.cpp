// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window follows the desktop between light and dark while it runs: against a settings portal of the
// test's own, on a bus of the test's own.
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVirtualObject>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QThread>

#include "look/system_scheme.h"
#include "look/theme.h"
#include "test_case.h"

using namespace batchscope::desktop;

namespace {

// Answers Read as xdg-desktop-portal does, and says when the person changes the preference.
class Portal : public QDBusVirtualObject {
 public:
  QString introspect(const QString&) const override { return {}; }
  bool handleMessage(const QDBusMessage& message, const QDBusConnection& connection) override {
    if (message.member() != QLatin1String("Read")) return false;
    const QDBusVariant inner(QVariant::fromValue(preference));
    return connection.send(
        message.createReply(QVariant::fromValue(QDBusVariant(QVariant::fromValue(inner)))));
  }
  void change(QDBusConnection connection, unsigned to) {
    preference = to;
    QDBusMessage signal = QDBusMessage::createSignal(QStringLiteral("/org/freedesktop/portal/desktop"),
                                                     QStringLiteral("org.freedesktop.portal.Settings"),
                                                     QStringLiteral("SettingChanged"));
    signal << QStringLiteral("org.freedesktop.appearance") << QStringLiteral("color-scheme")
           << QVariant::fromValue(QDBusVariant(preference));
    connection.send(signal);
  }
  unsigned preference = 1;
};

}  // namespace

class TestSystemScheme : public QObject {
  Q_OBJECT

  QProcess daemon_;
  QThread thread_;  // the portal answers while the test's own thread waits for it
  Portal portal_;

  // Said again where nobody hears it: that somebody listens comes to the bus by another connection, and may
  // come later.
  bool changesTo(unsigned preference) {
    QSignalSpy changed(&SystemScheme::instance(), &SystemScheme::changed);
    for (int attempt = 0; attempt < 10 && changed.isEmpty(); ++attempt) {
      portal_.change(QDBusConnection(QStringLiteral("portal")), preference);
      changed.wait(500);
    }
    return !changed.isEmpty();
  }

 private Q_SLOTS:
  void initTestCase() {
    const QString program = QStandardPaths::findExecutable(QStringLiteral("dbus-daemon"));
    if (program.isEmpty()) QSKIP("dbus-daemon is not installed");
    daemon_.start(program, {QStringLiteral("--session"), QStringLiteral("--nofork"),
                            QStringLiteral("--print-address")});
    QVERIFY(daemon_.waitForReadyRead());
    const QByteArray address = daemon_.readLine().trimmed();
    qputenv("DBUS_SESSION_BUS_ADDRESS", address);
    QDBusConnection bus = QDBusConnection::connectToBus(QString::fromUtf8(address), QStringLiteral("portal"));
    QVERIFY(bus.isConnected());
    portal_.moveToThread(&thread_);
    thread_.start();
    QVERIFY(bus.registerVirtualObject(QStringLiteral("/org/freedesktop/portal/desktop"), &portal_));
    QVERIFY(bus.registerService(QStringLiteral("org.freedesktop.portal.Desktop")));
  }

  void theDesktopDecidesFromTheStart() {
    applyTheme(Theme::Mode::System);
    QVERIFY(Theme::current().isDark);
  }

  void andWhenItChangesItsMind() {
    QVERIFY(changesTo(2));
    QVERIFY(!Theme::current().isDark);
    QCOMPARE(QGuiApplication::palette().color(QPalette::Base), Theme::light().panel);
  }

  void aChosenThemeStays() {
    applyTheme(Theme::Mode::Light);
    QVERIFY(changesTo(1));
    QVERIFY(!Theme::current().isDark);
    applyTheme(Theme::Mode::System, true);
    QVERIFY(Theme::current().isDark && isColourBlindTheme());
  }

  void cleanupTestCase() {
    thread_.quit();
    thread_.wait();
    daemon_.kill();
    daemon_.waitForFinished();
  }
};

BATCHSCOPE_TEST(TestSystemScheme)
#include "test_system_scheme.moc"
