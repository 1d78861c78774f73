// SPDX-License-Identifier: GPL-3.0-or-later
//
// The run that the window shows: its records in the catalogue, its series, and while it is active the
// connection to its supervisor. Commands go to the supervisor alone; the store is only read.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batchscope/protocol/control.h"
#include "batchscope/run/measured_rate.h"
#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/origins.h"
#include "series/series_model.h"

namespace batchscope::run {
class ControlClient;
}

namespace batchscope::desktop {

class CatalogueWatcher;
class Courier;

class RunSession : public QObject {
  Q_OBJECT
 public:
  explicit RunSession(CatalogueWatcher* watcher, QObject* parent = nullptr);
  ~RunSession() override;

  // Shows another run; an empty id shows none.
  void open(const std::string& id);

  bool isOpen() const { return run_.has_value(); }
  const storage::Run& run() const { return *run_; }
  const protocol::RunStatus& status() const { return status_; }
  // Returns the status as it was so many seconds after the first replicas were launched, as far as samples
  // tell.
  protocol::RunStatus statusAt(double seconds) const;
  bool isConnected() const;
  // Returns where the run trains, as far as that is known; none: on this machine.
  const std::optional<storage::Origin>& elsewhere() const { return elsewhere_; }
  // "last heard 02:41" where its state is older than a minute; else empty.
  QString silence() const;
  // Returns whether the run is followed, and its job waits for nodes.
  bool waitsForNodes() const;
  const std::vector<storage::Generation>& generations() const { return generations_; }
  const std::optional<protocol::Model>& model() const { return model_; }
  // Returns the measured rate of the newest steps, read twice a second; empty before the first.
  const std::optional<run::MeasuredRate>& measured();
  // The newest restart that is over; null before the first.
  const storage::Generation* lastRestart() const;
  SeriesModel* series() { return series_.get(); }
  // Reads at once what is new, which otherwise happens ten times a second, and tells it. Blocks on the disk.
  void readSamples();
  storage::Catalogue& catalogue();
  // Returns records of the open run, as Catalogue has them; empty where they cannot be read, which the
  // watcher tells.
  std::vector<storage::Event> events(std::int64_t after);
  std::vector<storage::Checkpoint> checkpoints();
  std::map<std::string, std::string> hyperparameters();
  double started() const;  // seconds since 1970

  // Sends to the supervisor, or to the machine where the run trains; a refusal comes back as commandFailed.
  void send(protocol::Request::Command command, std::optional<int> replicas = {});
  void send(const protocol::Request& request);
  // Hands a command such as "stop" to a run that trains elsewhere, which need not be the open one.
  void handOn(const std::string& id, const QString& command);

 Q_SIGNALS:
  void opened();          // another run, or none
  void statusChanged();   // the supervisor said something, or the catalogue did
  void detailsChanged();  // generations, model, events, checkpoints may be new
  void samplesChanged();  // the series model has more, or is another run's, which may have none
  void commandFailed(const QString& message);
  void said(const QString& message);  // what is under way, or was done, where nothing else shows it

 private:
  void reload();
  void readHistory();
  bool refreshSeries();
  void connectSupervisor();
  void statusFromCatalogue();
  void readOrigin();

  CatalogueWatcher* watcher_;
  std::optional<storage::Run> run_;
  std::vector<storage::Generation> generations_;
  std::optional<protocol::Model> model_;
  protocol::RunStatus status_;
  std::unique_ptr<SeriesModel> series_;
  std::optional<run::MeasuredRate> measured_;
  QElapsedTimer measuredAt_;
  std::unique_ptr<run::ControlClient> client_;
  std::optional<storage::Origin> elsewhere_;
  Courier* courier_;
  QTimer samplesTimer_;
};

}  // namespace batchscope::desktop
