// SPDX-License-Identifier: Apache-2.0
//
// The port of an agent: it hands out sockets that speak TLS, or not, as the agent's welcome says. With TLS
// they are handed out before the two ends have agreed on it.
#pragma once

#include <QTcpServer>

#include "nodes/messages.h"

namespace batchscope::run {

class LineServer : public QTcpServer {
 public:
  // Throws Error(failure) where TLS is asked for and this machine has none.
  explicit LineServer(Welcome welcome);

 protected:
  void incomingConnection(qintptr descriptor) override;

 private:
  const Welcome welcome_;
};

}  // namespace batchscope::run
