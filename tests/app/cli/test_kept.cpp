// SPDX-License-Identifier: Apache-2.0
//
// Files of older programs are read as they were meant: all that the store and the exported files in
// tests/kept hold comes back as it was, beside what has been added since.
#include "command_test.h"
#include "rows.h"
#include "store_test.h"

using namespace batchscope;
using namespace batchscope::cli;

namespace {

const QString kKept = KEPT_FOLDER "/";

using protocol::Json;

// The first place, as a JSON pointer, of what was kept and is gone or another; empty where there is none.
std::string lost(const Json& kept, const Json& now, const std::string& place = {}) {
  if (kept == now) return {};
  if (kept.is_string() && now.is_string() && Json::accept(kept.get<std::string>()) &&
      Json::accept(now.get<std::string>()))
    return lost(Json::parse(kept.get<std::string>()), Json::parse(now.get<std::string>()), place);
  if (kept.is_array() && now.is_array() && kept.size() == now.size()) {
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (auto found = lost(kept[i], now[i], place + "/" + std::to_string(i)); !found.empty()) return found;
    return {};
  }
  if (!kept.is_object() || !now.is_object()) return place + ": " + kept.dump() + " is " + now.dump();
  for (const auto& [key, value] : kept.items()) {
    if (!now.contains(key)) return place + "/" + key + " is gone";
    if (auto found = lost(value, now[key], place + "/" + key); !found.empty()) return found;
  }
  return {};
}

void compare(const QByteArray& now, const QByteArray& kept) {
  const auto there = now.trimmed().split('\n'), expected = kept.trimmed().split('\n');
  QCOMPARE(there.size(), expected.size());
  for (qsizetype i = 0; i < expected.size(); ++i)
    QCOMPARE(QString::fromStdString(
                 lost(Json::parse(expected[i].toStdString()), Json::parse(there[i].toStdString()))),
             QString());
}

}  // namespace

class TestKept : public CommandTest {
  Q_OBJECT

 private Q_SLOTS:
  void init() { newSandbox(); }

  void aStoreIsExportedAsItWas() {
    QVERIFY(storage::test::meddle(sandbox_->database().toStdString(),
                                  contents(kKept + "catalogue.sql").toStdString()));
    QVERIFY(QDir().mkpath(sandbox_->path("runs/h3oiyw5j")));
    QVERIFY(QFile::copy(kKept + "samples.db", sandbox_->path("runs/h3oiyw5j/samples.db")));
    compare(exported(), contents(kKept + "fitted.jsonl"));
  }

  void anExportedRunIsImportedAsItWas_data() { testing::rows("file", {"fitted.jsonl", "fitted.sqlite"}); }

  void anExportedRunIsImportedAsItWas() {
    QFETCH(QString, file);
    VERIFY_CODE(kExitOk, ask({"import", kKept + file}));
    QByteArray expected = contents(kKept + "fitted.jsonl");
    expected.replace(R"("program":")", R"("program":"imported:)");
    compare(exported(), expected);
  }

 private:
  QByteArray exported() const {
    ask({"export", "fitted", "-o", "again.jsonl"});
    return contents("again.jsonl");
  }
};

BATCHSCOPE_TEST(TestKept)
#include "test_kept.moc"
