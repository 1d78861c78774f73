// SPDX-License-Identifier: GPL-3.0-or-later
//
// A store, state directory and configuration of a test's own, gone with it.
#pragma once

#include <QTemporaryDir>
#include <QtTest>

namespace batchscope::desktop::test {

class TemporaryStore {
 public:
  TemporaryStore() {
    qputenv("BATCHSCOPE_DB", directory_.filePath(QStringLiteral("store/runs.db")).toUtf8());
    qputenv("XDG_STATE_HOME", directory_.filePath(QStringLiteral("state")).toUtf8());
    qputenv("XDG_CONFIG_HOME", directory_.filePath(QStringLiteral("config")).toUtf8());
  }
  QString path(const QString& name) const { return directory_.filePath(name); }

 private:
  QTemporaryDir directory_{QStringLiteral("/tmp/bsXXXXXX")};
};

}  // namespace batchscope::desktop::test
