// SPDX-License-Identifier: GPL-3.0-or-later
//
// Looks at the runs with AlertRules and tells the person through the desktop (org.freedesktop.Notifications,
// Desktop Notifications Specification 1.2); a click on the notification asks for the run. Without such a
// service an alert is only said in the window.
#pragma once

#include <QObject>
#include <QTimer>
#include <map>

#include "records/alert_rules.h"

namespace batchscope::desktop {

class CatalogueWatcher;

class Notifier : public QObject {
  Q_OBJECT
 public:
  explicit Notifier(CatalogueWatcher* watcher, QObject* parent = nullptr);

 Q_SIGNALS:
  void raised(const QString& message, const QString& run);
  void runRequested(const QString& id);

 private Q_SLOTS:
  void actionInvoked(uint notification, const QString& action);

 private:
  void look();
  void send(const Alert& alert);

  CatalogueWatcher* watcher_;
  AlertRules rules_;
  QTimer timer_;
  std::map<uint, QString> runs_;  // by notification
};

}  // namespace batchscope::desktop
