// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/close_notice.h"

#include <QCoreApplication>
#include <QLabel>
#include <QTimer>
#include <cstdio>

namespace batchscope::desktop {
namespace {

class CloseNotice : public QLabel {
  Q_DECLARE_TR_FUNCTIONS(CloseNotice)
 public:
  explicit CloseNotice(const QString& text)
      : QLabel(text, nullptr, Qt::Tool | Qt::FramelessWindowHint | Qt::WindowStaysOnTopHint) {
    setAttribute(Qt::WA_DeleteOnClose);
    // A tool window does not count for quitting by default; this one is to be read first.
    setAttribute(Qt::WA_QuitOnClose);
    setAttribute(Qt::WA_ShowWithoutActivating);
    setObjectName(QStringLiteral("closeNotice"));
    QTimer::singleShot(4000, this, &QWidget::close);
  }

 protected:
  void mousePressEvent(QMouseEvent*) override { close(); }
};

}  // namespace

void showCloseNotice(const QWidget& window, const std::vector<storage::Run>& runs) {
  QStringList training, ids;
  for (const storage::Run& run : runs)
    if (is_active(run.state) && run.state != storage::RunState::paused)
      training << QString::fromStdString(run.name), ids << QString::fromStdString(run.id);
  if (training.isEmpty()) return;
  const QString text =
      training.size() == 1
          ? CloseNotice::tr(
                "%1 keeps training. Open BatchScope again to watch, or stop it with: batchscope stop %2")
                .arg(training.first(), ids.first())
          : CloseNotice::tr(
                "%1 keep training. Open BatchScope again to watch, or stop %2 with: batchscope stop %3")
                .arg(training.join(QStringLiteral(", ")), training.first(), ids.first());
  std::fprintf(stderr, "%s\n", qPrintable(text));
  auto* notice = new CloseNotice(text);
  notice->adjustSize();
  notice->move(window.geometry().center() - notice->rect().center());
  notice->show();
}

}  // namespace batchscope::desktop
