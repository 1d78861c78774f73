// SPDX-License-Identifier: GPL-3.0-or-later
//
// The desktop's preference for dark or light windows, and its changes, from the settings portal
// (org.freedesktop.portal.Settings, namespace org.freedesktop.appearance, key color-scheme: 1 dark, 2 light,
// 0 no preference; GNOME, KDE and others serve it). Without a portal, the palette that the application began
// with decides. Qt has the same from 6.5 on.
#pragma once

#include <QDBusConnection>
#include <QDBusVariant>
#include <QObject>
#include <optional>

namespace batchscope::desktop {

// Empty where there is no session bus: asking for it would start one. A connection of our own, since Qt holds
// back what the shared one hears until the event loop runs.
std::optional<QDBusConnection> sessionBus();

class SystemScheme : public QObject {
  Q_OBJECT
 public:
  // Returns the application's instance. The first call asks the portal, and waits for it at most a second.
  static SystemScheme& instance();

  bool isDark() const { return dark_; }

 Q_SIGNALS:
  void changed();

 private Q_SLOTS:
  void settingChanged(const QString& space, const QString& key, const QDBusVariant& value);

 private:
  explicit SystemScheme(QObject* parent);
  void take(unsigned preference);

  bool dark_, paletteIsDark_;
};

}  // namespace batchscope::desktop
