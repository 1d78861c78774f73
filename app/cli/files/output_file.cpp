// SPDX-License-Identifier: Apache-2.0
#include "files/output_file.h"

#include <QFile>
#include <QSaveFile>
#include <cerrno>
#include <cstdio>

#include "batchscope/protocol/error.h"
#include "terminal/standard_output.h"
#include "text/say.h"

namespace batchscope::cli {

OutputFile::OutputFile(const OutputTarget& target) : target_(target) {
  if (target_.kind() == OutputTarget::Kind::standardOutput) return;
  target_.requireWritable();
  const QString path = QString::fromStdString(target_.path().string());
  if (target_.kind() == OutputTarget::Kind::file)
    device_ = std::make_unique<QSaveFile>(path);
  else
    device_ = std::make_unique<QFile>(path);
  if (!device_->open(QIODevice::WriteOnly)) refuse();
}

void OutputFile::write(std::string_view bytes) {
  if (!device_) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) refuseOutput(errno);
  } else if (const auto size = static_cast<qint64>(bytes.size());
             device_->write(bytes.data(), size) != size) {
    refuse();
  }
}

void OutputFile::finish() {
  if (!device_) return flushOutput();
  auto* saved = qobject_cast<QSaveFile*>(device_.get());
  if (!(saved ? saved->commit() : device_->flush())) refuse();
}

void OutputFile::refuse() const {
  throw Error(ErrorKind::io,
              say("cannot write {}: {}", target_.name(), device_->errorString().toStdString()));
}

}  // namespace batchscope::cli
