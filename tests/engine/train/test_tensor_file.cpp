// SPDX-License-Identifier: Apache-2.0
//
// Tensor files: what comes back, what the layout looks like to others, and what is refused.
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cstring>
#include <limits>
#include <sstream>

#include "batchscope/protocol/error.h"
#include "batchscope/protocol/json.h"
#include "tensor/tensor_file.h"
#include "test_case.h"

using namespace batchscope;
using namespace batchscope::train;

namespace {

std::string written(const TensorWriter& file) {
  std::ostringstream out;
  file.write(out);
  return std::move(out).str();
}

std::string header_of(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  return bytes.substr(8, length);
}

// Returns the file with another header before the same tensors.
std::string with_header(const std::string& bytes, const std::string& header) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header +
         bytes.substr(8 + header_of(bytes).size());
}

}  // namespace

class TestTensorFile : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void what_was_written_comes_back() {
    const at::Tensor matrix = at::arange(6, at::kFloat).reshape({2, 3});
    TensorWriter file;
    file.add("transposed", matrix.t());  // not contiguous
    file.add("row", matrix[1]);          // a view
    file.add("scalar", at::full({}, 7, at::kLong));
    file.add("nothing", at::empty({0, 4}));
    file.add("half", at::full({3}, 0.5, at::kBFloat16));
    file.add("flags", at::tensor({1, 0, 1}).to(at::kBool));
    file.add_numbers("numbers", {0.1, std::numeric_limits<double>::infinity(), -0.0});
    file.add_text("kind", "SGD");

    std::istringstream in(written(file));
    TensorReader read(in, "it");
    QVERIFY(at::equal(read.tensor("transposed"), matrix.t()));
    QVERIFY(at::equal(read.tensor("row"), matrix[1]));
    QCOMPARE(read.tensor("scalar").dim(), std::int64_t{0});
    QCOMPARE(read.number("scalar"), 7.0);
    QVERIFY(read.tensor("nothing").sizes() == at::IntArrayRef({0, 4}));
    QCOMPARE(read.tensor("half").scalar_type(), at::kBFloat16);
    QVERIFY(at::equal(read.tensor("flags"), at::tensor({1, 0, 1}).to(at::kBool)));
    QVERIFY(read.numbers("numbers") ==
            (std::vector<double>{0.1, std::numeric_limits<double>::infinity(), -0.0}));
    QVERIFY(std::signbit(read.numbers("numbers")[2]));
    QCOMPARE(read.text("kind"), std::string("SGD"));
    QVERIFY(!read.has("other") && read.count("n") == 2);

    at::Tensor columns = at::zeros({3, 2}), other_type = at::zeros({3, 2}, at::kDouble),
               strided = at::zeros({2, 3}).t();
    for (at::Tensor* destination : {&columns, &other_type, &strided}) {
      read.read("transposed", *destination);
      QVERIFY(at::equal(destination->to(at::kFloat), matrix.t()));
    }
  }

  void copies_stay_as_they_were() {
    const at::Tensor tensor = at::zeros({2});
    TensorWriter file;
    file.add("tensor", tensor);
    file.copy();
    const std::string before = written(file);
    tensor.fill_(1);
    QVERIFY(written(file) == before);
  }

  // The layout is described at https://github.com/huggingface/safetensors.
  void the_layout_is_that_of_safetensors() {
    TensorWriter file;
    file.add("b", at::full({2}, 1, at::kFloat));
    file.add("a", at::full({1, 1}, 2, at::kByte));
    file.add_text("format", "pt");
    const std::string bytes = written(file), header = header_of(bytes);
    QCOMPARE(header.size() % 8, std::size_t{0});
    QCOMPARE(header.front(), '{');
    const auto json = protocol::Json::parse(header);
    QVERIFY(json["a"] ==
            protocol::Json::parse(R"({"dtype": "U8", "shape": [1, 1], "data_offsets": [0, 1]})"));
    QVERIFY(json["b"] == protocol::Json::parse(R"({"dtype": "F32", "shape": [2], "data_offsets": [1, 9]})"));
    QVERIFY(json["__metadata__"] == protocol::Json::parse(R"({"format": "pt"})"));
    QCOMPARE(bytes.size(), 8 + header.size() + 9);
    QCOMPARE(bytes[8 + header.size()], '\2');
  }

  void what_is_no_tensor_file_is_refused_data() {
    TensorWriter file;
    file.add("a", at::zeros({2}));
    const std::string good = written(file);
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* name, const std::string& bytes) {
      QTest::newRow(name) << QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size()));
    };
    row("empty", "");
    row("short", good.substr(0, 20));
    row("truncated", good.substr(0, good.size() - 1));
    row("a zip archive", "PK\3\4" + std::string(60, '\0'));
    row("no JSON", with_header(good, "{\"a\": "));
    row("an array", with_header(good, "[1]"));
    row("unknown type",
        with_header(good, R"({"a": {"dtype": "F31", "shape": [2], "data_offsets": [0, 8]}})"));
    row("other shape", with_header(good, R"({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}})"));
    row("negative shape",
        with_header(good, R"({"a": {"dtype": "F32", "shape": [-1, -2], "data_offsets": [0, 8]}})"));
    row("huge shape", with_header(good, R"({"a": {"dtype": "F32", "shape": [4611686018427387904, 4],)"
                                        R"( "data_offsets": [0, 0]}})"));
    row("beyond the end",
        with_header(good, R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}})"));
    row("before the start",
        with_header(good, R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}})"));
  }
  void what_is_no_tensor_file_is_refused() {
    QFETCH(QByteArray, bytes);
    std::istringstream in(bytes.toStdString());
    try {
      TensorReader file(in, "the state 'x'");
      QFAIL("was taken for one");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::corrupt);
      QVERIFY(std::string(error.what()).starts_with("the state 'x' cannot be read: "));
    }
  }

  void a_writer_refuses_what_it_cannot_keep() {
    TensorWriter file;
    file.add("a", at::zeros({1}));
    QVERIFY_EXCEPTION_THROWN(file.add("a", at::zeros({1})), Error);
    QVERIFY_EXCEPTION_THROWN(file.add("b", at::zeros({1}, at::kComplexDouble)), Error);
  }
};

BATCHSCOPE_TEST(TestTensorFile)
#include "test_tensor_file.moc"
