#include <QSignalSpy>
#include <QTest>

#include "app/runs/open/dismissals.h"
#include "tests/support/test_main.h"

using lockstep::app::Dismissals;

class TstDismissals : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theNewestOfEveryRunIsKept() {
    Dismissals before;
    QSignalSpy changed(&before, &Dismissals::changed);
    before.add(QStringLiteral("/runs/a\tb"), QStringLiteral("1"));
    before.add(QStringLiteral("/runs/c"), QStringLiteral("2"));
    before.add(QStringLiteral("/runs/a\tb"), QStringLiteral("3"));
    QCOMPARE(changed.count(), 3);
    Dismissals after;
    after.restore(before.kept());
    QCOMPARE(after.of(QStringLiteral("/runs/a\tb")), QStringLiteral("3"));
    QCOMPARE(after.of(QStringLiteral("/runs/c")), QStringLiteral("2"));
    QCOMPARE(after.of(QStringLiteral("/runs/d")), QString());
    QCOMPARE(after.kept(), before.kept());
  }

  void otherLinesAreIgnored() {
    Dismissals dismissals;
    dismissals.restore({QString(), QStringLiteral("no tab"), QStringLiteral("\t/runs/a")});
    QVERIFY(dismissals.kept().isEmpty());
  }

  void theirNumberIsBounded() {
    Dismissals dismissals;
    for (int run = 0; run < 2000; ++run)
      dismissals.add(QString::number(run), QStringLiteral("message"));
    QVERIFY(dismissals.kept().size() < 2000);
    QVERIFY(dismissals.of(QStringLiteral("0")).isEmpty());
    QVERIFY(!dismissals.of(QStringLiteral("1999")).isEmpty());
  }
};

LOCKSTEP_TEST(TstDismissals)
#include "tst_dismissals.moc"
