#include <QTest>

#include "engine/supervisor/service.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using protocol::Hello;
using protocol::Reset;

class TstService : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void resetFollowsTheAttempts_data() {
    QTest::addColumn<qlonglong>("since");
    QTest::addColumn<int>("attempt");
    QTest::addColumn<int>("now");
    QTest::addColumn<qlonglong>("resetSeq");  // -1: none
    QTest::newRow("holds nothing") << qlonglong{-1} << 0 << 3 << qlonglong{-1};
    QTest::newRow("same attempt") << qlonglong{500} << 3 << 3 << qlonglong{-1};
    QTest::newRow("one attempt older") << qlonglong{500} << 2 << 3 << qlonglong{300};
    QTest::newRow("two attempts older") << qlonglong{500} << 1 << 3 << qlonglong{100};
    QTest::newRow("an attempt that has not been") << qlonglong{500} << 4 << 3 << qlonglong{0};
    QTest::newRow("attempt not given") << qlonglong{500} << 0 << 3 << qlonglong{-1};
    QTest::newRow("holds what is not in the log") << qlonglong{5000} << 3 << 3 << qlonglong{900};
  }
  void resetFollowsTheAttempts() {
    QFETCH(qlonglong, since);
    QFETCH(int, attempt);
    QFETCH(int, now);
    QFETCH(qlonglong, resetSeq);
    const auto reset = supervisor::resetAfterRestart(Hello{since, attempt}, now, Reset{100, 10},
                                                     Reset{300, 30}, Reset{900, 90});
    QCOMPARE(reset.has_value(), resetSeq >= 0);
    if (!reset) return;
    QCOMPARE(reset->seq, std::int64_t{resetSeq});
    QCOMPARE(reset->step, std::int64_t{resetSeq / 10});
  }
};

LOCKSTEP_TEST(TstService)
#include "tst_service.moc"
