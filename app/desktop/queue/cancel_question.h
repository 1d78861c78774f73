// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>
#include <string>
#include <vector>

class QObject;
class QWidget;

namespace batchscope::desktop {

class QueueSession;

// Asks whether these jobs, called `what`, are to be ended, and ends them if so.
void askToCancel(QueueSession* session, const std::vector<std::string>& ids, const QString& what,
                 QWidget* window);

// Asks the same about something else, with the consequence in words; `agreed` is called while `context`
// lives.
void askToCancel(const QString& what, const QString& consequence, QWidget* window, QObject* context,
                 std::function<void()> agreed);

}  // namespace batchscope::desktop
