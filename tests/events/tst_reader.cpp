#include <QTemporaryDir>
#include <QTest>
#include <random>

#include "engine/base/error.h"
#include "engine/events/reader.h"
#include "tests/events/record_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::events;
using namespace lockstep::tests;
namespace fs = std::filesystem;

namespace {

std::string fileOf(int steps) {
  std::string bytes = encodeRecord(versionRecord());
  for (int step = 1; step <= steps; ++step) {
    bytes +=
        encodeRecord(scalarRecord(step, {{"train/loss_total", 1.0f / static_cast<float>(step)}}));
  }
  return bytes;
}

}  // namespace

class TstReader : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { file_ = fs::path(folder_.path().toStdString()) / "events.out.tfevents.1"; }
  void cleanup() { fs::remove(file_); }
  void recordsComeInOrderWithTheirNumbers();
  void aGrowingFileIsTailed();
  void aFileThatGrowsByteByByteGivesEveryRecordOnce();
  void aReplacedPartialRecordIsReadAgain();
  void aDamagedRecordIsSkipped();
  void trailingZerosAreLeftForLater();
  void aFileThatIsNoEventLogIsAnError();
  void corruptionInTheMiddleNamesItsOffset();
  void anEmptyFileHasNoRecordYet();
  void aMissingFileIsAnError();
  void aRecordLargerThanTheBufferIsRead();
  void aTruncationIsDetected();
  void theFirstEventFileByNameIsFound();

 private:
  QTemporaryDir folder_;
  fs::path file_;
};

void TstReader::recordsComeInOrderWithTheirNumbers() {
  writeBytes(file_, fileOf(300));
  Reader reader(file_);
  const auto records = reader.readAvailable();
  QCOMPARE(records.size(), 301u);
  QCOMPARE(records[0].kind, Record::Kind::FileVersion);
  for (std::int64_t i = 1; i <= 300; ++i) {
    QCOMPARE(records[i].seq, i);
    QCOMPARE(records[i].step, i);
    QCOMPARE(records[i].scalars[0].second, 1.0f / static_cast<float>(i));
  }
  QCOMPARE(reader.offsetBytes(), static_cast<std::int64_t>(fs::file_size(file_)));
  QCOMPARE(reader.nextSeq(), 301);
  QVERIFY(!reader.next());
}

void TstReader::aGrowingFileIsTailed() {
  writeBytes(file_, fileOf(2));
  Reader reader(file_);
  QCOMPARE(reader.readAvailable().size(), 3u);
  QVERIFY(!reader.next());
  appendBytes(file_, encodeRecord(scalarRecord(3, {{"a", 3.0f}})));
  const auto third = reader.next();
  QVERIFY(third);
  QCOMPARE(third->seq, 3);
  QCOMPARE(third->step, 3);
  QVERIFY(!reader.next());
  appendBytes(file_, encodeRecord(eventRecord(4, "{}")) + encodeRecord(eventRecord(5, "{}")));
  QCOMPARE(reader.readAvailable().size(), 2u);
}

void TstReader::aFileThatGrowsByteByByteGivesEveryRecordOnce() {
  const std::string bytes = fileOf(4);
  writeBytes(file_, "");
  Reader reader(file_);
  std::vector<Record> records;
  for (const char byte : bytes) {
    appendBytes(file_, std::string(1, byte));
    while (auto record = reader.next()) records.push_back(*record);
  }
  QCOMPARE(records.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) QCOMPARE(records[i].seq, static_cast<std::int64_t>(i));
}

void TstReader::aReplacedPartialRecordIsReadAgain() {
  const std::string torn = encodeRecord(eventRecord(9, std::string(500, 'x')));
  const std::string start = fileOf(1);
  for (std::size_t bytes = 1; bytes < torn.size(); bytes += 7) {
    writeBytes(file_, start + torn.substr(0, bytes));
    Reader reader(file_);
    QCOMPARE(reader.readAvailable().size(), 2u);
    fs::resize_file(file_, start.size());
    appendBytes(file_, encodeRecord(scalarRecord(2, {{"a", 5.0f}})));
    const auto record = reader.next();
    QVERIFY(record);
    QCOMPARE(record->step, 2);
    QCOMPARE(record->seq, 2);
  }
}

void TstReader::aDamagedRecordIsSkipped() {
  std::string bytes = fileOf(3);
  const std::size_t version = encodeRecord(versionRecord()).size();
  bytes[version + 14] ^= 4;
  writeBytes(file_, bytes);
  Reader reader(file_);
  const auto records = reader.readAvailable();
  QCOMPARE(records.size(), 3u);
  QCOMPARE(records[1].seq, 2);
  QCOMPARE(reader.nextSeq(), 4);
  QCOMPARE(reader.damagedRecords(), 1);
  QCOMPARE(reader.firstDamagedByte(), static_cast<std::int64_t>(version));
}

void TstReader::trailingZerosAreLeftForLater() {
  const std::string start = fileOf(2);
  writeBytes(file_, start + std::string(3 << 20, '\0'));
  Reader reader(file_);
  QCOMPARE(reader.readAvailable().size(), 3u);
  QCOMPARE(reader.offsetBytes(), static_cast<std::int64_t>(start.size()));
  QVERIFY(!reader.next());
}

void TstReader::aFileThatIsNoEventLogIsAnError() {
  writeBytes(file_, "step,wall_time,tag,value\n1,2,3,4\n");
  Reader reader(file_);
  for (int again = 0; again < 2; ++again) {
    try {
      reader.next();
      QFAIL("accepted");
    } catch (const Error& error) {
      QCOMPARE(QString::fromUtf8(error.what()),
               QString::fromStdString(file_.string() +
                                      ": not an event log: the first record is invalid"));
    }
  }
}

void TstReader::corruptionInTheMiddleNamesItsOffset() {
  std::string bytes = fileOf(1);
  const std::size_t place = bytes.size();
  bytes += std::string(40, 'x') + fileOf(3);
  writeBytes(file_, bytes);
  Reader reader(file_);
  QVERIFY(reader.next());
  QVERIFY(reader.next());
  try {
    reader.next();
    QFAIL("accepted");
  } catch (const Error& error) {
    const std::string wanted = "corrupt at byte " + std::to_string(place) + " (record 2)";
    QVERIFY2(std::string(error.what()).find(wanted) != std::string::npos, error.what());
  }
  QCOMPARE(reader.offsetBytes(), static_cast<std::int64_t>(place));
}

void TstReader::anEmptyFileHasNoRecordYet() {
  writeBytes(file_, "");
  Reader reader(file_);
  QVERIFY(!reader.next());
  QCOMPARE(reader.nextSeq(), 0);
}

void TstReader::aMissingFileIsAnError() { QVERIFY_EXCEPTION_THROWN(Reader(file_ / "no"), Error); }

void TstReader::aRecordLargerThanTheBufferIsRead() {
  std::string text(5 << 20, 'a');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 26);
  writeBytes(file_, fileOf(2) + encodeRecord(eventRecord(3, text)) +
                        encodeRecord(scalarRecord(4, {{"a", 4.0f}})));
  Reader reader(file_);
  const auto records = reader.readAvailable();
  QCOMPARE(records.size(), 5u);
  QVERIFY(records[3].json == text);
  QCOMPARE(records[4].step, 4);
}

void TstReader::aTruncationIsDetected() {
  writeBytes(file_, fileOf(5));
  Reader reader(file_);
  reader.readAvailable();
  QVERIFY(!reader.wasTruncated());
  fs::resize_file(file_, fileOf(2).size());
  QVERIFY(reader.wasTruncated());
  QVERIFY(!reader.next());
}

void TstReader::theFirstEventFileByNameIsFound() {
  const fs::path folder = fs::path(folder_.path().toStdString()) / "run";
  QVERIFY(findEventFile(folder).empty());
  fs::create_directories(folder / "a.tfevents.folder");
  writeBytes(folder / "config.yaml", "");
  QVERIFY(findEventFile(folder).empty());
  writeBytes(folder / "events.out.tfevents.2", "");
  writeBytes(folder / "events.out.tfevents.1", "");
  QCOMPARE(findEventFile(folder), folder / "events.out.tfevents.1");
}

LOCKSTEP_TEST(TstReader)
#include "tst_reader.moc"
