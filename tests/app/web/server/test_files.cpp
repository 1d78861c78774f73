// SPDX-License-Identifier: Apache-2.0
//
// Files of a run that a person keeps: which are listed, which are sent, and who gets them.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <QProcess>
#include <QUrl>
#include <algorithm>

#include "batchscope/protocol/checkpoint_writer.h"
#include "batchscope/protocol/manifest.h"
#include "batchscope/web/tokens.h"
#include "rows.h"
#include "thrown.h"
#include "web_fixture.h"

namespace batchscope::web {

namespace fs = std::filesystem;
using testing::body;

class TestFiles : public WebTest {
  Q_OBJECT

  std::string id;
  protocol::RunPaths paths;

  void write(const fs::path& file, const std::string& bytes) const {
    fs::create_directories((paths.root / file).parent_path());
    testing::write_file((paths.root / file).string(), bytes);
  }
  std::string files() const { return "/api/runs/" + id + "/files"; }
  std::string file(const std::string& name) const {
    return "/api/runs/" + id +
           "/file?path=" + QUrl::toPercentEncoding(QString::fromStdString(name)).toStdString();
  }
  std::vector<std::string> listed() const {
    std::vector<std::string> names;
    const Json list = get(files()).json;
    for (const Json& each : list.at("files")) names.push_back(each.at("path"));
    return names;
  }
  int status_for(const QByteArray& secret, const std::string& target) const {
    return send("GET " + QByteArray::fromStdString(target) + " HTTP/1.1\r\nHost: localhost:" +
                QByteArray::number(server->port()) + "\r\nAuthorization: Bearer " + secret + "\r\n\r\n")
        .status;
  }
  void write_checkpoint(const std::string& name, const std::string& state) const {
    protocol::Manifest manifest;
    manifest.step = 7;
    protocol::write_checkpoint(paths.checkpoints / name, manifest, [&](const fs::path& folder) {
      testing::write_file((folder / "state").string(), state);
      manifest.files = {
          {"state", static_cast<std::int64_t>(state.size()), protocol::file_crc32(folder / "state")}};
    });
  }

 private Q_SLOTS:
  void init() {
    newStore();
    id = make_run("one \"run\"", 4);
    paths = protocol::run_paths(id);
    protocol::make_run_directories(paths);
    serve();
  }

  void whatAProgramWroteIsListedAndSentAsItIs() {
    const std::string bytes = std::string("\0\xff<script>\r\n", 12) + std::string(1'000'000, 'x');
    write("share/model.bin", bytes);
    write("share/samples/first ü&?#%.png", "picture");
    write("tensorboard/events.1", "e");
    write("logs/g0-r0.log", "printed");
    const Json list = get(files()).json;
    QCOMPARE(listed(), (std::vector<std::string>{"logs/g0-r0.log", "share/model.bin",
                                                 "share/samples/first ü&?#%.png", "tensorboard/events.1"}));
    QVERIFY(list.at("files")[1].at("bytes") == bytes.size() && list.at("files")[1].at("time") > kBegin);
    QVERIFY(list.at("left_out") == 0);
    const Answer sent = get(file("share/model.bin"));
    QCOMPARE(sent.status, 200);
    QVERIFY(body(sent.all).toStdString() == bytes);
    QVERIFY(sent.all.contains("Content-Type: application/octet-stream\r\n"));
    QVERIFY(sent.all.contains("X-Content-Type-Options: nosniff\r\n"));
    QVERIFY(sent.all.contains("Content-Length: 1000012\r\n"));
    QVERIFY2(sent.all.contains("attachment; filename=\"one--run--" + QByteArray::fromStdString(id) +
                               "-model.bin\"\r\n"),
             sent.all.left(800).constData());
    const Answer odd = get(file("share/samples/first ü&?#%.png"));
    QCOMPARE(body(odd.all), QByteArray("picture"));
    QVERIFY2(odd.all.contains("-first-------.png\"\r\n"), odd.all.left(800).constData());
    write("share/empty", "");
    const Answer empty = get(file("share/empty"));
    QVERIFY(empty.status == 200 && body(empty.all).isEmpty());
  }

  void aCheckpointIsOneArchive() {
    const std::string state(1000, 's');
    write_checkpoint("checkpoint-000001", state);
    const std::string name = "checkpoints/checkpoint-000001.tar";
    QCOMPARE(listed(), std::vector<std::string>{name});
    const Answer sent = get(file(name));
    QCOMPARE(sent.status, 200);
    QCOMPARE(body(sent.all).size(), get(files()).json.at("files")[0].at("bytes").get<qsizetype>());
    testing::write_file(path("it.tar"), body(sent.all).toStdString());
    fs::create_directory(path("there"));
    QProcess tar;
    tar.start("tar", {"-xf", path("it.tar").c_str(), "-C", path("there").c_str()});
    QVERIFY(tar.waitForFinished() && tar.exitCode() == 0 && tar.readAllStandardError().isEmpty());
    QVERIFY(testing::contents(path("there/checkpoint-000001/state")) == state);
    QCOMPARE(protocol::verify_checkpoint(path("there/checkpoint-000001")).step, std::int64_t(7));
  }

  void aDamagedCheckpointIsNotListed() {
    write_checkpoint("checkpoint-000001", "state");
    fs::remove(paths.checkpoints / "checkpoint-000001" / "state");
    QVERIFY(listed().empty() && get(files()).json.at("left_out") == 1);
    QVERIFY(get(file("checkpoints/checkpoint-000001.tar")).status >= 400);
  }

  // A run's folder has more than its program's files, and a program may put anything there.
  void secretsAreNotAmongThem() {
    write("environment.json", "secret");
    write("supervisor.log", "secret");
    write("replicas.json", "secret");
    write("share/.netrc", "secret");
    write("share/.ssh/id_rsa", "secret");
    write("elsewhere/file", "secret");
    write("logs/fork-server.log", "secret");
    fs::create_symlink(path("serve.token"), paths.share / "link");
    fs::create_directory_symlink(path("."), paths.share / "folder");
    fs::create_directories(path("outside"));
    testing::write_file(path("outside/file"), "secret");
    fs::remove(paths.tensorboard);
    fs::create_directory_symlink(path("outside"), paths.tensorboard);
    QCOMPARE(::mkfifo((paths.share / "pipe").c_str(), 0600), 0);
    const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    const fs::path before = fs::current_path();
    fs::current_path(paths.share);
    std::copy_n("s", 2, address.sun_path);
    QCOMPARE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    fs::current_path(before);
    const Json list = get(files()).json;
    QVERIFY2(list.at("files").empty(), text(list).c_str());
    QCOMPARE(list.at("left_out").get<int>(), 6);  // without what is in no folder of the program's
    for (const char* path :
         {"environment.json", "supervisor.log", "replicas.json", "samples.db", "share/.netrc",
          "share/.ssh/id_rsa", "logs/fork-server.log", "elsewhere/file", "share/link",
          "share/folder/serve.token", "tensorboard/file", "share/pipe", "share/s", "share", "share/folder"})
      QVERIFY2(get(file(path)).status == 404, path);
    ::close(listener);
  }

  void noPathLeavesTheFolder_data() {
    testing::rows<std::string>("path", {"",
                                        "/",
                                        "share",
                                        "share/",
                                        "share//model.bin",
                                        "share/./model.bin",
                                        "share/../environment.json",
                                        "../../serve.token",
                                        "/etc/passwd",
                                        "share/../../../serve.token",
                                        "share/..",
                                        "share/model.bin/",
                                        "share/model.bin/x",
                                        "share\\model.bin",
                                        "./share/model.bin",
                                        "checkpoints/../environment.json",
                                        "checkpoints/..tar",
                                        "checkpoints/x.tar",
                                        "checkpoints/checkpoint-000001",
                                        "checkpoints/checkpoint-000001/state",
                                        "share/model.bin\n",
                                        "share/a/a/a/a/a/a/a/a/a/a/a/model.bin",
                                        "SHARE/model.bin"});
  }
  void noPathLeavesTheFolder() {
    QFETCH(std::string, path);
    write("share/model.bin", "mine");
    write("environment.json", "secret");
    write_checkpoint("checkpoint-000001", "state");
    const Answer answer = get(file(path));
    QVERIFY2(answer.status == 404, answer.all.constData());
    QVERIFY(!answer.all.contains("secret"));
    QCOMPARE(get("/api/runs/" + id + "/file").status, 404);
    QCOMPARE(get("/api/runs/" + id + "/file?path=share/model.bin%00.txt").status, 404);
    QCOMPARE(get("/api/runs/..%2f../file?path=share/model.bin").status, 404);
    QCOMPARE(get(file("share/model.bin")).status, 200);
  }

  void namesThatNoPageCanShowAreCounted() {
    for (const char* name : {"a\nb", "\xff\xfe", "right\u202Eto left"}) write(fs::path("share") / name, "x");
    const Json list = get(files()).json;
    QVERIFY2(list.at("files").empty() && list.at("left_out") == 3, text(list).c_str());
  }

  void aLongListSaysHowManyItLeavesOut() {
    for (int i = 0; i < 2010; ++i) write("share/" + std::to_string(i), "");
    const Json list = get(files()).json;
    QCOMPARE(list.at("files").size(), std::size_t(2000));
    QCOMPARE(list.at("left_out").get<int>(), 10);
  }

  // Weights and whatever else a program writes were not made to be shown.
  void whoMayNotControlGetsNone() {
    write("share/model.bin", "mine");
    const QByteArray reader = QByteArray::fromStdString(give_token("anna").secret);
    const QByteArray link = QByteArray::fromStdString(give_link(id, 3600).secret);
    const QByteArray ben = QByteArray::fromStdString(give_token("ben:control").secret);
    for (const std::string& target : {files(), file("share/model.bin")}) {
      QCOMPARE(status_for(reader, target), 403);
      QCOMPARE(status_for(link, target), 403);
      QCOMPARE(status_for("", target), 401);
      QCOMPARE(status_for(ben, target), 200);
      QCOMPARE(send(head("GET", target) + "Sec-Fetch-Site: cross-site\r\n\r\n").status, 403);
      QCOMPARE(post(target, "{}").status, 405);
    }
    revoke_token("ben");
    QCOMPARE(status_for(ben, files()), 401);
    serve({.read_only = true});
    for (const std::string& target : {files(), file("share/model.bin")}) QCOMPARE(get(target).status, 403);
    storage::Catalogue(protocol::catalogue_path()).move_to_trash(id);
    serve();
    for (const std::string& target : {files(), file("share/model.bin")}) QCOMPARE(get(target).status, 404);
  }
};

}  // namespace batchscope::web

BATCHSCOPE_TEST(batchscope::web::TestFiles)
#include "test_files.moc"
