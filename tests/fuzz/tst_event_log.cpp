#include <QTemporaryDir>
#include <QTest>

#include "tests/fuzz/held_event_log.h"
#include "tests/fuzz/held_reading.h"
#include "tests/fuzz/mutants.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::Choices;

class TstEventLog : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    tests::allowFuzzingTime();
    for (const auto& [name, bytes] : tests::fuzzCorpus("event_log")) logs_.push_back(bytes);
  }

  void corpusIsHeld() {
    const std::string faults = tests::faultsOfInputs(held(), tests::fuzzCorpus("event_log"));
    QVERIFY2(faults.empty(), faults.c_str());
  }

  void damagedLogsAreReadOrRefused() {
    const std::string faults = tests::faultsOf(held(), tests::chosenVariants(600));
    QVERIFY2(faults.empty(), faults.c_str());
  }

 private:
  tests::HeldReading held() {
    const std::filesystem::path file =
        folder_.filePath(QStringLiteral("events.out.tfevents.1")).toStdString();
    return {"event log",
            file,
            {},
            [this](Choices& choices) { return tests::damagedEventLog(choices.of(logs_), choices); },
            [file] { tests::holdEventLog(file); }};
  }

  QTemporaryDir folder_;
  std::vector<std::string> logs_;
};

LOCKSTEP_TEST(TstEventLog)
#include "tst_event_log.moc"
