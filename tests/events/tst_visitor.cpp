#include <QTemporaryDir>
#include <QTest>

#include "engine/events/reader.h"
#include "tests/events/record_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep::events;
using namespace lockstep::tests;
namespace fs = std::filesystem;

namespace {

/// Visited records, as Record.
std::vector<Record> visited(Reader& reader, std::int64_t atMost = 1 << 30) {
  std::vector<Record> records;
  reader.visitAvailable(
      [&](const RecordView& view) {
        Record record;
        record.seq = view.seq;
        record.wallTime = view.wallTime;
        record.step = view.step;
        record.kind = view.kind;
        record.json = view.json;
        for (const ScalarView& scalar : view.scalars) {
          record.scalars.emplace_back(reader.tags()[scalar.tag], scalar.value);
        }
        records.push_back(record);
      },
      atMost);
  return records;
}

bool isSame(const Record& a, const Record& b) {
  return a.seq == b.seq && a.wallTime == b.wallTime && a.step == b.step && a.kind == b.kind &&
         a.scalars == b.scalars && a.json == b.json;
}

}  // namespace

class TstVisitor : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void visitingEqualsNext();
  void visitingStopsAtItsLimitAndContinues();
  void visitingAndNextMayBeMixed();
  void tagsAreNumberedByFirstOccurrence();

 private:
  QTemporaryDir folder_;
  fs::path file_;
};

void TstVisitor::init() {
  file_ = fs::path(folder_.path().toStdString()) / "events.out.tfevents.1";
  std::string bytes = encodeRecord(versionRecord());
  for (int step = 1; step <= 500; ++step) {
    const auto value = static_cast<float>(step);
    bytes += encodeRecord(scalarRecord(step, {{"train/loss_total", value}, {"solver/lr", -value}}));
    if (step % 50 == 0)
      bytes += encodeRecord(scalarRecord(step, {{"eval/loss_total", value}, {"solver/lr", 0.0f}}));
    if (step % 70 == 0) bytes += encodeRecord(eventRecord(step, R"({"type":"log"})"));
  }
  writeBytes(file_, bytes);
}

void TstVisitor::visitingEqualsNext() {
  Reader first(file_), second(file_);
  const auto expected = first.readAvailable();
  const auto got = visited(second);
  QVERIFY(got.size() > 500);
  QVERIFY(std::equal(got.begin(), got.end(), expected.begin(), expected.end(), isSame));
}

void TstVisitor::visitingStopsAtItsLimitAndContinues() {
  Reader reader(file_);
  QCOMPARE(visited(reader, 10).size(), 10u);
  QCOMPARE(reader.nextSeq(), 10);
  const auto rest = visited(reader);
  QCOMPARE(rest.front().seq, 10);
  QCOMPARE(visited(reader).size(), 0u);
}

void TstVisitor::visitingAndNextMayBeMixed() {
  Reader reader(file_);
  QCOMPARE(visited(reader, 1).at(0).seq, 0);
  QCOMPARE(reader.next()->seq, 1);
  QCOMPARE(visited(reader, 1).at(0).seq, 2);
}

void TstVisitor::tagsAreNumberedByFirstOccurrence() {
  Reader reader(file_);
  QVERIFY(reader.tags().empty());
  visited(reader);
  QCOMPARE(reader.tags(),
           (std::vector<std::string>{"train/loss_total", "solver/lr", "eval/loss_total"}));
}

LOCKSTEP_TEST(TstVisitor)
#include "tst_visitor.moc"
