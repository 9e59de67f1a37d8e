#include <QTemporaryDir>
#include <QTest>

#include "tests/fuzz/check_event_log.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/reading_check.h"
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

  void theCorpusPasses() {
    const std::string failures = tests::failuresOfInputs(check(), tests::fuzzCorpus("event_log"));
    QVERIFY2(failures.empty(), failures.c_str());
  }

  void damagedLogsAreReadOrAreErrors() {
    const std::string failures = tests::failuresOf(check(), tests::chosenVariants(600));
    QVERIFY2(failures.empty(), failures.c_str());
  }

 private:
  tests::ReadingCheck check() {
    const std::filesystem::path file =
        folder_.filePath(QStringLiteral("events.out.tfevents.1")).toStdString();
    return {"event log",
            file,
            {},
            [this](Choices& choices) { return tests::damagedEventLog(choices.of(logs_), choices); },
            [file] { tests::checkEventLog(file); }};
  }

  QTemporaryDir folder_;
  std::vector<std::string> logs_;
};

LOCKSTEP_TEST(TstEventLog)
#include "tst_event_log.moc"
