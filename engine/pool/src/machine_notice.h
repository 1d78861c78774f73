// SPDX-License-Identifier: Apache-2.0
//
// Whether the machine is about to be taken away, as rented ones are with a notice of a minute or two. Asked
// every five seconds, as AdaptDL's launcher on Ray asks Amazon's metadata service: a URL that answers 200 is
// a notice, and so is a command that succeeds.
#pragma once

#include <QNetworkAccessManager>
#include <QProcess>
#include <QTimer>
#include <functional>
#include <string>

namespace batchscope::pool {

class MachineNotice {
 public:
  MachineNotice();

  // Once for each setting: what was said, in a line.
  std::function<void(const std::string& notice)> on_notice;

  // A command for the shell or an http URL; empty: nobody is asked.
  void watch(const std::string& source);

 private:
  void ask();
  void tell(const QString& answer);

  std::string source_;
  QTimer timer_;
  QProcess process_;
  QNetworkAccessManager network_;
};

}  // namespace batchscope::pool
