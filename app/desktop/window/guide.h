// SPDX-License-Identifier: GPL-3.0-or-later
//
// PORTING.md, how a program becomes elastic, as a page to read beside one's editor; it is built in.
#pragma once

#include <QDialog>

namespace batchscope::desktop {

class Guide : public QDialog {
  Q_OBJECT
 public:
  explicit Guide(QWidget* parent = nullptr);
};

}  // namespace batchscope::desktop
