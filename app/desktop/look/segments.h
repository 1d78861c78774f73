// SPDX-License-Identifier: GPL-3.0-or-later
//
// Buttons side by side of which one is down: a choice between few things.
#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace batchscope::desktop {

class Segments : public QWidget {
  Q_OBJECT
 public:
  Segments(const QStringList& texts, QWidget* parent = nullptr);

  int chosen() const;
  void choose(int segment);  // says nothing; -1: none of them
  QWidget* at(int segment) const;

 Q_SIGNALS:
  void chosenByHand(int segment);

 private:
  QButtonGroup* buttons_;
};

}  // namespace batchscope::desktop
