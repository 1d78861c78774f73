// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window's one connection to the catalogue, and the poll that notices what other processes wrote to it:
// four times a second for commits, every two seconds for what no commit shows, such as a supervisor that
// died.
#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "batchscope/protocol/error.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/origins.h"

namespace batchscope::desktop {

class CatalogueWatcher : public QObject {
  Q_OBJECT
 public:
  // Throws Error as Catalogue does.
  explicit CatalogueWatcher(const std::filesystem::path& file, QObject* parent = nullptr);

  storage::Catalogue& catalogue() { return catalogue_; }
  // Returns the result of `read`. A read that fails concerns one run: it returns a default value, and
  // failed() says why.
  template <class Read>
  auto look(Read&& read) -> decltype(read(std::declval<storage::Catalogue&>())) {
    try {
      return read(catalogue_);
    } catch (const Error& error) {
      Q_EMIT failed(QString::fromUtf8(error.what()));
      return {};
    }
  }
  // Newest first, as of the last change; without those that were recorded for lessons.
  const std::vector<storage::Run>& runs() const { return runs_; }
  const std::vector<storage::Run>& recorded() const { return recorded_; }  // these
  // Returns the run among either list; null: there is none; valid until the next change.
  const storage::Run* find(const std::string& id) const;
  bool hasActiveRuns() const;
  // Where those train that are only followed here, by their ids.
  const std::map<std::string, storage::Origin>& followed() const { return followed_; }
  // "last heard 02:41" of those of them that have not ended and that nobody has heard of for a minute.
  const std::map<std::string, std::string>& silences() const { return silences_; }
  const std::filesystem::path& file() const { return file_; }

 public Q_SLOTS:
  // Called by the event loop, which lets no exception pass: failed() reports what goes wrong.
  void poll();
  void reload();

 Q_SIGNALS:
  void changed();
  void failed(const QString& message);

 private:
  void read();

  std::filesystem::path file_;
  storage::Catalogue catalogue_;
  storage::Origins origins_;
  std::vector<storage::Run> runs_, recorded_;
  std::map<std::string, storage::Origin> followed_;
  std::map<std::string, std::string> silences_;
  QTimer timer_;
  int quietPolls_ = 0;
};

}  // namespace batchscope::desktop
