// SPDX-License-Identifier: GPL-3.0-or-later
#include "records/notifier.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QGuiApplication>
#include <QVariantMap>

#include "look/system_scheme.h"
#include "session/catalogue_watcher.h"

namespace batchscope::desktop {
namespace {

const QString kService = QStringLiteral("org.freedesktop.Notifications");
const QString kPath = QStringLiteral("/org/freedesktop/Notifications");
constexpr int kLookEvery = 5000;  // ms: what no commit tells, that nothing happens
constexpr int kByServer = -1;     // the server chooses how long it is shown
constexpr uchar kNormal = 1, kCritical = 2;

}  // namespace

Notifier::Notifier(CatalogueWatcher* watcher, QObject* parent) : QObject(parent), watcher_(watcher) {
  connect(watcher_, &CatalogueWatcher::changed, this, &Notifier::look);
  connect(&timer_, &QTimer::timeout, this, &Notifier::look);
  timer_.start(kLookEvery);
  if (auto bus = sessionBus()) {
    bus->connect(kService, kPath, kService, QStringLiteral("ActionInvoked"), this,
                 SLOT(actionInvoked(uint, QString)));
  }
  look();
}

void Notifier::look() {
  for (const Alert& alert : rules_.observe(watcher_->runs(), storage::now())) {
    Q_EMIT raised(tr("%1: %2").arg(alert.title, alert.text), QString::fromStdString(alert.run));
    send(alert);
  }
}

void Notifier::send(const Alert& alert) {
  auto bus = sessionBus();
  if (!bus) return;
  QDBusMessage notify = QDBusMessage::createMethodCall(kService, kPath, kService, QStringLiteral("Notify"));
  const QVariantMap hints{
      {QStringLiteral("urgency"), QVariant::fromValue(alert.isUrgent() ? kCritical : kNormal)},
      {QStringLiteral("desktop-entry"), QGuiApplication::desktopFileName()}};
  notify << QGuiApplication::applicationDisplayName() << 0U << QGuiApplication::desktopFileName()
         << alert.title << alert.text << QStringList{QStringLiteral("default"), tr("Show")} << hints
         << kByServer;
  auto* call = new QDBusPendingCallWatcher(bus->asyncCall(notify), this);
  connect(call, &QDBusPendingCallWatcher::finished, this,
          [this, run = QString::fromStdString(alert.run)](QDBusPendingCallWatcher* done) {
            const QDBusPendingReply<uint> reply = *done;
            if (!reply.isError()) runs_[reply.value()] = run;
            done->deleteLater();
          });
}

void Notifier::actionInvoked(uint notification, const QString& action) {
  const auto found = runs_.find(notification);
  if (found == runs_.end() || action != QLatin1String("default")) return;
  Q_EMIT runRequested(found->second);
}

}  // namespace batchscope::desktop
