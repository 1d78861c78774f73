// SPDX-License-Identifier: GPL-3.0-or-later
//
// The view that all charts share: the x axis, the zoomed range with its undo, following, smoothing,
// logarithmic axes, and the step under the cross-hair. Zooms and pans by hand can be undone; the turns of a
// wheel and the keys that follow one another closely count as one.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <optional>
#include <vector>

#include "series/series_model.h"

class QSettings;

namespace batchscope::desktop {

class ViewState : public QObject {
  Q_OBJECT
 public:
  using Extent = SeriesModel::Extent;

  explicit ViewState(QObject* parent = nullptr) : QObject(parent) {}

  XAxis axis() const { return axis_; }
  bool follows() const { return follow_; }
  double smoothing() const { return smoothing_; }
  bool logX() const { return logX_; }
  // None: each chart is as it is by default.
  std::optional<bool> logY() const { return logY_; }
  bool showsPeaks() const { return peaks_; }
  bool isZoomed() const { return zoom_.has_value(); }
  bool canUndo() const { return !undo_.empty(); }
  bool canRedo() const { return !redo_.empty(); }
  const std::optional<StepRef>& cursor() const { return cursor_; }
  // Where the cross-hair stands on an axis.
  std::optional<double> cursorX(const SeriesModel& model, XAxis axis) const;

  // While a run is replayed, nothing after this moment is shown: seconds on its wall-time axis.
  const std::optional<double>& playHead() const { return head_; }
  const std::optional<StepRef>& headStep() const { return headStep_; }  // of then
  void setPlayHead(const SeriesModel& model, double seconds);
  void endReplay();

  // The step that is pointed at: under the cross-hair, else under the play head.
  std::optional<StepRef> pointedAt() const { return cursor_ ? cursor_ : headStep_; }
  // Returns the same, else the newest step.
  std::optional<StepRef> present(const SeriesModel& model) const;

  // Sets the runs beside the open one; all of them are kept in view. Borrowed.
  void setCompanions(std::vector<const SeriesModel*> companions);

  // Returns the part of `axis` in view: the zoom, translated where it was made on another axis, else
  // everything. `isLog`: also where the shared x axis is not logarithmic.
  Extent range(const SeriesModel& model, XAxis axis, bool isLog = false) const;
  // x moved by a share of the range, as the axis counts.
  double shifted(const Extent& range, double x, double share) const;

  // Changing the axis keeps the steps in view.
  void setAxis(XAxis axis, const SeriesModel* model);
  void setFollow(bool follow) { set(follow_, follow); }
  void setSmoothing(double smoothing) { set(smoothing_, smoothing); }
  void setLogX(bool log) { set(logX_, log); }
  void setLogY(std::optional<bool> log) { set(logY_, log); }
  // Whether single peaks stretch the y axes of noisy charts.
  void setShowsPeaks(bool peaks) { set(peaks_, peaks); }

  // Zooms to a range of an axis; ranges too small to show anything are ignored. A zoom away from the newest
  // sample stops following.
  void zoomTo(const SeriesModel& model, XAxis axis, Extent range);
  void zoomBy(const SeriesModel& model, XAxis axis, double centre, double factor);
  void panBy(const SeriesModel& model, XAxis axis, double fraction);
  void undoZoom() { goBack(undo_, redo_); }
  void redoZoom() { goBack(redo_, undo_); }
  void resetZoom();
  // New samples have come: a followed zoom moves along.
  void advance(const SeriesModel& model);

  // `beyond`: a place on the shared axis behind the last step, which other runs have reached.
  void setCursor(std::optional<StepRef> cursor, std::optional<double> beyond = {});
  // Whether the pointer is over a chart, which then shows the values at the cross-hair; else all of them do.
  void setPointed(bool isPointed) { isPointed_ = isPointed; }
  bool isPointed() const { return isPointed_; }
  // Checkpoints, which charts mark and a person may press.
  void setMarks(const std::vector<StepRef>& marks) { set(marks_, marks); }
  const std::vector<StepRef>& marks() const { return marks_; }
  void pressMark(const StepRef& mark);
  // The run is over: a series that it has not recorded will never come.
  void setOver(bool isOver) { set(over_, isOver); }
  bool isOver() const { return over_; }
  void clear();  // another run is shown

  // The settings of the charts and the range in view, to come back to.
  struct Look {
    XAxis axis = XAxis::WallTime;
    bool follow = true, logX = false;
    std::optional<bool> logY = {};
    bool peaks = false;
    double smoothing = 0;
    std::optional<Extent> zoom = {};  // on that axis
    std::vector<std::optional<Extent>> undo = {}, redo = {};
  };
  Look look() const { return {axis_, follow_, logX_, logY_, peaks_, smoothing_, zoom_, undo_, redo_}; }
  void setLook(const Look& look);

  // The settings of the charts, without the range in view: for the next time.
  void save(QSettings& settings) const;
  void restore(const QSettings& settings);

 Q_SIGNALS:
  void changed();
  void cursorMoved();
  void markPressed(const StepRef& mark);
  void zoomedByHand();  // what undoZoom() takes back

 private:
  enum class Gesture { None, Drag, Wheel, Pan };
  using Zooms = std::vector<std::optional<Extent>>;

  template <class Value>
  void set(Value& member, const Value& value) {
    if (value == member) return;
    member = value;
    Q_EMIT changed();
  }
  Extent whole(const SeriesModel& model, XAxis axis, bool isLog) const;  // with the companions
  Extent whole(const SeriesModel& model, XAxis axis) const { return whole(model, axis, logX_); }
  void setZoom(const SeriesModel& model, Extent range, Gesture gesture);
  void remember(Gesture gesture);
  void goBack(Zooms& from, Zooms& to);
  double place(double x) const;    // on the axis: the logarithm where it is logarithmic
  double unplace(double p) const;  // back

  XAxis axis_ = XAxis::WallTime;
  bool follow_ = true;
  bool logX_ = false;
  std::optional<bool> logY_;
  bool peaks_ = false;
  bool over_ = false;
  double smoothing_ = 0.6;
  std::optional<Extent> zoom_;
  Zooms undo_, redo_;
  Gesture gesture_ = Gesture::None;
  QElapsedTimer sinceGesture_;
  std::optional<StepRef> cursor_;
  std::optional<double> beyond_;  // on axis_
  bool isPointed_ = false;
  std::optional<double> head_;        // of a replay, s
  std::optional<Extent> zoomBefore_;  // which a replay leaves as it was
  std::optional<StepRef> headStep_;
  std::vector<const SeriesModel*> companions_;
  std::vector<StepRef> marks_;
};

}  // namespace batchscope::desktop
