// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/guide.h"

#include <QFile>
#include <QTextBrowser>

#include "look/box.h"
#include "look/fit.h"

namespace batchscope::desktop {

Guide::Guide(QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Make a program elastic"));
  auto* text = new QTextBrowser(this);
  text->setAccessibleName(windowTitle());
  text->setOpenLinks(false);  // they lead to files of the source
  QFile file(QStringLiteral(":/PORTING.md"));
  if (file.open(QIODevice::ReadOnly)) text->setMarkdown(QString::fromUtf8(file.readAll()));
  text->setFrameShape(QFrame::NoFrame);
  text->document()->setDocumentMargin(20);
  vbox(this, {}, 0, {text});
  fit(this, {760, 700});
}

}  // namespace batchscope::desktop
