// SPDX-License-Identifier: Apache-2.0
//
// Programs as files: which of them say in their notes that they can be fork servers, whatever else is in the
// file; which are Python's; and when one is another.
#include "launch/program_file.h"

#include <elf.h>

#include <QTemporaryDir>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rows.h"
#include "test_case.h"
#include "text_files.h"

using namespace batchscope;
using namespace batchscope::run;

class TestProgramFile : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  std::string file(const char* name) const { return folder_.filePath(name).toStdString(); }

  template <class Header>
  static std::string bytes_of(const Header& header) {
    return {reinterpret_cast<const char*>(&header), sizeof header};
  }
  static std::string padded(std::string text) {
    text.resize((text.size() + 3) / 4 * 4);
    return text;
  }
  // A note as it is in a file.
  static std::string note(const std::string& name, std::uint32_t type, const std::string& content = {}) {
    Elf64_Nhdr header{};
    header.n_namesz = static_cast<std::uint32_t>(name.size());
    header.n_descsz = static_cast<std::uint32_t>(content.size());
    header.n_type = type;
    return bytes_of(header) + padded(name) + padded(content);
  }
  static std::string ours(const std::string& content = {}) {
    return note(std::string("BatchScope\0", 11), 1, content);
  }
  struct Segment {
    std::uint32_t type = PT_NOTE;
    std::string content;
  };
  // A program of these segments, whose header may be changed.
  static std::string program(const std::vector<Segment>& segments,
                             const std::function<void(Elf64_Ehdr&)>& change = {}) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_phoff = sizeof header + 8;  // there may be something in between
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<std::uint16_t>(segments.size());
    std::uint64_t offset = header.e_phoff + segments.size() * sizeof(Elf64_Phdr);
    std::string table, content;
    for (const Segment& segment : segments) {
      Elf64_Phdr entry{};
      entry.p_type = segment.type;
      entry.p_offset = offset + content.size();
      entry.p_filesz = segment.content.size();
      table += bytes_of(entry);
      content += segment.content;
    }
    if (change) change(header);
    return bytes_of(header) + std::string(8, 'x') + table + content;
  }
  bool serves(const std::string& content) const {
    testing::write_file(file("program"), content);
    return knows_fork_server(file("program"));
  }

 private Q_SLOTS:
  void aNoteSaysThatAProgramServes_data() {
    const auto row = testing::columns<QByteArray, bool>({"notes", "serves"});
    const auto add = [&](const char* name, const std::string& notes, bool serves) {
      row(name, QByteArray::fromStdString(notes), serves);
    };
    const std::string build_id = note(std::string("GNU\0", 4), 3, std::string(20, 'x'));
    add("ours", ours(), true);
    add("ours with something to say", ours("12345"), true);
    add("behind another", build_id + ours(), true);
    add("behind one that needs padding", note("abcde", 7, "12345") + ours(), true);
    add("before another", ours() + build_id, true);
    add("another version", note(std::string("BatchScope\0", 11), 2), false);
    add("without the zero", note("BatchScope", 1), false);
    add("a longer name", note(std::string("BatchScope2\0", 12), 1), false);
    add("another name", note(std::string("BatchScape\0", 11), 1), false);
    add("others only", build_id, false);
    add("none", "", false);
    add("cut within the head", ours().substr(0, 11), false);
    add("cut within the name", ours().substr(0, ours().size() - 1), false);
    add("cut within the content", ours("12345678").substr(0, ours("12345678").size() - 1), false);
    std::string endless = build_id;  // its content goes on beyond the end
    endless[4] = '\xff';
    add("longer than all", endless + ours(), false);
  }
  void aNoteSaysThatAProgramServes() {
    QFETCH(QByteArray, notes);
    QTEST(serves(program({{PT_NOTE, notes.toStdString()}})), "serves");
  }

  // Whatever other segments there are.
  void notesMayBeInAnySegment() {
    const std::string other = note(std::string("GNU\0", 4), 3, "1234");
    QVERIFY(serves(program({{PT_LOAD, "code"}, {PT_NOTE, ours()}})));
    QVERIFY(serves(program({{PT_NOTE, other}, {PT_NOTE, ours()}, {PT_LOAD, "code"}})));
    QVERIFY(!serves(program({{PT_LOAD, ours()}})));
    QVERIFY(!serves(program({})));
    const std::string most(65536 - ours().size(), '\0');
    QVERIFY(serves(program({{PT_NOTE, ours() + most}})));
    QVERIFY(!serves(program({{PT_NOTE, ours() + most + "x"}})));  // so many are not read
    QVERIFY(serves(program({{PT_NOTE, ours() + most + "x"}, {PT_NOTE, ours()}})));
  }

  void whatIsNoProgramOfThisMachineDoesNot() {
    const std::vector<Segment> good{{PT_NOTE, ours()}};
    QVERIFY(serves(program(good)));
    QVERIFY(!serves(program(good, [](Elf64_Ehdr& header) { header.e_ident[0] = 'E'; })));
    QVERIFY(!serves(program(good, [](Elf64_Ehdr& header) { header.e_ident[3] = 'f'; })));
    QVERIFY(!serves(program(good, [](Elf64_Ehdr& header) { header.e_ident[EI_CLASS] = ELFCLASS32; })));
    QVERIFY(!serves(program(good, [](Elf64_Ehdr& header) { header.e_ident[EI_DATA] = ELFDATA2MSB; })));
    QVERIFY(!serves(program(good, [](Elf64_Ehdr& header) { header.e_phoff = 1 << 20; })));
    QVERIFY(!serves(program(good).substr(0, 40)));
    QVERIFY(!serves(program(good).substr(0, program(good).size() - 1)));
    QVERIFY(!serves(""));
    QVERIFY(!knows_fork_server(file("missing")));
  }

  void interpretersAndScriptsArePythons() {
    for (const char* const python : {"/usr/bin/python3", "python", "/opt/python3.12", "/me/train.py"})
      QVERIFY2(is_python(python), python);
    for (const char* const other : {"/usr/bin/ipython", "/python/digits", "train.sh", "py", ""})
      QVERIFY2(!is_python(other), other);
  }

  void aFileThatIsWrittenAnewIsAnother() {
    QVERIFY(identify(file("none")) == FileIdentity());
    testing::write_file(file("one"), "one");
    const FileIdentity one = identify(file("one"));
    QVERIFY(one == identify(file("one")));
    QVERIFY(one != FileIdentity());
    QCOMPARE(one.size, 3);
    testing::write_file(file("other"), "one");
    QVERIFY(one != identify(file("other")));
    const auto time = std::filesystem::last_write_time(file("one"));
    std::filesystem::last_write_time(file("one"), time + std::chrono::nanoseconds(1000));
    QVERIFY(one != identify(file("one")));
    std::filesystem::last_write_time(file("one"), time + std::chrono::seconds(1));
    QVERIFY(one != identify(file("one")));
    std::filesystem::last_write_time(file("one"), time);
    QVERIFY(one == identify(file("one")));
  }
};

BATCHSCOPE_TEST(TestProgramFile)
#include "test_program_file.moc"
