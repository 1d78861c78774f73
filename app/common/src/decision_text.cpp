// SPDX-License-Identifier: Apache-2.0
#include "batchscope/common/decision_text.h"

#include <QStringList>
#include <cstdlib>

#include "batchscope/common/job_text.h"
#include "batchscope/common/number_text.h"
#include "batchscope/common/translate.h"

namespace batchscope::common {

int changeOf(const protocol::PoolChoice& choice) {
  return static_cast<int>(choice.devices.size()) - choice.before;
}

QString changesText(const protocol::PoolDecision& decision, const NameOfRun& nameOf) {
  QStringList parts;
  for (const protocol::PoolChoice& choice : decision.choices)
    if (const int by = changeOf(choice); by != 0)
      parts << nameOf(choice.run) + (by > 0 ? QStringLiteral(" +") : QStringLiteral(" −")) +
                   formatCount(std::abs(by));
  return parts.isEmpty() ? tr("no change") : parts.join(QStringLiteral(", "));
}

QString choiceText(const protocol::PoolChoice& choice) {
  const auto now = static_cast<std::int64_t>(choice.devices.size());
  const QString count = changeOf(choice) == 0 ? formatCount(now) : tr("%1 → %2").arg(choice.before).arg(now);
  return choice.devices.empty() ? count : tr("%1: %2").arg(count, devicesText(choice.devices));
}

}  // namespace batchscope::common
