// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>
#include <vector>

class QWidget;

namespace batchscope::desktop {

class QueueSession;

// Asks whether these jobs, called `what`, are to be ended, and ends them if so.
void askToCancel(QueueSession* session, const std::vector<std::string>& ids, const QString& what,
                 QWidget* window);

}  // namespace batchscope::desktop
