// SPDX-License-Identifier: Apache-2.0
#include "log/log_tail.h"

#include <QFile>

namespace batchscope::run {

std::string log_tail(const std::filesystem::path& path, int lines) {
  constexpr qint64 kMost = 32 << 10;
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  file.seek(std::max<qint64>(0, file.size() - kMost));
  // Through QString, so that a program's binary output cannot break a JSON message.
  const QString text = QString::fromUtf8(file.read(kMost)).remove(QChar(0)).trimmed();
  return text.section(QLatin1Char('\n'), -lines).toStdString();
}

}  // namespace batchscope::run
