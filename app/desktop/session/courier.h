// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sends requests to a run that trains on another machine, as the command line does: by the command
// `batchscope` in a process of its own, since ssh and Slurm take seconds to answer.
#pragma once

#include <QObject>
#include <QStringList>

#include "batchscope/protocol/control.h"

namespace batchscope::desktop {

class Courier : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  // Gives requests under way a moment to arrive.
  ~Courier() override;

  void send(const std::string& run, const protocol::Request& request);
  // A command about the run, such as "hold".
  void send(const std::string& run, const QString& command);

 Q_SIGNALS:
  void answered(const QString& text);
  void refused(const QString& why);

 private:
  void start(const QStringList& words);  // of the command line
};

}  // namespace batchscope::desktop
