// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/system_scheme.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QFileInfo>
#include <QPalette>

namespace batchscope::desktop {
namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kSpace = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");
constexpr int kPatience = 1000;  // ms; a portal may have to be started first

// Read wraps its answer in a variant of a variant.
unsigned preferenceOf(QVariant value) {
  while (value.userType() == qMetaTypeId<QDBusVariant>()) value = value.value<QDBusVariant>().variant();
  return value.toUInt();
}

}  // namespace

std::optional<QDBusConnection> sessionBus() {
  const bool isThere = qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") ||
                       QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
  if (!isThere) return {};
  static const QDBusConnection bus =
      QDBusConnection::connectToBus(QDBusConnection::SessionBus, QStringLiteral("batchscope"));
  return bus.isConnected() ? std::optional(bus) : std::nullopt;
}

SystemScheme& SystemScheme::instance() {
  static SystemScheme* scheme = new SystemScheme(qApp);
  return *scheme;
}

SystemScheme::SystemScheme(QObject* parent) : QObject(parent) {
  const QPalette palette = QApplication::palette();
  paletteIsDark_ =
      palette.color(QPalette::Window).lightnessF() < palette.color(QPalette::WindowText).lightnessF();
  dark_ = paletteIsDark_;
  std::optional<QDBusConnection> session = sessionBus();
  if (!session) return;
  QDBusConnection& bus = *session;
  QDBusMessage read = QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
  read << kSpace << kKey;
  const QDBusMessage answer = bus.call(read, QDBus::Block, kPatience);
  if (answer.type() == QDBusMessage::ReplyMessage && !answer.arguments().isEmpty())
    take(preferenceOf(answer.arguments().first()));
  // Qt 6.4 does not know QDBusVariant as a slot's parameter before it is registered, and then connects
  // nothing. From whoever owns the portal's name then, for a portal may be restarted.
  qRegisterMetaType<QDBusVariant>();
  QDBusMetaType::typeToSignature(QMetaType::fromType<QDBusVariant>());
  bus.connect(QString(), kPath, kInterface, QStringLiteral("SettingChanged"), this,
              SLOT(settingChanged(QString, QString, QDBusVariant)));
}

void SystemScheme::settingChanged(const QString& space, const QString& key, const QDBusVariant& value) {
  if (space == kSpace && key == kKey) take(preferenceOf(value.variant()));
}

void SystemScheme::take(unsigned preference) {
  const bool dark = preference == 1 || (preference != 2 && paletteIsDark_);
  if (dark == dark_) return;
  dark_ = dark;
  Q_EMIT changed();
}

}  // namespace batchscope::desktop
