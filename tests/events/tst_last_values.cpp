#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <sstream>

#include "engine/base/atomic_file.h"
#include "engine/events/last_values.h"
#include "engine/events/reader.h"
#include "tests/events/record_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::events;
namespace fs = std::filesystem;

class TstLastValues : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Whatever byte the reading begins at.
  void theyAreThoseOfTheWholeRecordsInTheEnd() {
    std::vector<std::string> records{encodeRecord(tests::versionRecord())};
    for (int step = 1; step <= 12; ++step) {
      ScalarValues scalars{{"train/loss", 1.F / static_cast<float>(step)}};
      if (step % 5 == 0) scalars.emplace_back("eval/loss", static_cast<float>(step));
      records.push_back(encodeRecord(tests::scalarRecord(step, scalars)));
    }
    const fs::path file = write(records);
    std::size_t bytes = 0;
    for (const std::string& record : records) bytes += record.size();
    for (std::size_t most = 1; most <= bytes + 10; ++most) {
      LastValues expected;
      std::size_t held = 0;
      for (auto record = records.rbegin(); record != records.rend(); ++record) {
        held += record->size();
        if (held > most) break;
        for (const auto& [tag, value] : valuesOf(*record)) expected.emplace(tag, value);
      }
      QCOMPARE(textOf(readLastValues(file, static_cast<std::int64_t>(most))), textOf(expected));
    }
  }

  void whatAResumeReplacesIsLeftOut() {
    Record resumed;
    resumed.kind = Record::Kind::SessionStart;
    resumed.step = 3;
    const fs::path file = write(
        {encodeRecord(tests::versionRecord()), encodeRecord(tests::scalarRecord(2, {{"a", 2.F}})),
         encodeRecord(tests::scalarRecord(3, {{"b", 3.F}})), encodeRecord(resumed)});
    QCOMPARE(textOf(readLastValues(file, 10000)), std::string("a 2 2\n"));
  }

  void aHalfWrittenRecordIsLeftOut() {
    const std::string last = encodeRecord(tests::scalarRecord(2, {{"a", 2.F}}));
    const fs::path file =
        write({encodeRecord(tests::scalarRecord(1, {{"a", 1.F}})), last.substr(0, 20)});
    QCOMPARE(textOf(readLastValues(file, 10000)), std::string("a 1 1\n"));
  }

 private:
  fs::path write(const std::vector<std::string>& records) const {
    const fs::path file = fs::path(folder_.path().toStdString()) / "events.out.tfevents.1";
    std::string bytes;
    for (const std::string& record : records) bytes += record;
    base::writeFileAtomically(file, bytes);
    return file;
  }
  /// As the reader for whole logs has them.
  LastValues valuesOf(const std::string& record) const {
    const fs::path file = fs::path(folder_.path().toStdString()) / "one";
    base::writeFileAtomically(file, record);
    LastValues values;
    for (const Record& read : Reader(file).readAvailable())
      for (const auto& [tag, value] : read.scalars) values[tag] = {read.step, value};
    return values;
  }
  static std::string textOf(const LastValues& values) {
    std::ostringstream text;
    for (const auto& [tag, last] : values)
      text << tag << ' ' << last.step << ' ' << last.value << '\n';
    return text.str();
  }
  QTemporaryDir folder_;
};

LOCKSTEP_TEST(TstLastValues)
#include "tst_last_values.moc"
