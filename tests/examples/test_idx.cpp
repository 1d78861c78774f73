// SPDX-License-Identifier: Apache-2.0
//
// The IDX reader: what is written is read back, plain or gzipped; whatever is damaged is refused with the
// file, the offset, what was expected and what was found.
#include <zlib.h>

#include <QFile>
#include <QTemporaryDir>

#include "batchscope/protocol/error.h"
#include "idx.h"
#include "test_case.h"

using batchscope::Error;
using batchscope::ErrorKind;
using namespace batchscope::digits;

namespace {

constexpr char kImages[] = "train-images-idx3-ubyte";
constexpr char kLabels[] = "train-labels-idx1-ubyte";

// Three images of 2 x 4.
LabelledImages sample() {
  LabelledImages set{{3, 2, 4, {}}, {7, 0, 9}};
  for (int i = 0; i < 24; ++i) set.images.pixels.push_back(static_cast<std::uint8_t>(i * 10));
  return set;
}

class Folder {
 public:
  Folder() { write_idx(path().toStdString(), "train", sample()); }

  QString path() const { return directory_.path(); }
  QByteArray bytes(const char* name) const {
    QFile file(directory_.filePath(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  void put(const char* name, const QByteArray& bytes) const {
    QFile file(directory_.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
  }
  void remove(const char* name) const { QVERIFY(QFile::remove(directory_.filePath(name))); }
  // Replaces a file by its gzipped form.
  void zip(const char* name) const {
    const QByteArray plain = bytes(name);
    const gzFile out = gzopen(directory_.filePath(name + QStringLiteral(".gz")).toUtf8().constData(), "wb");
    gzwrite(out, plain.constData(), static_cast<unsigned>(plain.size()));
    gzclose(out);
    remove(name);
  }
  LabelledImages read() const { return read_idx(path().toStdString(), "train"); }

  // The message with which reading fails; empty where it does not, or fails with another kind.
  QString refusal(ErrorKind kind = ErrorKind::corrupt) const {
    try {
      read();
    } catch (const Error& error) {
      if (error.kind() == kind)
        return QString::fromStdString(error.what()).remove(path() + QStringLiteral("/"));
      qWarning("another kind: %s", error.what());
    }
    return {};
  }

 private:
  QTemporaryDir directory_;
};

QByteArray patched(QByteArray bytes, int offset, char value) {
  bytes[offset] = value;
  return bytes;
}

}  // namespace

class TestIdx : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reads_what_was_written() {
    const Folder folder;
    QCOMPARE(folder.bytes(kImages).left(16).toHex(), QByteArray("00000803000000030000000200000004"));
    QCOMPARE(folder.bytes(kLabels).toHex(), QByteArray("0000080100000003070009"));
    const auto set = folder.read();
    QCOMPARE(set.images.count, 3U);
    QCOMPARE(set.images.rows, 2U);
    QCOMPARE(set.images.columns, 4U);
    QVERIFY(set.images.pixels == sample().images.pixels);
    QVERIFY(set.labels == sample().labels);
  }

  void leaves_no_temporary_files() {
    const Folder folder;
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 2);
  }

  void reads_gzipped_files() {
    const Folder folder;
    folder.zip(kImages);
    folder.zip(kLabels);
    QVERIFY(folder.read().images.pixels == sample().images.pixels);
    QVERIFY(folder.read().labels == sample().labels);
  }

  void names_the_missing_file() {
    const Folder folder;
    folder.remove(kLabels);
    QVERIFY(folder.refusal(ErrorKind::not_found)
                .contains("neither train-labels-idx1-ubyte nor train-labels-idx1-ubyte.gz"));
  }

  void refuses_damage_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("complaint");
    const Folder folder;
    const QByteArray images = folder.bytes(kImages), labels = folder.bytes(kLabels);
    const auto row = [](const char* name, const char* file, const QByteArray& bytes, const char* complaint) {
      QTest::newRow(name) << QByteArray(file) << bytes << QString::fromLatin1(file) + ": " + complaint;
    };

    row("empty", kImages, {}, "at offset 0: expected a header of 16 bytes, found the end of the file");
    row("header cut", kImages, images.left(15),
        "at offset 15: expected a header of 16 bytes, found the end of the file");
    row("labels' header cut", kLabels, labels.left(5),
        "at offset 5: expected a header of 8 bytes, found the end of the file");
    row("images' magic", kImages, patched(images, 3, 1),
        "at offset 0: expected the magic number 0x00000803, found 0x00000801");
    row("labels' magic", kLabels, patched(labels, 3, 3),
        "at offset 0: expected the magic number 0x00000801, found 0x00000803");
    row("pixels cut", kImages, images.left(30),
        "at offset 30: expected 3 images of 2 x 4 bytes, found 14 bytes: the file is truncated, or its "
        "header wrong");
    row("labels cut", kLabels, labels.left(10),
        "at offset 10: expected 3 labels of 1 byte, found 2 bytes: the file is truncated, or its header "
        "wrong");
    row("more pixels", kImages, images + "x",
        "at offset 40: expected 3 images of 2 x 4 bytes, found 25 bytes: too many");
    row("more labels", kLabels, labels + "x",
        "at offset 11: expected 3 labels of 1 byte, found 4 bytes: too many");
    row("no rows", kImages, patched(images, 11, 0), "at offset 8: expected at least 1 row, found 0");
    row("no columns", kImages, patched(images, 15, 0), "at offset 12: expected at least 1 column, found 0");
    row("label 77", kLabels, patched(labels, 9, 77), "at offset 9: expected a label from 0 to 9, found 77");

    // A header that promises 2^96 bytes must cost neither memory nor an overflow.
    row("oversized header", kImages, images.left(4) + QByteArray(12, '\xff') + images.mid(16),
        "at offset 40: expected 4294967295 images of 4294967295 x 4294967295 bytes, found 24 bytes: the file "
        "is "
        "truncated, or its header wrong");
  }

  void refuses_damage() {
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, bytes);
    QFETCH(QString, complaint);
    const Folder folder;
    folder.put(file.constData(), bytes);
    QCOMPARE(folder.refusal(), complaint);
    folder.zip(file.constData());
    QCOMPARE(folder.refusal(),
             complaint.replace(QString::fromLatin1(file), QString::fromLatin1(file) + ".gz"));
  }

  void refuses_counts_that_differ() {
    const Folder folder;
    folder.put(kLabels, QByteArray::fromHex("00000801000000020700"));
    QVERIFY(folder.refusal().startsWith(
        "train-labels-idx1-ubyte: at offset 4: expected 3 labels, one for each image"));
    QVERIFY(folder.refusal().endsWith("found 2"));
  }

  void refuses_a_damaged_gzip_stream() {
    const Folder folder;
    folder.zip(kImages);
    const QByteArray whole = folder.bytes("train-images-idx3-ubyte.gz");
    folder.put("train-images-idx3-ubyte.gz", whole.left(whole.size() - 6));
    QVERIFY(folder.refusal().contains("expected more of a gzip stream"));
    folder.put("train-images-idx3-ubyte.gz",
               patched(whole, int(whole.size()) - 8, char(whole[whole.size() - 8] ^ 1)));
    QVERIFY(folder.refusal().contains("incorrect data check"));
  }

  void refuses_a_directory_in_place_of_a_file() {
    const Folder folder;
    folder.remove(kImages);
    QVERIFY(QDir(folder.path()).mkdir(kImages));
    QVERIFY(folder.refusal(ErrorKind::io).contains("not a regular file"));
  }

  void every_prefix_and_every_flipped_byte_is_read_or_refused() {
    const Folder folder;
    for (const char* name : {kImages, kLabels}) {
      const QByteArray whole = folder.bytes(name);
      const auto parse = [name](const QByteArray& bytes) {
        const std::span span(reinterpret_cast<const std::uint8_t*>(bytes.constData()),
                             std::size_t(bytes.size()));
        try {
          name == kImages ? void(parse_images(span, name)) : void(parse_labels(span, name));
          return true;
        } catch (const Error&) {
          return false;
        }
      };
      for (int size = 0; size < whole.size(); ++size) QVERIFY(!parse(whole.left(size)));
      for (int offset = 0; offset < (name == kImages ? 16 : 8); ++offset)
        for (int bit = 0; bit < 8; ++bit)
          QVERIFY(!parse(patched(whole, offset, char(whole[offset] ^ (1 << bit)))));
    }
  }

  void says_where_it_cannot_write() {
    QTemporaryDir directory;
    QFile blocker(directory.filePath("file"));
    QVERIFY(blocker.open(QIODevice::WriteOnly));
    try {
      write_idx(blocker.fileName().toStdString() + "/set", "train", sample());
      QFAIL("written below a file");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::io);
    }
  }
};

BATCHSCOPE_TEST(TestIdx)
#include "test_idx.moc"
