// SPDX-License-Identifier: GPL-3.0-or-later
//
// The series of one run as the charts need them: per generation a bounded track of every wanted series, read
// once and then followed by cursor, so that a live chart reads only what is new. Where a zoom asks for more
// than a track holds, the store's own summaries answer. Some series are derived: the step itself ("step"),
// and those of derived_series.h.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "batchscope/common/run_series.h"
#include "batchscope/common/step_map.h"
#include "batchscope/storage/catalogue.h"
#include "series/noise_windows.h"
#include "series/track.h"
#include "series/x_axis.h"

namespace batchscope::desktop {

using common::GenerationSpan;
using common::StepRef;

class SeriesModel : public common::RunSeries {
 public:
  explicit SeriesModel(std::filesystem::path samples);

  // Sets the series to follow; those that an x axis counts always are.
  void want(const std::set<std::string>& series);

  // Reads what is new, given the run's generations; returns whether anything was. Throws Error as the store
  // does, but a file that does not exist yet only means that there is nothing new.
  bool refresh(const std::vector<storage::Generation>& generations);

  // Returns the names of the series that the run has recorded so far, wanted or not.
  const std::vector<std::string>& recorded() const { return recorded_; }

  const std::vector<GenerationSpan>& generations() const override { return spans_; }
  common::StepMap count(const std::string& series, int generation) const override;
  std::vector<Bucket> buckets(const std::string& series, int generation, std::int64_t from, std::int64_t to,
                              int columns) override;
  const Track* track(const std::string& series, int generation) const;

  // Valid until the next refresh.
  common::StepMap map(XAxis axis, int generation) const;
  // The range from the first to the newest sample, from zero where that is near; low > high where there is
  // none. For a logarithmic axis from the first place above zero.
  struct Extent {
    double low = 0, high = -1;
    bool empty() const { return !(high >= low); }
    bool operator==(const Extent&) const = default;
  };
  Extent extent(XAxis axis, bool isLog = false) const;
  // The kept step nearest to x.
  std::optional<StepRef> nearest(XAxis axis, double x) const;
  std::optional<double> position(XAxis axis, const StepRef& at) const;

  // Buckets over the steps [from, to], fine enough for so many pixel columns. Valid until the next refresh or
  // 64 views later.
  std::span<const Bucket> view(const std::string& series, int generation, std::int64_t from, std::int64_t to,
                               int columns);
  // Windows of so many steps (noise_windows.h). Valid until the next call.
  std::span<const NoiseWindow> noise(const NoiseStretch& stretch, std::int64_t length);
  // The value at the step, or the newest before it in the same generation.
  std::optional<double> value(const std::string& series, const StepRef& at);
  // The same, or where that generation has none yet, from those before it: the newest kept value.
  std::optional<double> newest(const std::string& series, const StepRef& at);

 private:
  struct View {
    std::string series;
    int generation;
    std::int64_t from, to;
    int columns;
    auto operator<=>(const View&) const = default;
  };

  common::StepMap counted(const std::string& series, int generation, double origin) const;
  bool open();
  void openTrack(const std::string& series, const storage::Generation& generation, Track& track);
  bool follow(const storage::Generation& generation);
  void updateSpans(const std::vector<storage::Generation>& generations);
  std::vector<Bucket> derive(const std::string& series, int generation, std::int64_t from, std::int64_t to,
                             int columns);
  std::optional<double> sampleIn(const std::string& series, int generation, const Bucket& bucket,
                                 std::int64_t step);

  // The samples of a bucket whose values were asked for last.
  struct Detail {
    int generation = -1;
    std::int64_t first = 0, last = -1;
    std::vector<storage::Sample> samples;
  };

  std::filesystem::path file_;
  std::unique_ptr<storage::SampleReader> reader_;
  std::set<std::string> wanted_;
  std::vector<std::string> recorded_;
  std::map<int, std::map<std::string, Track>> tracks_;
  std::vector<GenerationSpan> spans_;
  double origin_ = 0;                    // of wall time
  std::map<int, double> activeOrigins_;  // by generation: the time at which active time would be zero
  bool fresh_ = false;                   // something is wanted that was never read
  int closed_ = -1;                      // generations up to this one are over and read
  std::map<View, std::vector<Bucket>> views_;
  std::map<std::string, Detail> details_;  // by series
  NoiseWindows noise_;
};

}  // namespace batchscope::desktop
