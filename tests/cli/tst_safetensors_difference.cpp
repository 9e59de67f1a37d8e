#include <QTemporaryDir>
#include <QTest>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/cli/safetensors_difference.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using cli::TensorDifference;
using tests::messageOf;

namespace {

struct Tensor {
  std::string name, type = "F32";
  std::vector<std::uint64_t> shape;
  std::string bytes;
};

template <typename Value>
Tensor tensor(const std::string& name, const std::string& type, const std::vector<Value>& values) {
  std::string bytes(values.size() * sizeof(Value), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {name, type, {values.size()}, bytes};
}
Tensor floats(const std::string& name, const std::vector<float>& values) {
  return tensor(name, "F32", values);
}

std::string fileOf(const std::vector<Tensor>& tensors) {
  nlohmann::json header = {{"__metadata__", {{"format", "pt"}}}};
  std::string data;
  for (const Tensor& one : tensors) {
    header[one.name] = {{"dtype", one.type},
                        {"shape", one.shape},
                        {"data_offsets", {data.size(), data.size() + one.bytes.size()}}};
    data += one.bytes;
  }
  const std::string text = header.dump();
  std::uint64_t length = text.size();
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  return file + text + data;
}

}  // namespace

Q_DECLARE_METATYPE(Tensor)

class TstSafetensorsDifference : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  TensorDifference compared(const std::vector<Tensor>& left, const std::vector<Tensor>& right) {
    base::writeFileAtomically(path("a"), fileOf(left));
    base::writeFileAtomically(path("b"), fileOf(right));
    return cli::compareSafetensors(path("a"), path("b"));
  }

 private Q_SLOTS:
  void equalTensorsInAnyOrderAreTheSame() {
    const Tensor one = floats("one", {1, 2}), two = floats("two", {3});
    const TensorDifference found = compared({one, two}, {two, one});
    QCOMPARE(found.tensors, 2U);
    QCOMPARE(found.different, 0U);
  }

  void theFirstByItsBytesAndTheLargestDifferenceAreNamed() {
    const TensorDifference found =
        compared({floats("z", {1, 2, 3}), floats("a", {5}), floats("m", {0})},
                 {floats("z", {1, 2.5, 3.25}), floats("a", {6}), floats("m", {0})});
    QCOMPARE(found.different, 2U);
    QCOMPARE(found.first, std::string("z"));
    QCOMPARE(found.how, std::string("by up to 0.5"));
  }

  void howTheyDiffer_data() {
    QTest::addColumn<Tensor>("left");
    QTest::addColumn<Tensor>("right");
    QTest::addColumn<QString>("how");
    const auto row = [](const char* name, const Tensor& left, const Tensor& right,
                        const char* how) {
      QTest::newRow(name) << left << right << QString::fromUtf8(how);
    };
    row("the sign of zero", floats("t", {0}), floats("t", {-0.F}), "in its bits");
    row("not a number", floats("t", {1, std::nanf("")}), floats("t", {1, 2}), "by up to NaN");
    row("doubles", tensor<double>("t", "F64", {1}), tensor<double>("t", "F64", {1.125}),
        "by up to 0.125");
    row("integers", tensor<std::int64_t>("t", "I64", {1}), tensor<std::int64_t>("t", "I64", {2}),
        "in its bits");
    row("shape", floats("t", {1, 2}), floats("t", {1}), "shape [2] and [1]");
    row("type", floats("t", {1}), tensor<std::int32_t>("t", "I32", {1}), "type F32 and I32");
    row("missing in the second", floats("t", {1}), {}, "is missing in the second");
    row("missing in the first", {}, floats("t", {1}), "is missing in the first");
  }
  void howTheyDiffer() {
    QFETCH(Tensor, left);
    QFETCH(Tensor, right);
    QFETCH(QString, how);
    const auto listOf = [](const Tensor& one) {
      return one.name.empty() ? std::vector<Tensor>() : std::vector{one};
    };
    const TensorDifference found = compared(listOf(left), listOf(right));
    QCOMPARE(found.tensors, 1U);
    QCOMPARE(found.different, 1U);
    QCOMPARE(QString::fromStdString(found.how), how);
  }

  void damagedFilesAreRefused_data() {
    QTest::addColumn<QByteArray>("bytes");
    const std::string whole = fileOf({floats("t", {1, 2})});
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("text") << QByteArray("not a safetensors file at all");
    QTest::newRow("header cut") << QByteArray::fromStdString(whole.substr(0, 40));
    QTest::newRow("data cut") << QByteArray::fromStdString(whole.substr(0, whole.size() - 1));
    Tensor wrong = floats("t", {1, 2});
    wrong.shape = {3};
    QTest::newRow("shape of another size") << QByteArray::fromStdString(fileOf({wrong}));
    wrong.shape = {1ULL << 40, 1ULL << 40};
    QTest::newRow("shape that overflows") << QByteArray::fromStdString(fileOf({wrong}));
  }
  void damagedFilesAreRefused() {
    QFETCH(QByteArray, bytes);
    base::writeFileAtomically(path("a"), fileOf({floats("t", {1, 2})}));
    base::writeFileAtomically(path("b"), bytes.toStdString());
    const std::string message = messageOf([&] { cli::compareSafetensors(path("a"), path("b")); });
    QVERIFY2(message.starts_with(path("b").string() + ": "), message.c_str());
  }
};

LOCKSTEP_TEST(TstSafetensorsDifference)
#include "tst_safetensors_difference.moc"
