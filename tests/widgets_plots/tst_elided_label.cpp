#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/elided_label.h"

using namespace lockstep::widgets;

class TstElidedLabel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aTextThatFitsIsNotElided() {
    ElidedLabel label(QStringLiteral("warm-up 10"), Qt::ElideRight);
    label.resize(label.sizeHint());
    QCOMPARE(label.shownText(), QStringLiteral("warm-up 10"));
  }

  void aTextThatDoesNotFitIsElided() {
    ElidedLabel label(QStringLiteral("warm-up 10"), Qt::ElideRight);
    label.resize(label.sizeHint() - QSize(3, 0));
    QVERIFY(label.shownText().endsWith(QStringLiteral("…")));
    QCOMPARE(label.text(), QStringLiteral("warm-up 10"));
  }

  void itsMinimumWidthIsSmall() {
    const ElidedLabel label(QString(500, QLatin1Char('w')), Qt::ElideMiddle);
    QVERIFY(label.sizeHint().width() > 1000);
    QVERIFY(label.minimumSizeHint().width() < 40);
  }
};

LOCKSTEP_TEST(TstElidedLabel)
#include "tst_elided_label.moc"
