// SPDX-License-Identifier: Apache-2.0
//
// The property that the store is for: after any sequence of openings, appends, commits, rewrites, kills and
// closings, of new generations and of steps that come again in an old one, reading returns exactly what was
// committed, bit for bit. Everything follows from a seed, except where a kill hits, which the writer's
// reports tell. BATCHSCOPE_PROPERTY_SECONDS says for how long new seeds are tried; without it, two are.
#include <chrono>
#include <thread>

#include "script.h"
#include "store_test.h"
#include "test_case.h"
#include "writer_process.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;

namespace {

using Clock = std::chrono::steady_clock;

// One series as a reader saw it while the writer wrote.
struct Glance {
  Contents::key_type key;
  std::vector<Sample> samples;
  bool explained = false;  // it was like this after some commit
};

// Looks at one series after another, as often as there is time for.
std::vector<Glance> glance(const std::filesystem::path& file, std::chrono::microseconds time,
                           std::mt19937_64& random) {
  std::vector<Glance> glances;
  const auto end = Clock::now() + time;
  SampleReader reader(file);
  while (Clock::now() < end && glances.size() < 20) {
    const auto series = reader.series();
    if (series.empty()) continue;
    const std::string& name = series[random() % series.size()].name;
    const int generation = reader.generations(name).back();
    glances.push_back({{name, generation}, reader.read(name, generation)});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return glances;
}

void explain(std::vector<Glance>& glances, const Contents& contents) {
  for (Glance& seen : glances) {
    if (seen.explained) continue;
    const auto found = contents.find(seen.key);
    seen.explained = found != contents.end() && same(seen.samples, found->second);
  }
}

Contents found_in(const std::filesystem::path& file) {
  Contents contents;
  const auto error = error_of([&] {
    SampleReader reader(file);
    contents = contents_of(reader);
  });
  if (error && error->kind() != ErrorKind::not_found) throw *error;  // killed before it had made anything
  return contents;
}

// Empty where every range and every zoom of a series shows what is in it.
std::string wrong_range(SampleReader& reader, const Contents::value_type& series, std::mt19937_64& random) {
  const auto& [key, samples] = series;
  const auto reach = static_cast<std::uint64_t>(samples.back().step) + 100;
  const auto from = static_cast<std::int64_t>(random() % reach);
  const auto to = from + static_cast<std::int64_t>(random() % 5000);
  std::vector<Sample> expected;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(expected),
               [&](const Sample& sample) { return sample.step >= from && sample.step <= to; });
  const std::string what = "'" + key.first + "' of generation " + std::to_string(key.second) + ", steps " +
                           std::to_string(from) + " to " + std::to_string(to);
  if (!same(reader.read(key.first, key.second, from, to), expected)) return what;
  std::int64_t count = 0;
  for (const Bucket& bucket : reader.summarize(key.first, key.second, from, to, 10)) count += bucket.count;
  return count == static_cast<std::int64_t>(expected.size()) ? "" : what + ", summarised";
}

// Returns what went wrong in the life of one file; empty: nothing.
std::string try_seed(std::uint64_t seed) {
  const Folder folder;
  const auto file = folder / "samples.db";
  std::mt19937_64 random(seed);
  Contents expected;
  int generation = 0;
  for (int life = 0; life < 8; ++life) {
    const std::string where = "seed " + std::to_string(seed) + ", life " + std::to_string(life) + ": ";
    if (random() % 2) ++generation;
    const unsigned commits = random() % 3 ? 0 : 1 + static_cast<unsigned>(random() % 150);
    WriterProcess writer(file, random(), generation, Steps::any, commits);
    std::vector<Glance> glances;
    const std::chrono::microseconds time(random() % 150'000);
    if (random() % 6 == 0) {
      std::this_thread::sleep_for(time / 10);  // maybe it has not even opened the file
    } else {
      writer.wait_for_first_commit();
      glances = glance(file, time, random);
    }
    commits&& random() % 2 ? writer.wait() : writer.kill();

    explain(glances, expected);
    const bool unsaid = writer.replay(expected, [&] { explain(glances, expected); });
    const Contents found = found_in(file);
    if (unsaid && !same(found, expected)) writer.add_unsaid(expected);
    if (!same(found, expected)) return where + "reading does not return what was committed";
    explain(glances, expected);
    for (const Glance& seen : glances)
      if (!seen.explained) return where + "'" + seen.key.first + "' was seen as it never was";
    if (expected.empty()) continue;
    SampleReader reader(file);
    for (const auto& series : expected)
      if (const std::string wrong = wrong_range(reader, series, random); !wrong.empty()) return where + wrong;
  }
  SampleWriter writer(file);  // looks for damage
  return writer.repairs().empty() ? "" : "seed " + std::to_string(seed) + ": " + writer.repairs().front();
}

}  // namespace

class TestProperty : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anySequenceReturnsWhatWasCommitted() {
    const auto end =
        Clock::now() + std::chrono::seconds(qEnvironmentVariableIntValue("BATCHSCOPE_PROPERTY_SECONDS"));
    for (std::uint64_t seed = 1; seed <= 2 || Clock::now() < end; ++seed) {
      const std::string wrong = try_seed(seed);
      QVERIFY2(wrong.empty(), wrong.c_str());
    }
  }
};

BATCHSCOPE_TEST(TestProperty)
#include "test_property.moc"
