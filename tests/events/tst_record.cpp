#include <sys/mman.h>
#include <unistd.h>

#include <QTest>
#include <cmath>
#include <cstring>
#include <limits>
#include <protozero/pbf_writer.hpp>
#include <random>

#include "engine/base/error.h"
#include "engine/events/event_message.h"
#include "engine/events/reader.h"
#include "engine/events/record.h"
#include "engine/events/record_frame.h"
#include "tests/events/record_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::events;
using namespace lockstep::tests;
using protozero::pbf_writer;

namespace {

std::string fromHex(const char* hex) { return QByteArray::fromHex(hex).toStdString(); }

/// Appends what a reader finds in a file of these bytes, and says how far it came.
std::size_t readRecords(const std::string& bytes, std::vector<Record>& records) {
  const int fd = ::memfd_create("events", MFD_CLOEXEC);
  const auto size = static_cast<ssize_t>(bytes.size());
  if (fd < 0 || ::write(fd, bytes.data(), bytes.size()) != size) throw Error("memfd");
  Reader reader("/proc/self/fd/" + std::to_string(fd));
  ::close(fd);
  while (auto record = reader.next()) records.push_back(*std::move(record));
  return static_cast<std::size_t>(reader.offsetBytes());
}

/// Takes apart bytes that end where their memory ends: the sanitizers' build sees a step beyond.
void takeApart(const std::vector<char>& exact) {
  EventMessage message;
  for (std::size_t offset = 0;;) {
    const Frame frame = readFrame({exact.data() + offset, exact.size() - offset});
    if (frame.status == Frame::Status::Partial || frame.status == Frame::Status::Broken) return;
    if (frame.status == Frame::Status::Whole) parseEvent(frame.data, message);
    offset += frame.bytes;
  }
}

std::vector<Record> decoded(const std::string& bytes) {
  std::vector<Record> records;
  const std::size_t consumed = readRecords(bytes, records);
  if (consumed != bytes.size()) throw Error("not all of it was consumed");
  return records;
}

/// A record that holds one Summary.Value with this field beside its tag.
std::string recordWithValue(const std::string& tag, std::uint32_t field,
                            const std::string& content) {
  std::string value, summary, event;
  pbf_writer fields(value);
  fields.add_bytes(1, tag);
  fields.add_bytes(field, content);
  pbf_writer(summary).add_bytes(1, value);
  pbf_writer(event).add_uint64(2, 7);
  pbf_writer(event).add_bytes(5, summary);
  return frameOf(event);
}

std::string tensorOf(std::uint64_t type, std::uint32_t field, const std::string& content,
                     const std::string& shape = {}) {
  std::string tensor;
  pbf_writer fields(tensor);
  fields.add_uint64(1, type);
  fields.add_bytes(2, shape);
  fields.add_bytes(field, content);
  return tensor;
}

template <typename Real>
std::string littleEndian(Real number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

const char* const kScalarRecord =
    "200000000000000029eda95009000000000048934010072a130a110a0a6c6f73732f746f74616c150000403fe628e2"
    "d1";
const char* const kTensorRecord =
    "36000000000000004f578cef09000000000048934010072a290a270a0a6c6f73732f746f74616c420a080112002a04"
    "0000"
    "403f4a0d0a090a077363616c6172732001b4968abf";

}  // namespace

class TstRecord : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aScalarRecordIsTheKnownBytes();
  void theKnownBytesDecode_data();
  void theKnownBytesDecode();
  void everyKindRoundTrips();
  void everyFloatRoundTripsToTheBit();
  void scalarTensorsOfOtherWritersAreRead();
  void scalarTensorsOfEveryNumberTypeAreRead_data();
  void scalarTensorsOfEveryNumberTypeAreRead();
  void tensorsThatAreNotScalarsAreIgnored();
  void textsOfOtherTagsAreNoEvents();
  void recordsForTensorBoardHoldNothingForUs();
  void severalValuesInOneRecordAreKeptInOrder();
  void unknownFieldsAreSkipped();
  void aWrongDataChecksumSkipsTheRecordAndItsNumber();
  void aRecordThatIsNoEventIsSkipped();
  void aRecordWithANanTimeIsSkipped();
  void aWrongLengthChecksumIsAnError();
  void aHostileLengthIsAnErrorOrIncomplete();
  void everyTruncationOfARecordIsLeftForLater();
  void mutatedBytesDecodeOrAreErrors();
};

void TstRecord::aScalarRecordIsTheKnownBytes() {
  const Record record = scalarRecord(7, {{"loss/total", 0.75f}}, 1234.0);
  QCOMPARE(QByteArray::fromStdString(encodeRecord(record)).toHex(), QByteArray(kScalarRecord));
}

void TstRecord::theKnownBytesDecode_data() {
  QTest::addColumn<QByteArray>("hex");
  QTest::newRow("simple value") << QByteArray(kScalarRecord);
  QTest::newRow("float tensor with metadata") << QByteArray(kTensorRecord);
}

void TstRecord::theKnownBytesDecode() {
  QFETCH(QByteArray, hex);
  const auto records = decoded(fromHex(hex.constData()));
  QCOMPARE(records.size(), 1u);
  QCOMPARE(records[0].kind, Record::Kind::Scalars);
  QCOMPARE(records[0].wallTime, 1234.0);
  QCOMPARE(records[0].step, 7);
  QCOMPARE(records[0].scalars, (ScalarValues{{"loss/total", 0.75f}}));
}

void TstRecord::everyKindRoundTrips() {
  Record start;
  start.kind = Record::Kind::SessionStart;
  start.step = 201;
  start.wallTime = 5.5;
  std::string bytes = encodeRecord(versionRecord());
  bytes += encodeRecord(scalarRecord(1, {{"a", 1.5f}, {"b", -2.0f}}, 3.25));
  bytes += encodeRecord(eventRecord(-3, R"({"type":"log","text":"ä"})", 4.5));
  bytes += encodeRecord(start);
  bytes += encodeRecord(scalarRecord(std::numeric_limits<std::int64_t>::max(), {}));
  const auto records = decoded(bytes);
  QCOMPARE(records.size(), 5u);
  QCOMPARE(records[0].kind, Record::Kind::FileVersion);
  QCOMPARE(records[0].wallTime, 999.0);
  QCOMPARE(records[1].scalars, (ScalarValues{{"a", 1.5f}, {"b", -2.0f}}));
  QCOMPARE(records[1].seq, 1);
  QCOMPARE(records[2].kind, Record::Kind::Event);
  QCOMPARE(records[2].json, std::string(R"({"type":"log","text":"ä"})"));
  QCOMPARE(records[2].step, -3);
  QCOMPARE(records[2].wallTime, 4.5);
  QCOMPARE(records[3].kind, Record::Kind::SessionStart);
  QCOMPARE(records[3].step, 201);
  QCOMPARE(records[4].step, std::numeric_limits<std::int64_t>::max());
  QCOMPARE(records[4].seq, 4);
}

void TstRecord::everyFloatRoundTripsToTheBit() {
  std::mt19937 random(1);
  ScalarValues values;
  for (int i = 0; i < 2000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    float number = 0;
    std::memcpy(&number, &bits, sizeof number);
    values.emplace_back("t", number);
  }
  values.emplace_back("t", std::nanf(""));
  values.emplace_back("t", -std::numeric_limits<float>::infinity());
  const auto records = decoded(encodeRecord(scalarRecord(1, values)));
  QCOMPARE(records[0].scalars.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    QCOMPARE(std::memcmp(&records[0].scalars[i].second, &values[i].second, sizeof(float)), 0);
  }
}

void TstRecord::scalarTensorsOfOtherWritersAreRead() {
  const std::vector<std::string> tensors = {
      tensorOf(1, 5, littleEndian(0.25f)),  // float_val, packed
      tensorOf(1, 4, littleEndian(0.25f)),  // tensor_content
      tensorOf(2, 6, littleEndian(0.25)),   // double_val
      tensorOf(2, 4, littleEndian(0.25))};  // tensor_content of a double
  for (const std::string& tensor : tensors) {
    const auto records = decoded(recordWithValue("x", 8, tensor));
    QCOMPARE(records.at(0).scalars, (ScalarValues{{"x", 0.25f}}));
  }
  std::string unpacked;
  pbf_writer fields(unpacked);
  fields.add_uint64(1, 1);
  fields.add_float(5, 0.25f);
  QCOMPARE(decoded(recordWithValue("x", 8, unpacked)).at(0).scalars, (ScalarValues{{"x", 0.25f}}));
}

/// Types and fields are those of types.proto and tensor.proto.
void TstRecord::scalarTensorsOfEveryNumberTypeAreRead_data() {
  QTest::addColumn<QByteArray>("tensor");
  QTest::addColumn<float>("number");
  const auto row = [](const char* name, const std::string& tensor, float number) {
    QTest::newRow(name) << QByteArray::fromStdString(tensor) << number;
  };
  const std::string minusSeven = "\xf9\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  row("int64_val", tensorOf(9, 10, minusSeven), -7);
  row("int64 content", tensorOf(9, 4, littleEndian(std::int64_t{-7})), -7);
  row("int32", tensorOf(3, 7, minusSeven), -7);
  row("int32 content", tensorOf(3, 4, littleEndian(-7)), -7);
  row("int16", tensorOf(5, 7, minusSeven), -7);
  row("int8 content", tensorOf(6, 4, "\xf9"), -7);
  row("uint8", tensorOf(4, 7, "\xc8\x01"), 200);
  row("uint16", tensorOf(17, 7, "\xc8\x01"), 200);
  row("uint32", tensorOf(22, 16, "\xc8\x01"), 200);
  row("uint64", tensorOf(23, 17, "\xc8\x01"), 200);
  row("bool", tensorOf(10, 11, "\x01"), 1);
  row("half", tensorOf(19, 13, "\x80\x68"), .25F);  // 0x3400
  row("half content", tensorOf(19, 4, littleEndian(std::uint16_t{0xc500})), -5);
  row("smallest half", tensorOf(19, 13, "\x01"), 0x1p-24F);
  row("largest half", tensorOf(19, 4, littleEndian(std::uint16_t{0x7bff})), 65504);
  row("infinite half", tensorOf(19, 4, littleEndian(std::uint16_t{0xfc00})), -INFINITY);
  row("bfloat16", tensorOf(14, 4, littleEndian(std::uint16_t{0xbe80})), -.25F);
  std::string dimension, shape, unpacked;
  pbf_writer(dimension).add_uint64(1, 1);
  pbf_writer(shape).add_bytes(2, dimension);
  row("one element", tensorOf(1, 4, littleEndian(.25F), shape), .25F);
  pbf_writer fields(unpacked);
  fields.add_uint64(1, 9);
  fields.add_int64(10, -7);
  row("unpacked", unpacked, -7);
}
void TstRecord::scalarTensorsOfEveryNumberTypeAreRead() {
  QFETCH(QByteArray, tensor);
  QFETCH(float, number);
  const auto records = decoded(recordWithValue("x", 8, tensor.toStdString()));
  QCOMPARE(records.at(0).scalars, (ScalarValues{{"x", number}}));
}

void TstRecord::tensorsThatAreNotScalarsAreIgnored() {
  std::string dimension, shape, unknownRank;
  pbf_writer(dimension).add_uint64(1, 2);
  pbf_writer(shape).add_bytes(2, dimension);
  pbf_writer(unknownRank).add_uint64(3, 1);
  const std::vector<std::string> tensors = {
      tensorOf(1, 4, littleEndian(0.25f) + littleEndian(0.5f), shape),
      tensorOf(1, 4, littleEndian(0.25f), unknownRank),
      tensorOf(1, 4, "abc"),               // too short
      tensorOf(1, 6, littleEndian(0.25)),  // a double's field
      tensorOf(8, 4, littleEndian(0.25)),  // complex64
      tensorOf(1, 4, ""),
      "\xff",
      ""};
  for (const std::string& tensor : tensors) {
    const auto records = decoded(recordWithValue("x", 8, tensor));
    QCOMPARE(records.size(), 1u);
    QCOMPARE(records[0].kind, Record::Kind::Other);
    QVERIFY(records[0].scalars.empty());
  }
}

void TstRecord::textsOfOtherTagsAreNoEvents() {
  const std::string text = tensorOf(7, 8, "{}");
  QCOMPARE(decoded(recordWithValue("notes/text_summary", 8, text)).at(0).kind, Record::Kind::Other);
  QCOMPARE(decoded(recordWithValue(kEventTag, 8, text)).at(0).kind, Record::Kind::Event);
  QCOMPARE(decoded(recordWithValue(kEventTag, 8, text)).at(0).json, std::string("{}"));
}

void TstRecord::recordsForTensorBoardHoldNothingForUs() {
  const std::string picture = encodeRecord(recordOf(pictureSummary(7, 4, 2.5)));
  QVERIFY(picture.find("eval/predictions/7") != std::string::npos);
  const auto records =
      decoded(picture + encodeRecord(hyperParametersRecord(sampleParameters(), {"a"}, 4, 2.5)) +
              encodeRecord(sessionEndRecord(SessionStatus::Success, 5, 2.5)) +
              encodeRecord(scalarRecord(6, {{"a", 1.0f}})));
  QCOMPARE(records.size(), 4u);
  QCOMPARE(records[0].kind, Record::Kind::Other);
  QCOMPARE(records[1].kind, Record::Kind::HyperParameters);
  QCOMPARE(records[2].kind, Record::Kind::HyperParameters);
  for (std::size_t i = 0; i < 3; ++i) {
    QCOMPARE(records[i].step, i < 2 ? 4 : 5);
    QCOMPARE(records[i].wallTime, 2.5);
    QVERIFY(records[i].scalars.empty() && records[i].json.empty() && records[i].summary.empty());
  }
  QCOMPARE(records[3].scalars, (ScalarValues{{"a", 1.0f}}));
  QCOMPARE(records[3].seq, 3);
}

void TstRecord::severalValuesInOneRecordAreKeptInOrder() {
  const ScalarValues values = {{"z", 1.0f}, {"a", 2.0f}, {"z", 3.0f}};
  QCOMPARE(decoded(encodeRecord(scalarRecord(1, values))).at(0).scalars, values);
}

void TstRecord::unknownFieldsAreSkipped() {
  std::string event;
  pbf_writer fields(event);
  fields.add_uint64(99, 1ULL << 63);
  fields.add_double(1, 2.5);
  fields.add_bytes(100, "whatever");
  fields.add_float(101, 1.0f);
  fields.add_bytes(2, "a step of another type");
  fields.add_uint64(2, 9);
  const auto records = decoded(frameOf(event));
  QCOMPARE(records.at(0).wallTime, 2.5);
  QCOMPARE(records.at(0).step, 9);
}

void TstRecord::aWrongDataChecksumSkipsTheRecordAndItsNumber() {
  std::string first = encodeRecord(scalarRecord(1, {{"a", 1.0f}}));
  first[15] ^= 1;
  const auto records = decoded(first + encodeRecord(scalarRecord(2, {{"a", 2.0f}})));
  QCOMPARE(records.size(), 1u);
  QCOMPARE(records[0].seq, 1);
  QCOMPARE(records[0].step, 2);
}

void TstRecord::aRecordThatIsNoEventIsSkipped() {
  const std::string good = encodeRecord(scalarRecord(2, {{"a", 2.0f}}));
  for (const char* data :
       {"\x0b", "\x09\x01", "\x2a\xff", "\x90\x80\x80\x80\x10\x01", "\x2a\x80\x80\x80\x80\x10",
        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"}) {
    const auto records = decoded(frameOf(data) + good);
    QCOMPARE(records.size(), 1u);
    QCOMPARE(records[0].seq, 1);
  }
}

void TstRecord::aRecordWithANanTimeIsSkipped() {
  QVERIFY(decoded(encodeRecord(scalarRecord(1, {{"a", 1.0f}}, std::nan("")))).empty());
}

void TstRecord::aWrongLengthChecksumIsAnError() {
  std::string bytes = encodeRecord(versionRecord()) + encodeRecord(scalarRecord(1, {{"a", 1.0f}}));
  const std::size_t second = encodeRecord(versionRecord()).size();
  bytes[second + 9] ^= 1;
  std::vector<Record> records;
  try {
    readRecords(bytes, records);
    QFAIL("accepted");
  } catch (const Error& error) {
    QVERIFY2(std::string(error.what()).find("corrupt at byte " + std::to_string(second)) !=
                 std::string::npos,
             error.what());
  }
  QCOMPARE(records.size(), 1u);
}

void TstRecord::aHostileLengthIsAnErrorOrIncomplete() {
  // A whole, right header that promises 2^62 bytes; then one that promises 2^30.
  const std::string frame = frameOf(std::string(100, 'x'));
  std::vector<Record> records;
  QCOMPARE(readRecords(frame.substr(0, 20), records), 0u);
  const std::string huge = fromHex("0000000000000040") + std::string(4, '\0');
  QVERIFY_EXCEPTION_THROWN(readRecords(huge, records), Error);
  QVERIFY(records.empty());
}

void TstRecord::everyTruncationOfARecordIsLeftForLater() {
  const std::string bytes =
      encodeRecord(scalarRecord(1, {{"a", 1.0f}})) + encodeRecord(eventRecord(2, "{}"));
  const std::size_t first = encodeRecord(scalarRecord(1, {{"a", 1.0f}})).size();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::vector<Record> records;
    QCOMPARE(readRecords(bytes.substr(0, size), records), size < first ? 0u : first);
    QCOMPARE(records.size(), size < first ? 0u : 1u);
  }
}

/// Whatever comes, decoding returns or throws Error, and reads nothing outside (the sanitizers'
/// build sees to that).
void TstRecord::mutatedBytesDecodeOrAreErrors() {
  std::string seed = encodeRecord(versionRecord()) + fromHex(kTensorRecord) +
                     encodeRecord(scalarRecord(3, {{"train/loss_total", 1.5f}, {"b", 2.0f}})) +
                     encodeRecord(eventRecord(4, R"({"type":"state"})"));
  std::mt19937 random(17);
  int refused = 0, accepted = 0;
  for (int trial = 0; trial < 8000; ++trial) {
    std::string bytes = seed;
    for (unsigned change = 0; change < 1 + random() % 3; ++change) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 3) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
          break;
        default:
          bytes.resize(at + 1);
      }
    }
    // Half of them with right checksums, so that the message inside is what is wrong.
    if (trial % 2 == 0)
      bytes = frameOf(bytes.substr(std::min<std::size_t>(12, bytes.size()))) + frameOf(bytes);
    takeApart({bytes.begin(), bytes.end()});
    std::vector<Record> records;
    try {
      QVERIFY(readRecords(bytes, records) <= bytes.size());
      ++accepted;
    } catch (const Error&) {
      ++refused;
    }
  }
  QVERIFY(refused > 100 && accepted > 1000);
}

LOCKSTEP_TEST(TstRecord)
#include "tst_record.moc"
