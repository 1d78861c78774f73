// SPDX-License-Identifier: Apache-2.0
//
// The record of a run as JSON: it comes back as it went, and whatever else a file holds is refused by the
// name of its field.
#include "batchscope/storage/record_json.h"

#include <cmath>

#include "rows.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::storage;
using namespace batchscope::storage::test;
using protocol::Json;

namespace {

RunRecord whole_record() {
  RunRecord record;
  Run& run = record.run;
  run.id = "abcd1234";
  run.name = "digits";
  run.state = RunState::failed;
  run.message = "why";
  run.created = 1e9;
  run.ended = 1e9 + 5;
  run.step = 40;
  run.note = "note";
  run.spec = named("digits");
  run.tags = {"a", "b"};
  run.latest = {{"loss", NAN}, {"gain", INFINITY}, {"accuracy", 0.5}};
  run.hyperparameters = {{"lr", "0.1"}};
  record.generations = {{0, 2, "start", 1e9, 1e9 + 1, 1, 20, "", -1, {}, "checkpointed"},
                        {1, 3, "rescale", 1e9 + 2, 0, 21, 40, "checkpoint-000020", 0, {{"launch", 0.5}}, ""}};
  record.epochs = {{0, 0, 1e9, 0, 1, 0}};
  record.events = {{9, 1e9, 0, 1, "info", "text"}};
  record.ledger = {{1, {"train-0", 0, 0, 0, 10, 0, 10, 10}}};
  record.model.emplace().grad_sqr = 2;
  return record;
}

}  // namespace

class TestRecordJson : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRecordComesBackAsItWent() {
    const RunRecord went = whole_record(), came = record_from(record_json(went));
    QCOMPARE(came.run.id, went.run.id);
    QCOMPARE(came.run.name, went.run.name);
    QCOMPARE(came.run.state, RunState::failed);
    QCOMPARE(came.run.message, went.run.message);
    QCOMPARE(came.run.created, went.run.created);
    QCOMPARE(came.run.ended, went.run.ended);
    QCOMPARE(came.run.removed, 0.0);
    QCOMPARE(came.run.step, 40);
    QCOMPARE(came.run.tags, went.run.tags);
    QCOMPARE(came.run.hyperparameters, went.run.hyperparameters);
    QVERIFY(std::isnan(came.run.latest.at("loss")) && std::isinf(came.run.latest.at("gain")));
    QCOMPARE(came.generations.size(), 2u);
    QCOMPARE(came.generations[0].pause, -1.0);  // unknown
    QCOMPARE(came.generations[1].pause, 0.0);
    QCOMPARE(came.generations[1].ended, 0.0);
    QCOMPARE(came.generations[1].pause_parts, went.generations[1].pause_parts);
    QCOMPARE(came.epochs.at(0).last_step, 0);
    QCOMPARE(came.events.at(0).text, std::string("text"));
    QCOMPARE(came.events.at(0).id, 0);  // each catalogue has its own
    QVERIFY(came.ledger == went.ledger);
    QCOMPARE(came.model->grad_sqr, 2.0);
  }

  // A field of the record, in its place another value, and the reason of the refusal; none: it is taken.
  void eachFieldIsChecked_data() {
    const auto row = [add = testing::columns<QString, QString, QString>({"field", "value", "reason"})](
                         const char* field, const QString& value, const char* reason) {
      const std::string begin = value.left(40).toStdString();
      add((field + (' ' + begin) + ", " + std::to_string(value.size())).c_str(), field, value, reason);
    };
    const auto text = [](std::size_t length) {
      return QString::fromStdString('"' + std::string(length, 'x') + '"');
    };
    row("/format", "\"other\"", "its beginning is not that of an exported run");
    row("/run", "null", "run is missing");
    row("/run", "[]", "run is not an object");
    row("/run/id", "\"../..\"", "run.id is not a run's id");
    row("/run/state", "\"flying\"", "run.state is unknown");
    row("/run/name", "5", "run.name is not a text");
    row("/run/name", "null", "");
    row("/run/message", text(1'000'000), "");
    row("/run/message", text(1'000'001), "run.message is too long");
    row("/run/created", "\"soon\"", "run.created is not a number");
    row("/run/created", "\"inf\"", "run.created is not a finite number");
    row("/run/created", "-1", "run.created is not a time");
    row("/run/created", "100000000000", "run.created is not a time");
    row("/run/created", "99999999999", "");
    row("/run/step", "1.5", "run.step is not a whole number");
    row("/run/step", "-1", "run.step is negative");
    row("/run/step", "0", "");
    row("/run/step", "9223372036854775807", "");
    row("/run/step", "9223372036854775808", "run.step is not a whole number");
    row("/run/epoch", "2147483647", "");
    row("/run/epoch", "2147483648", "run.epoch is too large");
    row("/run/epoch", "-2147483648", "run.epoch is negative");
    row("/run/epoch", "-2147483649", "run.epoch is too large");
    row("/run/tags", "{}", "run.tags is not a list");
    row("/run/tags", "[5]", "run.tags is not a list of texts");
    row("/run/tags", "[\"a,b\"]", "cannot be a tag");
    row("/run/tags", "null", "");
    row("/run/latest", "[]", "run.latest is not an object");
    row("/run/latest", "{\"loss\":\"low\"}", "run.latest.loss is not a number");
    row("/run/spec", "{\"replicas\":\"two\"}", "run.spec");
    row("/run/spec/group", text(201), "cannot be a group");
    row("/generations", "{}", "it.generations is not a list");
    row("/generations/0", "5", "it.generations is not an object");
    row("/generations/1/number", "0", "generations has number 0 twice");
    row("/generations/1/number", "7", "");
    row("/generations/1/pause", "\"nan\"", "it.generations.pause is not a finite number");
    row("/generations/1/pause_parts", "{\"launch\":\"x\"}", "pause_parts.launch is not a number");
    row("/events/0/generation", "-1", "it.events.generation is negative");
    row("/ledger/0/step", "-1", "it.ledger.step is negative");
    row("/hyperparameters", "[]", "it.hyperparameters is not an object");
    row("/hyperparameters", "{\"lr\":0.1}", "hyperparameters.lr is not a text");
    row("/model", "\"{}\"", "model is not a model");
    row("/model", "\"{\\\"type\\\":\\\"heartbeat\\\"}\"", "model is not a model");
    row("/model", "\"\"", "");
    row("/model", "null", "");
  }
  void eachFieldIsChecked() {
    QFETCH(QString, field);
    QFETCH(QString, value);
    QFETCH(QString, reason);
    Json json = record_json(whole_record());
    json[Json::json_pointer(field.toStdString())] = Json::parse(value.toStdString());
    if (reason.isEmpty())
      record_from(json);
    else
      VERIFY_THROWS("corrupt", reason.toStdString(), record_from(json));
  }

  void anotherVersionIsRefused() {
    Json json = record_json(whole_record());
    for (const int version : {0, 2}) {
      json["version"] = version;
      VERIFY_THROWS("version", "has version " + std::to_string(version), record_from(json));
    }
  }

  void whatIsMissingIsUnknown() {
    const Json json = Json::parse(R"({"format":"batchscope-run","version":1,
      "run":{"id":"abcd1234","state":"stopped"},"generations":[{}]})");
    const RunRecord record = record_from(json);
    QVERIFY(record.run.latest.empty() && record.run.tags.empty() && record.events.empty() && !record.model);
    QCOMPARE(record.run.created, 0.0);
    QCOMPARE(record.generations.at(0).pause, -1.0);
    QCOMPARE(record.generations.at(0).predicted_goodput, -1.0);
    QVERIFY(checkpoints_from(json).empty() && leases_from(json).empty());
  }

  void aLeaseMayBeOfNoGeneration() {
    const Json json = Json::parse(R"({"leases":[{"device":"n1/cpu:0","generation":-1,"since":5}]})");
    QCOMPARE(leases_from(json).at(0).generation, -1);
    QCOMPARE(leases_from(json).at(0).device, std::string("n1/cpu:0"));
    VERIFY_THROWS("corrupt", "leases", leases_from(Json::parse(R"({"leases":5})")));
    VERIFY_THROWS("corrupt", "checkpoints.step is negative",
                  checkpoints_from(Json::parse(R"({"checkpoints":[{"step":-1}]})")));
  }

  void whatIsNotThereIsNull() {
    Run run = whole_record().run;
    Json json = run_json(run);
    for (const char* name : {"auto_replicas", "sweep", "trial", "supervisor", "removed"})
      QVERIFY2(json.at(name).is_null(), name);
    QVERIFY(!json.at("diverged").get<bool>());
    QVERIFY(json.at("spec").is_object());
    run.supervisor_pid = 7;
    run.trial = {"lr", 3, 0, true};
    json = run_json(run);
    QCOMPARE(json.at("supervisor").get<int>(), 7);
    QCOMPARE(json.at("sweep").get<std::string>(), std::string("lr"));
    QCOMPARE(json.at("trial").get<int>(), 3);
    QVERIFY(json.at("diverged").get<bool>());
    run.state = RunState::damaged;  // its specification may be what cannot be read
    QVERIFY(run_json(run).at("spec").is_null());
    run.spec.auto_replicas = {1, 4};
    QCOMPARE(run_json(run).at("auto_replicas").get<std::string>(), std::string("auto:1-4"));
    QVERIFY(record_json(RunRecord()).at("model").is_null());
  }
};

BATCHSCOPE_TEST(TestRecordJson)
#include "test_record_json.moc"
