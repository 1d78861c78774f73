// SPDX-License-Identifier: GPL-3.0-or-later
//
// The series of the runs that are compared, beside those of the open one. They are read one run at a time
// between other events, so that many runs do not hold the window up, and those of active runs are followed.
#pragma once

#include <QObject>
#include <QTimer>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "scene/scene_builder.h"
#include "series/series_model.h"

namespace batchscope::desktop {

class CatalogueWatcher;
class Comparison;
class RunSession;
class ViewState;

class ComparedSeries : public QObject {
  Q_OBJECT
 public:
  struct Entry {
    std::string id;
    QString name;
    std::string group;
    int colour = 0;
    SeriesModel* model = nullptr;  // null while the open run has none
    bool isOpen = false;
  };

  ComparedSeries(Comparison* comparison, RunSession* session, CatalogueWatcher* watcher, ViewState* view,
                 QObject* parent = nullptr);
  ~ComparedSeries() override;

  // Sets the series that the charts show of every run.
  void want(const std::set<std::string>& series);
  // The open run first; empty where nothing is compared. The models are valid until changed().
  const std::vector<Entry>& runs() const { return runs_; }
  // The same for charts.
  std::vector<SceneRun> sceneRuns() const;

 Q_SIGNALS:
  void changed();         // other runs, colours, names
  void samplesChanged();  // more samples of the same runs
  void failed(const QString& message);

 private:
  void update();
  void readNext();

  Comparison* comparison_;
  RunSession* session_;
  CatalogueWatcher* watcher_;
  ViewState* view_;
  std::set<std::string> wanted_;
  std::map<std::string, std::unique_ptr<SeriesModel>> models_;
  std::vector<Entry> runs_;
  std::vector<std::string> unread_;  // newly chosen, or active
  std::set<std::string> followed_;   // active when they were looked at last
  QTimer readTimer_, followTimer_;
};

}  // namespace batchscope::desktop
