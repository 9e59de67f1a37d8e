#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>

#include "engine/base/error.h"
#include "engine/events/reader.h"
#include "engine/events/writer.h"
#include "tests/events/record_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::events;
using namespace lockstep::tests;
namespace fs = std::filesystem;

namespace {

std::vector<Record> recordsIn(const fs::path& file) { return Reader(file).readAvailable(); }

std::vector<std::int64_t> stepsIn(const fs::path& file) {
  std::vector<std::int64_t> steps;
  for (const Record& record : recordsIn(file)) steps.push_back(record.step);
  return steps;
}

/// Files may not grow beyond `bytes` while it lives: write(2) then fails as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::size_t bytes) {
    previousHandler_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &previous_);
    rlimit limit = previous_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &previous_);
    ::signal(SIGXFSZ, previousHandler_);
  }

 private:
  rlimit previous_{};
  void (*previousHandler_)(int) = nullptr;
};

}  // namespace

class TstWriter : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void aNewFileHasTensorBoardsNameAndAVersionRecord();
  void appendedRecordsAreReadBack();
  void anExistingFileIsContinued();
  void anEmptyFileGetsAVersionRecord();
  void aPartialRecordIsRemovedForEveryLength();
  void truncatingKeepsEverythingUpToItsStep();
  void truncatingTwiceLeavesOneSessionStart();
  void truncatingPastTheEndKeepsEverything();
  void appendingContinuesAfterTruncation();
  void aFullDiskLeavesOnlyCompleteRecords();
  void aFileThatIsNoEventLogIsAnErrorOfTheWriter();
  void aMissingFolderIsAnError();
  void aKilledWriterLeavesCompleteRecords();

 private:
  std::unique_ptr<QTemporaryDir> temporary_;
  fs::path folder_;
};

void TstWriter::init() {
  temporary_ = std::make_unique<QTemporaryDir>();
  folder_ = temporary_->path().toStdString();
}

void TstWriter::aNewFileHasTensorBoardsNameAndAVersionRecord() {
  const Writer writer = Writer::open(folder_);
  const std::string name = writer.path().filename().string();
  QVERIFY(name.starts_with("events.out.tfevents."));
  QVERIFY(name.ends_with(std::string(".") + std::to_string(::getpid())));
  QCOMPARE(writer.nextSeq(), 1);
  const auto records = recordsIn(writer.path());
  QCOMPARE(records.size(), 1u);
  QCOMPARE(records[0].kind, Record::Kind::FileVersion);
  QVERIFY(records[0].wallTime > 1.6e9);
  QVERIFY(bytesOf(writer.path()).find("brain.Event:2") != std::string::npos);
}

void TstWriter::appendedRecordsAreReadBack() {
  Writer writer = Writer::open(folder_);
  QCOMPARE(writer.append(scalarRecord(1, {{"a", 1.5f}})), 1);
  QCOMPARE(writer.append(eventRecord(1, "{\"type\":\"log\"}")), 2);
  writer.sync();
  const auto records = recordsIn(writer.path());
  QCOMPARE(records.size(), 3u);
  QCOMPARE(records[1].scalars, (ScalarValues{{"a", 1.5f}}));
  QCOMPARE(records[2].json, std::string("{\"type\":\"log\"}"));
}

void TstWriter::anExistingFileIsContinued() {
  fs::path path;
  {
    Writer writer = Writer::open(folder_);
    writer.append(scalarRecord(1, {{"a", 1.0f}}));
    path = writer.path();
  }
  Writer writer = Writer::open(folder_);
  QCOMPARE(writer.path(), path);
  QCOMPARE(writer.nextSeq(), 2);
  Writer moved = std::move(writer);
  QCOMPARE(moved.append(scalarRecord(2, {{"a", 2.0f}})), 2);
  QCOMPARE(stepsIn(path), (std::vector<std::int64_t>{0, 1, 2}));
}

void TstWriter::anEmptyFileGetsAVersionRecord() {
  writeBytes(folder_ / "events.out.tfevents.5", "");
  const Writer writer = Writer::open(folder_);
  QCOMPARE(writer.path(), folder_ / "events.out.tfevents.5");
  QCOMPARE(recordsIn(writer.path()).at(0).kind, Record::Kind::FileVersion);
}

void TstWriter::aPartialRecordIsRemovedForEveryLength() {
  const fs::path file = folder_ / "events.out.tfevents.5";
  const std::string whole =
      encodeRecord(versionRecord()) + encodeRecord(scalarRecord(1, {{"a", 1.0f}}));
  const std::string last =
      encodeRecord(scalarRecord(2, {{"train/loss_total", 2.0f}, {"solver/lr", 3.0f}}));
  for (std::size_t bytes = 0; bytes <= last.size(); ++bytes) {
    writeBytes(file, whole + last.substr(0, bytes));
    Writer writer = Writer::open(folder_);
    const bool isWhole = bytes == last.size();
    QCOMPARE(writer.nextSeq(), isWhole ? 3 : 2);
    writer.append(scalarRecord(9, {{"a", 9.0f}}));
    const auto expected =
        isWhole ? std::vector<std::int64_t>{0, 1, 2, 9} : std::vector<std::int64_t>{0, 1, 9};
    QCOMPARE(stepsIn(file), expected);
  }
}

void TstWriter::truncatingKeepsEverythingUpToItsStep() {
  Writer writer = Writer::open(folder_);
  writer.append(eventRecord(0, R"({"type":"state","state":"running"})"));
  for (std::int64_t step = 1; step <= 4; ++step) {
    writer.append(scalarRecord(step, {{"train/loss_total", 1.0f}}));
    writer.append(scalarRecord(step, {{"eval/loss_total", 1.0f}}));
    writer.append(eventRecord(step, R"({"type":"checkpoint"})"));
  }
  QCOMPARE(writer.truncateAfterStep(2), 8);
  QCOMPARE(writer.nextSeq(), 9);
  const auto records = recordsIn(writer.path());
  QCOMPARE(stepsIn(writer.path()), (std::vector<std::int64_t>{0, 0, 1, 1, 1, 2, 2, 2, 3}));
  QCOMPARE(records[7].kind, Record::Kind::Event);
  QCOMPARE(records[8].kind, Record::Kind::SessionStart);
  QCOMPARE(records[8].seq, 8);
}

void TstWriter::truncatingTwiceLeavesOneSessionStart() {
  Writer writer = Writer::open(folder_);
  for (std::int64_t step = 1; step <= 4; ++step) writer.append(scalarRecord(step, {{"a", 1.0f}}));
  writer.truncateAfterStep(2);
  writer.append(eventRecord(2, R"({"type":"state","state":"starting"})"));
  writer.append(scalarRecord(3, {{"a", 1.0f}}));
  writer.truncateAfterStep(2);
  QCOMPARE(stepsIn(writer.path()), (std::vector<std::int64_t>{0, 1, 2, 3}));
  writer.truncateAfterStep(0);
  QCOMPARE(stepsIn(writer.path()), (std::vector<std::int64_t>{0, 1}));
  QCOMPARE(recordsIn(writer.path())[1].kind, Record::Kind::SessionStart);
}

void TstWriter::truncatingPastTheEndKeepsEverything() {
  Writer writer = Writer::open(folder_);
  writer.append(scalarRecord(1, {{"a", 1.0f}}));
  QCOMPARE(writer.truncateAfterStep(100), 2);
  QCOMPARE(stepsIn(writer.path()), (std::vector<std::int64_t>{0, 1, 101}));
}

void TstWriter::appendingContinuesAfterTruncation() {
  {
    Writer writer = Writer::open(folder_);
    for (std::int64_t step = 1; step <= 3; ++step) writer.append(scalarRecord(step, {{"a", 1.0f}}));
  }
  Writer writer = Writer::open(folder_);
  writer.truncateAfterStep(1);
  writer.append(scalarRecord(2, {{"a", 7.0f}}));
  const auto records = recordsIn(writer.path());
  QCOMPARE(records.size(), 4u);
  QCOMPARE(records[3].seq, 3);
  QCOMPARE(records[3].scalars[0].second, 7.0f);
}

void TstWriter::aFullDiskLeavesOnlyCompleteRecords() {
  Writer writer = Writer::open(folder_);
  writer.append(scalarRecord(1, {{"train/loss_total", 1.0f}}));
  const std::size_t bytes = bytesOf(writer.path()).size();
  const Record record = scalarRecord(2, {{"train/loss_total", 2.0f}});
  for (std::size_t room = 0; room < encodeRecord(record).size(); room += 5) {
    const FileSizeLimit limit(bytes + room);
    QVERIFY_EXCEPTION_THROWN(writer.append(record), Error);
    QCOMPARE(bytesOf(writer.path()).size(), bytes);
    QCOMPARE(writer.nextSeq(), 2);
  }
  QCOMPARE(writer.append(record), 2);
  QCOMPARE(stepsIn(writer.path()), (std::vector<std::int64_t>{0, 1, 2}));
}

void TstWriter::aFileThatIsNoEventLogIsAnErrorOfTheWriter() {
  const std::string content = "this is somebody's text file";
  writeBytes(folder_ / "tfevents.txt", content);
  QVERIFY_EXCEPTION_THROWN(Writer::open(folder_), Error);
  QCOMPARE(bytesOf(folder_ / "tfevents.txt"), content);
}

void TstWriter::aMissingFolderIsAnError() {
  try {
    Writer::open(folder_ / "no");
    QFAIL("opened");
  } catch (const Error& error) {
    QVERIFY(QString::fromUtf8(error.what()).contains(QStringLiteral("No such file or directory")));
  }
}

/// A child writes as fast as it can until it is killed: the file must hold whole records only, in
/// order.
void TstWriter::aKilledWriterLeavesCompleteRecords() {
  int started[2];
  QCOMPARE(::pipe(started), 0);
  const pid_t child = ::fork();
  QVERIFY(child >= 0);
  if (child == 0) {
    Writer writer = Writer::open(folder_);
    for (std::int64_t step = 1;; ++step) {
      writer.append(scalarRecord(step, {{"train/loss_total", 1.0f}, {"solver/lr", 2.0f}}));
      if (step == 200 && ::write(started[1], "x", 1) != 1) ::_exit(1);
    }
  }
  char byte = 0;
  QCOMPARE(::read(started[0], &byte, 1), 1);
  QCOMPARE(::kill(child, SIGKILL), 0);
  QCOMPARE(::waitpid(child, nullptr, 0), child);
  ::close(started[0]);
  ::close(started[1]);
  Reader reader(findEventFile(folder_));
  const auto records = reader.readAvailable();
  QVERIFY(records.size() > 200);
  for (std::size_t i = 0; i < records.size(); ++i)
    QCOMPARE(records[i].step, static_cast<std::int64_t>(i));
  Writer writer = Writer::open(folder_);
  QCOMPARE(writer.nextSeq(), static_cast<std::int64_t>(records.size()));
}

LOCKSTEP_TEST(TstWriter)
#include "tst_writer.moc"
