// SPDX-License-Identifier: GPL-3.0-or-later
#include "look/pause_parts.h"

#include <QCoreApplication>
#include <QStringList>

#include "look/format.h"

namespace batchscope::desktop {

QString pausePartText(std::size_t part) {
  static constexpr std::array<const char*, kPauseParts.size()> texts{
      QT_TRANSLATE_NOOP("pause", "Checkpoint"), QT_TRANSLATE_NOOP("pause", "Stop"),
      QT_TRANSLATE_NOOP("pause", "Launch"), QT_TRANSLATE_NOOP("pause", "Restore"),
      QT_TRANSLATE_NOOP("pause", "First step")};
  return QCoreApplication::translate("pause", texts.at(part));
}

QString describePause(const std::map<std::string, double>& parts) {
  QStringList words;
  for (std::size_t part = 0; part < kPauseParts.size(); ++part) {
    if (const auto took = parts.find(kPauseParts[part]); took != parts.end())
      words << pausePartText(part) + QLatin1Char(' ') + formatPause(took->second);
  }
  return words.join(QStringLiteral(", "));
}

}  // namespace batchscope::desktop
