// SPDX-License-Identifier: Apache-2.0
//
// Reads a log for a want of memory, and for a program's last words.
#include <QTemporaryDir>
#include <filesystem>

#include "batchscope/run/log_failure.h"
#include "log/last_words.h"
#include "log/memory_fault.h"
#include "rows.h"
#include "test_case.h"
#include "text_files.h"

using namespace batchscope::run;

class TestMemoryFault : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void allocatorsAreUnderstood_data() {
    const auto row = batchscope::testing::columns<QString, bool>({"text", "memory"});
    row("LibTorch 1.13 on the CPU",
        "c10::Error: [enforce fail at alloc_cpu.cpp:66] . DefaultCPUAllocator: can't allocate memory: you "
        "tried to allocate 144115188075855872 bytes. Error code 12 (Cannot allocate memory)",
        true);
    row("LibTorch 2 on the CPU",
        "DefaultCPUAllocator: not enough memory: you tried to allocate 40000000000 bytes.", true);
    row("CUDA", "c10::OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB", true);
    row("cuBLAS", "c10::Error: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        true);
    row("cuDNN", "c10::CuDNNError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED", true);
    row("another fault of cuBLAS", "c10::Error: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED", false);
    row("C++", "std::bad_alloc: std::bad_alloc", true);
    row("Python", "numpy.core._exceptions.MemoryError: Unable to allocate 7.45 TiB", true);
    row("another", "std::out_of_range: vector::_M_range_check", false);
    row("nothing", "", false);
  }
  void allocatorsAreUnderstood() {
    QFETCH(QString, text);
    QTEST(tells_of_memory(text.toStdString()), "memory");
  }

  void theLastWordsAreTheException_data() {
    const auto row = batchscope::testing::columns<QString, QString>({"log", "words"});
    row("Python",
        "epoch 3\nTraceback (most recent call last):\n  File \"train.py\", line 3, in "
        "<module>\n    import adaptdl\n    ^^^^^^^^^^^^^^\n"
        "pkg_resources.DistributionNotFound: The 'adaptdl' distribution was not found\n",
        "pkg_resources.DistributionNotFound: The 'adaptdl' distribution was not found");
    row("Python, one exception during another",
        "Traceback (most recent call last):\n  File \"a\"\nKeyError: 'x'\n\nDuring handling of the above "
        "exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"b\"\n"
        "ValueError: no x\nwith more lines\nAborted\n",
        "ValueError: no x");
    row("Python, each line with its rank",
        "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"a\"\n[rank1]: KeyError: 'x'\n",
        "KeyError: 'x'");
    row("Python, a slip of the pen",
        "  File \"train.py\", line 1\n    for\n       ^\nSyntaxError: invalid syntax\n",
        "SyntaxError: invalid syntax");
    row("C++",
        "terminate called after throwing an instance of 'std::runtime_error'\n"
        "  what():  the sky is falling\n",
        "std::runtime_error: the sky is falling");
    row("LibTorch",
        "terminate called after throwing an instance of 'c10::Error'\n  what():  no\n"
        "Exception raised from f at g.cpp:1 (most recent call first):\nframe #0: h\n",
        "c10::Error: no");
    row("C++ without a text", "terminate called after throwing an instance of 'int'\n", "int");
    row("neither", "step 1\n  it is over  \r\n\n \n", "it is over");
    row("a traceback that was cut", "Traceback (most recent call last):\n  File \"a\"\n", "File \"a\"");
    row("much", QString(299, 'x') + QStringLiteral("äöü"), QString(299, 'x') + QStringLiteral("…"));
    row("nothing", "\n", "");
  }
  void theLastWordsAreTheException() {
    QFETCH(QString, log);
    QTEST(QString::fromStdString(last_words(log.toStdString())), "words");
  }

  void theTailOfALogIsItsLastLines() {
    const QTemporaryDir folder;
    const std::filesystem::path log = folder.filePath("log").toStdString();
    QCOMPARE(log_tail(log, 3), "");
    const auto tail_of = [&](const std::string& text, int lines) {
      batchscope::testing::write_file(log, text);
      return log_tail(log, lines);
    };
    QCOMPARE(tail_of("one\ntwo\nthree\n", 3), "one\ntwo\nthree");
    QCOMPARE(tail_of("one\ntwo\nthree\n\n", 2), "two\nthree");
    QCOMPARE(tail_of("one\n", 3), "one");
    QCOMPARE(tail_of(std::string("o\0ne \xff\n", 7), 1), "one \xef\xbf\xbd");
    const std::string most((32 << 10) - 1, 'x');
    QCOMPARE(tail_of("first\n" + most + "\n", 5), most);  // with the end of its line
    QCOMPARE(tail_of(std::string(40'000, 'x'), 5).size(), std::size_t{32 << 10});
  }

  void anExceptionOfPythonIsToldFromOtherWords() {
    const std::string traceback = "Traceback (most recent call last):\n  File \"a\"\n";
    QCOMPARE(python_exception("1\n" + traceback + "KeyError: 'x'\n"), "KeyError: 'x'");
    QCOMPARE(python_exception("  File \"a.py\", line 1\n    for\n      ^\nSyntaxError: invalid syntax\n"),
             "SyntaxError: invalid syntax");
    for (const char* log : {"", "it is over\n", "  indented\nit is over\n",
                            "terminate called after throwing an instance of 'int'\n"})
      QCOMPARE(python_exception(log), "");
  }

  void framesOfTheProgramItselfAreFound_data() {
    const auto row = batchscope::testing::columns<QString, QString>({"log", "frames"});
    const QString head = "loading\nTraceback (most recent call last):\n";
    const QString outer = "  File \"/me/train.py\", line 9, in <module>\n    outer()\n",
                  inner = "  File \"/me/model.py\", line 2, in forward\n    return x @ y\n           ~~^~~\n",
                  library =
                      "  File \"/usr/lib/python3/dist-packages/torch/nn/modules/module.py\", line 1194, in "
                      "_call_impl\n    return forward_call(*input, **kwargs)\n",
                  loader = "  File \"<frozen importlib._bootstrap>\", line 1027, in _find_and_load\n";
    row("alone", head + outer + "E: 1\n", outer);
    row("among others", head + outer + library + inner + library + "E: 1\n", outer + inner);
    row("none", head + loader + library + "E: 1\n", loader + library);
    row("of the last traceback",
        head + inner + "E: 1\n\nDuring handling of the above\n\n" + head + outer + "E: 2\n", outer);
    row("with its rank",
        "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"a\"\n[rank1]: E: 1\n",
        "  File \"a\"\n");
    row("an error of syntax", "  File \"a.py\", line 1\n    for\n      ^\nSyntaxError: invalid syntax\n",
        "  File \"a.py\", line 1\n    for\n      ^\n");
    row("too many", head + outer.repeated(9) + inner.repeated(2) + "E: 1\n",
        outer.repeated(7) + inner.repeated(2));
    row("no traceback", "it is over\n", "");
  }
  void framesOfTheProgramItselfAreFound() {
    QFETCH(QString, log);
    QTEST(QString::fromStdString(own_frames(log.toStdString(), 20)), "frames");
  }

  void theAccountOfAFailureIsFound() {
    const std::string before = "step 1\nstep 2\n",
                      traceback = "Traceback (most recent call last):\n  File \"a\"\n";
    QCOMPARE(failure_offset(before + traceback + "KeyError: 'x'\nbye\n"), before.size());
    QCOMPARE(failure_offset(before + "terminate called after throwing an instance of 'int'\nAborted\n"),
             before.size());
    QCOMPARE(failure_offset(before + "Segmentation fault\n\n"), before.size());
    QCOMPARE(failure_offset(before + traceback + "E: 1\n" + traceback + "E: 2\n"),
             before.size() + traceback.size() + 5);
    QCOMPARE(failure_offset(""), std::size_t{0});
  }
};

BATCHSCOPE_TEST(TestMemoryFault)
#include "test_memory_fault.moc"
