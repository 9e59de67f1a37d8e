#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/checkpoint/safetensors.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using checkpoint::NamedTensors;

namespace {

std::string withLength(const std::string& header, std::uint64_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i));
  return bytes + header;
}

std::string fileBytes(const std::string& header, std::size_t dataBytes) {
  return withLength(header, header.size()) + std::string(dataBytes, '\1');
}

/// The tensors of tests/reference/safetensors_files.py.
NamedTensors everyType() {
  const auto of = [](at::ScalarType type) { return torch::arange(15).to(type).reshape({3, 5}); };
  return {{"i8", of(at::kChar)},
          {"bool", (torch::arange(15) % 2).to(at::kBool).reshape({3, 5})},
          {"f64", of(at::kDouble)},
          {"f32", of(at::kFloat)},
          {"f16", of(at::kHalf)},
          {"bf16", of(at::kBFloat16)},
          {"i64", of(at::kLong)},
          {"i32", of(at::kInt)},
          {"i16", of(at::kShort)},
          {"u8", of(at::kByte)},
          {"scalar", torch::tensor(2.5f)},
          {"empty", torch::zeros({0, 4})}};
}

void compare(const checkpoint::SafetensorsFile& file, const NamedTensors& expected) {
  QCOMPARE(file.tensors.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    const at::Tensor* found = file.find(name);
    QVERIFY2(found, name.c_str());
    QVERIFY2(found->scalar_type() == tensor.scalar_type() && torch::equal(*found, tensor),
             name.c_str());
  }
}

}  // namespace

class TstSafetensors : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  bool runPython(const char* mode, const std::filesystem::path& file, QByteArray& errors) const {
    QProcess process;
    const auto script = tests::sourceFolder() / "tests/reference/safetensors_files.py";
    process.start(tests::python(),
                  {QString::fromStdString(script.string()), QString::fromUtf8(mode),
                   QString::fromStdString(file.string())});
    const bool done = process.waitForFinished(120000);
    errors = process.readAllStandardError();
    return done && process.exitCode() == 0;
  }

 private Q_SLOTS:
  void filesRoundTrip() {
    checkpoint::writeSafetensors(path("a.safetensors"), everyType(),
                                 {{"who", "us"}, {"ü", "\"\n"}});
    const auto file = checkpoint::readSafetensors(path("a.safetensors"));
    compare(file, everyType());
    QVERIFY((file.metadata == checkpoint::Metadata{{"who", "us"}, {"ü", "\"\n"}}));
    QVERIFY(!file.find("no"));
  }

  void tensorsOfOtherStridesAreWrittenContiguously() {
    const at::Tensor base = torch::arange(48, torch::kFloat).reshape({2, 3, 2, 4});
    const at::Tensor lastChannels = base.contiguous(at::MemoryFormat::ChannelsLast);
    checkpoint::writeSafetensors(
        path("b.safetensors"),
        {{"last", lastChannels}, {"cut", base[1][2].t().slice(0, 1)}, {"own", base}});
    compare(checkpoint::readSafetensors(path("b.safetensors")),
            {{"last", base}, {"cut", base[1][2].t().slice(0, 1)}, {"own", base}});
  }

  void theSameInputGivesTheSameAlignedBytes() {
    checkpoint::writeSafetensors(path("c.safetensors"), everyType());
    checkpoint::writeSafetensors(path("d.safetensors"), everyType());
    const std::string bytes = base::readFile(path("c.safetensors"));
    QVERIFY(bytes == base::readFile(path("d.safetensors")));
    QCOMPARE(static_cast<unsigned char>(bytes[0]) % 8, 0);
  }

  void pythonReadsFilesOfLockstep() {
    if (tests::python().isEmpty()) QSKIP("needs Python with safetensors");
    checkpoint::writeSafetensors(path("ours.safetensors"), everyType(), {{"who", "us"}});
    QByteArray errors;
    QVERIFY2(runPython("check", path("ours.safetensors"), errors), errors.constData());
  }

  void filesOfPythonAreRead() {
    if (tests::python().isEmpty()) QSKIP("needs Python with safetensors");
    QByteArray errors;
    QVERIFY2(runPython("write", path("theirs.safetensors"), errors), errors.constData());
    const auto file = checkpoint::readSafetensors(path("theirs.safetensors"));
    compare(file, everyType());
    QVERIFY((file.metadata == checkpoint::Metadata{{"who", "they"}}));
  }

  void hostileFilesAreErrorsOfOneLine_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& bytes, const char* words) {
      QTest::newRow(name) << QByteArray::fromStdString(bytes) << QString::fromUtf8(words);
    };
    const std::string one = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    row("empty", "", "too short");
    row("short", "1234567", "too short");
    row("torch.save", std::string("PK\3\4\0\0\x08\x08\0\0", 10),
        "is a PyTorch file, not a safetensors file; convert it with packaging/convert_weights.py");
    row("torch.save of old", std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9", 9),
        "packaging/convert_weights.py");
    row("header of 2^63 bytes", withLength(one, std::uint64_t{1} << 63), "longer than 100 MB");
    row("header past the end", withLength(one, one.size() + 1), "past the end");
    row("no JSON", fileBytes("{\"a\":", 8), "invalid JSON");
    row("binary", fileBytes(std::string("\xff\0\x01 {", 5), 8), "invalid JSON");
    row("list", fileBytes("[1]", 8), "not a JSON object");
    row("deep",
        fileBytes(R"({"a":)" + std::string(100000, '[') + "1" + std::string(100000, ']') + "}", 8),
        "too deeply");
    row("truncated data", fileBytes(one, 7),
        "'a' extends past the end of the file: the file is truncated");
    row("trailing data", fileBytes(one, 9), "trailing bytes");
    row("unknown type", fileBytes(R"({"a":{"dtype":"F9","shape":[2],"data_offsets":[0,8]}})", 8),
        "type F9");
    row("no type", fileBytes(R"({"a":{"shape":[2],"data_offsets":[0,8]}})", 8), "'dtype'");
    row("no shape", fileBytes(R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", 8), "'shape'");
    row("no offsets", fileBytes(R"({"a":{"dtype":"F32","shape":[2]}})", 8), "'data_offsets'");
    row("three offsets",
        fileBytes(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,9]}})", 8),
        "'data_offsets'");
    row("reversed offsets",
        fileBytes(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8),
        "'data_offsets'");
    row("negative offset",
        fileBytes(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}})", 8),
        "non-negative integers");
    row("negative side", fileBytes(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8),
        "non-negative integers");
    row("fraction", fileBytes(R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", 8),
        "non-negative integers");
    row("shape too small",
        fileBytes(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", 8),
        "does not match");
    row("shape overflows",
        fileBytes(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,2],"data_offsets":[0,0]}})",
                  0),
        "too large");
    row("many dimensions",
        fileBytes(
            R"({"a":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,8],"data_offsets":[0,8]}})",
            8),
        "too many dimensions");
    row("overlap",
        fileBytes(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                  R"("b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
                  12),
        "'b' overlaps");
    row("gap",
        fileBytes(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                  R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
                  12),
        "before 'b'");
    row("duplicate",
        fileBytes(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                  R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                  4),
        "'a' is duplicated");
    std::string many;
    for (int i = 0; i <= 10000; ++i)
      many += (i == 0 ? "{\"" : ",\"") + std::to_string(i) +
              "\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}";
    row("many tensors", fileBytes(many + "}", 0), "the header has over 10000 tensors");
    row("no object", fileBytes(R"({"a":7})", 0), "not described by an object");
    row("metadata list", fileBytes(R"({"__metadata__":[]})", 0), "__metadata__");
    row("metadata number", fileBytes(R"({"__metadata__":{"a":1}})", 0), "'a' is not a string");
  }
  void hostileFilesAreErrorsOfOneLine() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, words);
    base::writeFileAtomically(path("hostile.safetensors"), bytes.toStdString());
    try {
      checkpoint::readSafetensors(path("hostile.safetensors"));
      QFAIL("was accepted");
    } catch (const Error& error) {
      const QString text = QString::fromUtf8(error.what());
      QVERIFY2(text.contains(words), qPrintable(text));
      QVERIFY2(text.contains(QStringLiteral("hostile.safetensors: ")), qPrintable(text));
      QVERIFY(!text.contains(QLatin1Char('\n')));
    }
  }

  void aHeaderWithoutAlignmentIsRead() {
    const std::string header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[1,5]},)"
                               R"("b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
    std::string bytes = withLength(header, header.size()) + "\7";
    const float value = 1.5f;
    bytes.append(reinterpret_cast<const char*>(&value), 4);
    base::writeFileAtomically(path("odd.safetensors"), bytes);
    compare(checkpoint::readSafetensors(path("odd.safetensors")),
            {{"a", torch::full({1}, 1.5f)}, {"b", torch::full({1}, 7, torch::kByte)}});
  }

  void writeErrorsNameTheFile() {
    const at::Tensor tensor = torch::ones({2});
    const auto messageOf = [](const std::filesystem::path& file,
                              const NamedTensors& tensors) -> QString {
      try {
        checkpoint::writeSafetensors(file, tensors);
      } catch (const Error& error) {
        return QString::fromUtf8(error.what());
      }
      return {};
    };
    QVERIFY(messageOf(path("no/a.safetensors"), {{"a", tensor}})
                .contains(QStringLiteral("No such file")));
    QVERIFY(messageOf(path("t.safetensors"), {{"a", tensor}, {"a", tensor}})
                .contains(QStringLiteral("'a' is duplicated")));
    QVERIFY(messageOf("/dev/full", {{"a", tensor}}).contains(QStringLiteral("is a device")));
    QVERIFY(messageOf(path("t.safetensors"), {{"c", tensor.to(at::kComplexFloat)}})
                .contains(QStringLiteral("'c'")));
  }
};

LOCKSTEP_TEST(TstSafetensors)
#include "tst_safetensors.moc"
