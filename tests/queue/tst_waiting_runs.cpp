#include <QTest>
#include <algorithm>
#include <random>

#include "engine/queue/waiting_runs.h"
#include "tests/support/test_main.h"

using namespace lockstep::queue;

namespace {

WaitingRun runOf(const char* name, std::vector<std::string> devices = {"cpu"}, double created = 0) {
  return {name, std::move(devices), created, 1};
}

std::string namesOf(const std::vector<WaitingRun>& waiting) {
  std::string names;
  for (const WaitingRun& run : waiting) names += run.run;
  return names;
}

std::vector<WaitingRun> runsOf(const std::string& names) {
  std::vector<WaitingRun> waiting;
  for (const char name : names) waiting.push_back(runOf(std::string(1, name).c_str()));
  return waiting;
}

}  // namespace

class TstWaitingRuns : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRunEntersByPositionThenCreationThenFolder() {
    std::vector<WaitingRun> waiting;
    const auto enter = [&](const WaitingRun& run, int position) {
      const std::size_t place = placeOf(waiting, run, position);
      waiting.insert(waiting.begin() + static_cast<std::ptrdiff_t>(place), run);
      return namesOf(waiting);
    };
    QCOMPARE(enter(runOf("b", {}, 20), 1), std::string("b"));
    QCOMPARE(enter(runOf("c", {}, 30), 2), std::string("bc"));
    QCOMPARE(enter(runOf("a", {}, 10), 1), std::string("abc"));   // created before b
    QCOMPARE(enter(runOf("d", {}, 40), 3), std::string("abcd"));  // c has 3 now and is older
    QCOMPARE(enter(runOf("z", {}, 20), 2), std::string("abzcd"));
    QCOMPARE(enter(runOf("y", {}, 0), 99), std::string("abzcdy"));
  }

  void runsThatEnterInTheirOrderKeepIt() {
    for (const std::string names : {"abc", "bca", "cab"}) {
      std::vector<WaitingRun> waiting;
      for (std::size_t i = 0; i < names.size(); ++i) {
        WaitingRun run = runOf(names.substr(i, 1).c_str(), {}, names[i]);
        const std::size_t place = placeOf(waiting, run, static_cast<int>(i) + 1);
        waiting.insert(waiting.begin() + static_cast<std::ptrdiff_t>(place), std::move(run));
      }
      QCOMPARE(namesOf(waiting), names);
    }
  }

  void movingShiftsTheOthers_data() {
    QTest::addColumn<int>("from");
    QTest::addColumn<int>("position");
    QTest::addColumn<QString>("order");
    QTest::newRow("to the front") << 3 << 1 << "dabc";
    QTest::newRow("to the end") << 0 << 4 << "bcda";
    QTest::newRow("up by one") << 2 << 2 << "acbd";
    QTest::newRow("down by one") << 1 << 3 << "acbd";
    QTest::newRow("where it is") << 1 << 2 << "abcd";
    QTest::newRow("beyond the end") << 1 << 2147483647 << "acdb";
    QTest::newRow("before the first") << 1 << -5 << "bacd";
  }
  void movingShiftsTheOthers() {
    QFETCH(int, from);
    QFETCH(int, position);
    QFETCH(QString, order);
    auto waiting = runsOf("abcd");
    moveTo(waiting, static_cast<std::size_t>(from), position);
    QCOMPARE(QString::fromStdString(namesOf(waiting)), order);
  }

  void anyMovesLeaveAPermutation() {
    std::mt19937 random(7);
    auto waiting = runsOf("abcdefgh");
    for (int turn = 0; turn < 2000; ++turn) {
      const std::size_t from = random() % waiting.size();
      const int position = static_cast<int>(random() % 10);
      const std::string moved = waiting[from].run;
      moveTo(waiting, from, position);
      const auto place = static_cast<std::size_t>(std::clamp(position, 1, 8)) - 1;
      QCOMPARE(waiting[place].run, moved);
      std::string names = namesOf(waiting);
      std::ranges::sort(names);
      QCOMPARE(names, std::string("abcdefgh"));
    }
  }

  void onlyRunsForTheSameDevicesHoldARunUp() {
    const std::vector<WaitingRun> waiting{runOf("a", {"gpu0"}), runOf("b", {"gpu1"}),
                                          runOf("c", {"gpu0", "gpu1"}), runOf("d", {"gpu1"}),
                                          runOf("e", {"cpu"})};
    QVERIFY(!isHeldUp(waiting, 0));
    QVERIFY(!isHeldUp(waiting, 1));
    QVERIFY(isHeldUp(waiting, 2));
    QVERIFY2(isHeldUp(waiting, 3), "behind c as well, which else would never get both");
    QVERIFY(!isHeldUp(waiting, 4));
  }
};

LOCKSTEP_TEST(TstWaitingRuns)
#include "tst_waiting_runs.moc"
