#include <QDateTime>
#include <QTest>
#include <cstdlib>
#include <ctime>

#include "engine/base/clock.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstClock : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { oldZone_ = qgetenv("TZ"); }
  void cleanup() {
    if (oldZone_.isNull()) {
      qunsetenv("TZ");
    } else {
      qputenv("TZ", oldZone_);
    }
    ::tzset();
  }

  void timesAreLocalWithTheirOffset_data() {
    QTest::addColumn<QByteArray>("zone");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("iso");
    QTest::newRow("utc") << QByteArray("UTC0") << "20261121-101500"
                         << "2026-11-21T10:15:00+00:00";
    QTest::newRow("east") << QByteArray("ABC-5:30") << "20261121-154500"
                          << "2026-11-21T15:45:00+05:30";
    QTest::newRow("west") << QByteArray("ABC3") << "20261121-071500"
                          << "2026-11-21T07:15:00-03:00";
  }
  void timesAreLocalWithTheirOffset() {
    QFETCH(QByteArray, zone);
    QFETCH(QString, name);
    QFETCH(QString, iso);
    qputenv("TZ", zone);
    ::tzset();
    const double wallTime = 1795256100.75;  // 2026-11-21 10:15:00.75 UTC
    QCOMPARE(QString::fromStdString(base::timestampForNames(wallTime)), name);
    QCOMPARE(QString::fromStdString(base::timestampIso8601(wallTime)), iso);
  }

  void aClockBefore1970IsNamed() {
    qputenv("TZ", "UTC0");
    ::tzset();
    QCOMPARE(tests::messageOf([] { base::requireClock(-3600); }),
             std::string("this machine's clock is at 1969-12-31T23:00:00+00:00: set it"));
    QCOMPARE(tests::messageOf([] { base::requireClock(); }), std::string());
  }

  void wallTimeIsTheSystemClock() {
    const double before = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000 - 0.002;
    const double now = base::wallTimeSeconds();
    const double after = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000 + 0.002;
    QVERIFY(now >= before && now <= after);
  }

 private:
  QByteArray oldZone_;
};

LOCKSTEP_TEST(TstClock)

#include "tst_clock.moc"
