// SPDX-License-Identifier: Apache-2.0
//
// Machines that come and go: whom the pool asks whether the machine is taken away, and whom it tells how many
// devices it could use.
#include <QTcpServer>
#include <QTcpSocket>
#include <fstream>
#include <sstream>

#include "machine_notice.h"
#include "scale_command.h"
#include "standard_error.h"
#include "store_test.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::pool;
using namespace batchscope::storage::test;

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Answers every request with this status.
class Server {
 public:
  explicit Server(QByteArray status) : status_(std::move(status)) {
    server_.listen(QHostAddress::LocalHost);
    QObject::connect(&server_, &QTcpServer::newConnection, &server_, [this] {
      QTcpSocket* const socket = server_.nextPendingConnection();
      QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket] {
        socket->readAll();
        socket->write("HTTP/1.1 " + status_ + "\r\nContent-Length: 9\r\nConnection: close\r\n\r\nterminate");
        socket->disconnectFromHost();
        ++answers;
      });
    });
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.serverPort()) + "/action"; }
  int answers = 0;

 private:
  QTcpServer server_;
  QByteArray status_;
};

}  // namespace

class TestMachine : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aCommandThatSucceedsIsANotice() {
    MachineNotice notice;
    std::vector<std::string> heard;
    notice.on_notice = [&](const std::string& text) { heard.push_back(text); };
    notice.watch("echo in two minutes");
    QTRY_COMPARE(heard.size(), 1u);
    QVERIFY(heard[0].find("in two minutes") != std::string::npos);
    notice.watch("echo in two minutes");
    QTest::qWait(50);
    QCOMPARE(heard.size(), 1u);
  }

  // A person is told the beginning of a long one.
  void aNoticeIsShort() {
    MachineNotice notice;
    std::string heard;
    notice.on_notice = [&](const std::string& text) { heard = text; };
    notice.watch("printf '%0300d' 0");
    QTRY_COMPARE(heard, "the machine will be taken away (" + std::string(200, '0') + ")");
    notice.watch("true");
    QTRY_COMPARE(heard, std::string("the machine will be taken away"));
  }

  // An answer that comes when nobody is asked any more counts for nothing.
  void whoeverIsAskedNoMoreIsNotHeard() {
    MachineNotice before, after;
    int heard = 0;
    bool is_over = false;
    before.on_notice = [&](const std::string&) { ++heard; };
    after.on_notice = [&](const std::string&) { is_over = true; };
    before.watch("true");
    before.watch("");
    after.watch("sleep 0.05");
    QTRY_VERIFY(is_over);
    QCOMPARE(heard, 0);
  }

  // A second answer says nothing new.
  void oneNoticeIsEnough() {
    Server going("200 OK");
    MachineNotice notice;
    int heard = 0;
    notice.on_notice = [&](const std::string&) { ++heard; };
    notice.watch(going.url());
    notice.watch(going.url() + "/again");
    QTRY_COMPARE(going.answers, 2);
    QTest::qWait(50);
    QCOMPARE(heard, 1);
  }

  void oneThatFailsIsNone() {
    const Folder folder;
    MachineNotice notice;
    int heard = 0;
    notice.on_notice = [&](const std::string&) { ++heard; };
    notice.watch("echo asked > " + (folder / "asked").string() + "; exit 1");
    QTRY_COMPARE(text_of(folder / "asked"), std::string("asked\n"));
    QTest::qWait(100);
    QCOMPARE(heard, 0);
  }

  void anAddressThatAnswersIsANotice() {
    Server going("200 OK");
    MachineNotice notice;
    std::string heard;
    notice.on_notice = [&](const std::string& text) { heard = text; };
    notice.watch(going.url());
    QTRY_VERIFY(heard.find("terminate") != std::string::npos);
  }

  void oneThatKnowsNothingIsNone() {
    Server staying("404 Not Found");
    MachineNotice notice;
    int heard = 0;
    notice.on_notice = [&](const std::string&) { ++heard; };
    notice.watch(staying.url());
    QTRY_COMPARE(staying.answers, 1);
    QTest::qWait(100);
    QCOMPARE(heard, 0);
  }

  void theScaleCommandIsToldWhatIsWanted() {
    const Folder folder;
    const std::string command = "f() { echo \"$1\" >> " + (folder / "wanted").string() + "; }; f";
    ScaleCommand scale;
    scale.want(command, 2, 2, 100);  // as it is
    scale.want("", 2, 5, 100);
    scale.want(command, 2, 5, 100);
    QTRY_COMPARE(text_of(folder / "wanted"), std::string("5\n"));
    scale.want(command, 2, 6, 159.9);  // too soon
    scale.want(command, 2, 7, 160);
    QTRY_COMPARE(text_of(folder / "wanted"), std::string("5\n7\n"));
    scale.want(command, 2, 7, 300);  // once is enough
    scale.want(command, 2, 2, 301);  // as it is again, which it does not know
    QTRY_COMPARE(text_of(folder / "wanted"), std::string("5\n7\n2\n"));
    const testing::StandardError said;
    scale.want(command, 2, 0, 400);
    QTRY_COMPARE(text_of(folder / "wanted"), std::string("5\n7\n2\n0\n"));
    scale.want(command, 2, 2, 500);  // none were asked for last
    QTRY_COMPARE(text_of(folder / "wanted"), std::string("5\n7\n2\n0\n2\n"));
    QCOMPARE(said.text(), std::string());
  }
};

BATCHSCOPE_TEST(TestMachine)
#include "test_machine.moc"
