// SPDX-License-Identifier: Apache-2.0
//
// The figures of "Why it scaled" as the server tells them.
#include <map>

#include "batchscope/protocol/series.h"
#include "batchscope/storage/samples.h"
#include "web_fixture.h"

namespace batchscope::web {

class TestScaling : public WebTest {
  Q_OBJECT

  // The figures by their cards' names.
  std::map<std::string, Json> figures(const std::string& run) const {
    std::map<std::string, Json> figures;
    const Answer answer = get("/api/runs/" + run + "/scaling");
    if (answer.status != 200) return figures;
    for (const Json& card : answer.json.at("figures")) figures[card.at("name")] = card.at("figure");
    return figures;
  }

 private Q_SLOTS:
  void init() {
    newStore();
    serve();
  }

  void aRunWithoutAModelHasTheFiguresThatNeedNone() {
    const std::string run = make_run("scaled", 100);
    {
      namespace series = protocol::series;
      storage::SampleWriter writer(protocol::run_paths(run).samples);
      for (int step = 1; step <= 100; ++step) {
        const int generation = step <= 50 ? 0 : 1;
        writer.append(generation, series::kBatchSize, step, generation == 0 ? 32 : 64);
        writer.append(generation, series::kLearningRate, step, generation == 0 ? 0.1 : 0.2);
        writer.append(generation, series::kStepTime, step, 0.5);
        writer.append(generation, series::kSyncTime, step, 0.1);
        if (step % 50 == 0) writer.append(generation, series::kAccuracy, step, 0.5 + 0.004 * step);
      }
    }
    const auto told = figures(run);
    QCOMPARE(told.size(), std::size_t(11));
    const Json& map = told.at("map");
    QVERIFY(map.at("isEmpty") == true && map.at("missing").get<std::string>().starts_with("No model yet"));
    const Json& choice = told.at("batch-choice");
    QVERIFY(choice.at("isEmpty") == false && choice.at("isCurve") == true);
    QCOMPARE(choice.at("description").get<std::string>(), std::string("The batch size went from 32 to 64"));
    const Json& rate = told.at("rate-over-batch");
    QVERIFY(rate.at("bottom").at("kind") == "logarithmic" && rate.at("left").at("kind") == "decades");
    const Json& restarts = told.at("restarts");
    QCOMPARE(restarts.at("barTexts").size(), std::size_t(1));
    QVERIFY(restarts.at("left").at("ticks")[0].at("label") == "1: ×1 to ×2");
    // Half a second of each of the steps that follow one another within a second.
    const Json& lanes = told.at("lanes");
    QVERIFY(lanes.at("description").get<std::string>().find("40 % went into computing and 10 %") !=
            std::string::npos);
    const Json& accuracy = told.at("accuracy-over-time");
    QCOMPARE(accuracy.at("series")[0].at("points").size(), std::size_t(2));
    QVERIFY(accuracy.at("series")[0].at("ink")[0] == "series");
  }

  void aRunThatHasNotBegunSaysWhatIsMissing() {
    for (const auto& [name, figure] : figures(make_run("idle")))
      QVERIFY2(figure.at("isEmpty") == true && !figure.at("missing").get<std::string>().empty(),
               name.c_str());
  }

  void comparedRunsHaveALineEach() {
    const std::string first = make_run("one", 4), second = make_run("two", 4);
    for (const std::string& run : {first, second}) {
      storage::SampleWriter writer(protocol::run_paths(run).samples);
      for (int step = 1; step <= 4; ++step) {
        writer.append(step <= 2 ? 0 : 1, protocol::series::kSamples, step, 32 * step);
        writer.append(step <= 2 ? 0 : 1, protocol::series::kAccuracy, step, 0.2 * step);
      }
    }
    const Answer answer = get("/api/scaling?runs=" + second + "," + first);
    QCOMPARE(answer.status, 200);
    const Json& cards = answer.json.at("figures");
    QCOMPARE(cards.size(), std::size_t(4));
    QVERIFY(cards[0].at("name") == "accuracy-over-samples" && cards[3].at("name") == "time-to-accuracy");
    const Json& lines = cards[2].at("figure").at("series");
    QVERIFY(lines[0].at("name") == "two" && text(lines[0].at("ink")) == R"(["run",0,1.0])");
    QVERIFY(lines[1].at("name") == "one" && text(lines[1].at("ink")) == R"(["run",1,1.0])");
  }

  void whatCannotBeComparedIsRefused() {
    QCOMPARE(get("/api/scaling").status, 400);
    QCOMPARE(get("/api/scaling?runs=nosuch00").status, 404);
    std::string many = make_run("one");
    for (int i = 0; i < 16; ++i) many += ",nosuch00";
    QCOMPARE(get("/api/scaling?runs=" + many).status, 400);
  }

  void aRunThatIsNotThereHasNone() {
    QCOMPARE(get("/api/runs/nosuch00/scaling").status, 404);
    QCOMPARE(post("/api/runs/nosuch00/scaling", "{}").status, 405);
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestScaling)
#include "test_scaling.moc"
