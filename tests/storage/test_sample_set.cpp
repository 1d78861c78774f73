// SPDX-License-Identifier: Apache-2.0
//
// The samples that a statement of SQL sees: where a step is, what is read for it, and what is kept of that.
#include "table/sample_set.h"

#include <algorithm>
#include <limits>

#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

class TestSampleSet : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { folder_ = {}; }

  // Sixteen chunks are read at once, and no more than are wanted.
  void pagesAreReadAhead() {
    const SampleFiles files = recorded({{"a", 40 * kChunkWidth + 10}});
    for (const auto& [end, read] : {std::pair<std::int64_t, int>{kEnd, 16},
                                    {16 * kChunkWidth, 16},
                                    {2 * kChunkWidth + 1, 3},
                                    {2 * kChunkWidth, 2},
                                    {1, 1}}) {
      SampleSet set(files);
      set.tracks();
      QCOMPARE(chunks_for(set, 0, end), read);
      for (int chunk = 0; chunk < read; ++chunk) QCOMPARE(chunks_for(set, chunk * kChunkWidth, end), 0);
      QCOMPARE(chunks_for(set, read * kChunkWidth, 1), 1);
    }
    SampleSet set(files);
    const SampleSet::Page page = set.page(0, 3 * kChunkWidth + 7, 1);
    QCOMPARE(page.first, 3 * kChunkWidth);
    QCOMPARE(page.samples->size(), static_cast<std::size_t>(kChunkWidth));
    QCOMPARE(page.samples->front().step, 3 * kChunkWidth);
    QCOMPARE(chunks_for(set, 39 * kChunkWidth, kEnd), 1);  // the last full one
    const SampleSet::Page rest = set.page(0, 40 * kChunkWidth + 3, kEnd);
    QCOMPARE(rest.first, 40 * kChunkWidth);
    QCOMPARE(rest.samples->size(), 10u);
    QCOMPARE(rest.samples->back().step, 40 * kChunkWidth + 9);
    QCOMPARE(chunks_for(set, 40 * kChunkWidth, kEnd), 0);
    QCOMPARE(set.end_of(0), 40 * kChunkWidth + 10);
  }

  // The chunk whose last use is the longest ago gives way to a new one; the newest is always kept.
  void theOldestGivesWay() {
    const SampleFiles files = recorded({{"a", 4 * kChunkWidth}});
    const auto read = [](SampleSet& set, std::int64_t chunk) {
      return chunks_for(set, chunk * kChunkWidth, chunk * kChunkWidth + 1);
    };
    SampleSet two(files, 2 * kChunkWidth);
    two.tracks();
    for (const auto& [chunk, rows] :
         {std::pair{0, 1}, {1, 1}, {0, 0}, {2, 1}, {0, 0}, {2, 0}, {1, 1}, {2, 0}, {0, 1}, {1, 1}})
      QCOMPARE(read(two, chunk), rows);
    SampleSet none(files, 1);
    none.tracks();
    for (const auto& [chunk, rows] : {std::pair{0, 1}, {0, 0}, {1, 1}, {1, 0}, {0, 1}})
      QCOMPARE(read(none, chunk), rows);
    SampleSet all(files);
    all.tracks();
    for (const int rows : {1, 0})
      for (int chunk = 0; chunk < 4; ++chunk) QCOMPARE(read(all, chunk), rows);
    all.forget();
    all.tracks();
    QCOMPARE(read(all, 3), 1);
  }

  // Steps come twice and are left out, also where a chunk ends.
  void aStepIsFoundWhereverItIs() {
    std::vector<std::int64_t> steps;
    for (std::int64_t i = 0; i < 3 * kChunkWidth + 5; ++i) steps.push_back(i / 3 * 4);
    {
      SampleWriter writer(file("a"));
      for (const std::int64_t step : steps) writer.append(0, "loss", step, 1.0);
      writer.commit();
    }
    SampleSet set({{"a", file("a")}});
    std::vector<std::int64_t> asked{std::numeric_limits<std::int64_t>::min(), -1, 0, 1, kEnd};
    for (std::int64_t chunk = 1; chunk <= 3; ++chunk)
      for (std::int64_t step = steps[static_cast<std::size_t>(chunk * kChunkWidth)] - 9, i = 0; i < 18; ++i)
        asked.push_back(step + i);
    for (int turn = 0; turn < 2; ++turn)
      for (const std::int64_t step : asked)
        QCOMPARE(set.position_of(0, step), std::ranges::lower_bound(steps, step) - steps.begin());
  }

  // A chunk at most is decoded for a step, and none where it is known.
  void littleIsReadForAStep() {
    SampleSet set(recorded({{"a", 20 * kChunkWidth}}));
    set.position_of(0, 0);
    for (const auto& [step, rows] : {std::pair<std::int64_t, int>{5 * kChunkWidth + 9, 1},
                                     {5 * kChunkWidth + 900, 0},
                                     {9 * kChunkWidth, 1},  // whether the chunk before has it, too
                                     {9 * kChunkWidth, 0}}) {
      const std::int64_t before = set.rows_read();
      QCOMPARE(set.position_of(0, step), step);
      QCOMPARE(set.rows_read() - before, rows == 0 ? 0 : rows + 1);  // one for the track's place
    }
  }

  void tracksAreFoundByTheirNames() {
    const SampleFiles files = recorded({{"b", 3}, {"d", 4}});
    {
      SampleWriter writer(file("b"));
      for (const auto& [generation, series] : {std::pair{1, "loss"}, {0, "gain"}, {0, "z"}})
        writer.append(generation, series, 0, 1.0);
      writer.commit();
    }
    SampleSet set(files);
    using Range = SampleSet::Range;
    QCOMPARE(set.run_count(), 2u);
    for (const auto& [id, run] : {std::pair{"a", -1}, {"b", 0}, {"c", -1}, {"d", 1}, {"e", -1}})
      QCOMPARE(set.find_run(id) ? static_cast<int>(*set.find_run(id)) : -1, run);
    QCOMPARE(set.tracks_of(0), (Range{0, 4}));
    QCOMPARE(set.tracks_of(1), (Range{4, 5}));
    QCOMPARE(set.tracks_of(0, "gain"), (Range{0, 1}));
    QCOMPARE(set.tracks_of(0, "loss"), (Range{1, 3}));
    QCOMPARE(set.tracks_of(0, "m"), (Range{3, 3}));
    QCOMPARE(set.tracks_of(0, "z"), (Range{3, 4}));
    QCOMPARE(set.tracks_of(1, "z"), (Range{5, 5}));
    QCOMPARE(*set.tracks()[4].run, "d");
    QCOMPARE(set.end_of(4), 4);
  }

  // A statement sees what there was when it began.
  void whatComesLaterIsSeenByTheNextStatement() {
    SampleSet set(recorded({{"a", kChunkWidth + 1}}));
    set.tracks();
    {
      SampleWriter writer(file("a"));
      for (std::int64_t step = 0; step < 5; ++step) writer.append(0, "loss", kChunkWidth + 1 + step, 1.0);
      writer.commit();
    }
    QCOMPARE(set.end_of(0), kChunkWidth + 1);
    QCOMPARE(set.position_of(0, kEnd), kChunkWidth + 1);
    set.forget();
    QCOMPARE(set.end_of(0), kChunkWidth + 6);
  }

  // Steps behind the last full chunk may have been in it, too.
  void aChunkThatIsLostIsTold() {
    for (const std::int64_t lost : {1, 3}) {
      folder_ = {};
      const SampleFiles files = recorded({{"a", 4 * kChunkWidth + 2}});
      QVERIFY(meddle(file("a"), "DELETE FROM chunk WHERE number = " + std::to_string(lost)));
      SampleSet set(files);
      for (const std::int64_t chunk : {0, 1, 2, 3, 4}) {
        const std::int64_t step = chunk * kChunkWidth + 1;
        if (chunk != lost && (chunk != 4 || lost != 3))
          QCOMPARE(set.position_of(0, step), step);
        else
          VERIFY_THROWS("corrupt", "samples around step " + std::to_string(step), set.position_of(0, step));
      }
      VERIFY_THROWS("corrupt", "samples from the " + std::to_string(lost * kChunkWidth + 1) + "th on",
                    set.page(0, lost * kChunkWidth, 1));
    }
  }

 private:
  static constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

  std::filesystem::path file(const std::string& run) const { return folder_ / run / "samples.db"; }

  // Each run has so many steps of loss, from 0 on.
  SampleFiles recorded(const std::map<std::string, std::int64_t>& counts) {
    SampleFiles files;
    for (const auto& [run, count] : counts) {
      files[run] = file(run);
      SampleWriter writer(file(run));
      for (std::int64_t step = 0; step < count; ++step) writer.append(0, "loss", step, 0.5);
      writer.commit();
    }
    return files;
  }

  // Returns how many chunks are read for a page, with one row for the track's place where any are.
  static std::int64_t chunks_for(SampleSet& set, std::int64_t position, std::int64_t end) {
    const std::int64_t before = set.rows_read();
    set.page(0, position, end);
    return std::max<std::int64_t>(set.rows_read() - before - 1, 0);
  }

  Folder folder_;
};

BATCHSCOPE_TEST(TestSampleSet)
#include "test_sample_set.moc"
