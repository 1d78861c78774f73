// SPDX-License-Identifier: Apache-2.0
#include "machine_notice.h"

#include <QNetworkReply>
#include <QNetworkRequest>
#include <QUrl>
#include <chrono>

namespace batchscope::pool {
namespace {

using namespace std::chrono_literals;

constexpr auto kNoticeInterval = 5s;
constexpr auto kNoticeTimeOut = 4s;  // with an answer
constexpr qsizetype kLongestNotice = 200;

}  // namespace

MachineNotice::MachineNotice() {
  QObject::connect(&timer_, &QTimer::timeout, &timer_, [this] { ask(); });
  QObject::connect(&process_, &QProcess::finished, &timer_, [this](int code, QProcess::ExitStatus status) {
    if (status == QProcess::NormalExit && code == 0)
      tell(QString::fromUtf8(process_.readAllStandardOutput().left(kLongestNotice)));
  });
}

void MachineNotice::watch(const std::string& source) {
  if (source == source_) return;
  source_ = source;
  timer_.stop();
  if (source.empty()) return;
  timer_.start(kNoticeInterval);
  ask();
}

void MachineNotice::ask() {
  const QString source = QString::fromStdString(source_);
  if (source.startsWith(QStringLiteral("http://")) || source.startsWith(QStringLiteral("https://"))) {
    QNetworkRequest request{QUrl(source)};
    request.setTransferTimeout(std::chrono::duration_cast<std::chrono::milliseconds>(kNoticeTimeOut).count());
    QNetworkReply* const reply = network_.get(request);
    QObject::connect(reply, &QNetworkReply::finished, &timer_, [this, reply] {
      reply->deleteLater();
      if (reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt() == 200)
        tell(QString::fromUtf8(reply->read(kLongestNotice)));
    });
  } else if (process_.state() == QProcess::NotRunning) {
    process_.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), source});
  }
}

void MachineNotice::tell(const QString& answer) {
  if (!timer_.isActive()) return;
  const QString reason = answer.simplified();
  on_notice("the machine will be taken away" + (reason.isEmpty() ? "" : " (" + reason.toStdString() + ")"));
  timer_.stop();  // what could not be carried out is told again
}

}  // namespace batchscope::pool
