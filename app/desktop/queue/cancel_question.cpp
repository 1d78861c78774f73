// SPDX-License-Identifier: GPL-3.0-or-later
#include "queue/cancel_question.h"

#include <QApplication>
#include <QMessageBox>
#include <QPushButton>
#include <utility>

#include "session/queue_session.h"

namespace batchscope::desktop {

void askToCancel(QueueSession* session, const std::vector<std::string>& ids, const QString& what,
                 QWidget* window) {
  askToCancel(
      what,
      QueueSession::tr(
          "A run that waits is taken out of the queue; one that trains writes a checkpoint and ends."),
      window, session, [session, ids] { session->cancel(ids); });
}

void askToCancel(const QString& what, const QString& consequence, QWidget* window, QObject* context,
                 std::function<void()> agreed) {
  auto* question = new QMessageBox(QMessageBox::Question, QueueSession::tr("Cancel"),
                                   QueueSession::tr("Cancel %1?").arg(what), QMessageBox::NoButton, window);
  question->setInformativeText(consequence);
  question->setIconPixmap(QApplication::windowIcon().pixmap(48));
  question->setAttribute(Qt::WA_DeleteOnClose);
  auto* cancel = question->addButton(QueueSession::tr("Cancel %1").arg(what), QMessageBox::DestructiveRole);
  question->setDefaultButton(question->addButton(QueueSession::tr("Keep"), QMessageBox::RejectRole));
  QObject::connect(cancel, &QPushButton::clicked, context, std::move(agreed));
  question->open();
}

}  // namespace batchscope::desktop
