#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_main.h"
#include "tests/widgets_plots/plain_source.h"
#include "widgets/plots/card_legend.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/event_marks.h"

using namespace lockstep;
using widgets::CardLegend;
using widgets::CurveCard;
using widgets::EventMark;

class TstCardLegend : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void namesMoveCloserBeforeOneIsLeftOut() {
    CardLegend legend;
    std::vector<widgets::Curve> curves(2);
    curves[0].name = QStringLiteral("train");
    curves[1].name = QStringLiteral("validation");
    legend.setContent(curves);
    const QStringList both{curves[0].name, curves[1].name};
    const auto shownAt = [&](int width) {
      legend.resize(width, legend.height());
      return legend.shownNames();
    };
    const int wide = legend.sizeHint().width();
    QCOMPARE(shownAt(wide), both);
    QCOMPARE(shownAt(wide - 40), both);
    QCOMPARE(shownAt(wide - 60), QStringList{curves[0].name});
    QVERIFY(shownAt(20).isEmpty());
  }

  void aClickOnANameHidesItsCurve() {
    CurveCard card(QStringLiteral("Loss"));
    show(card, 600);
    auto* legend = card.findChild<CardLegend*>();
    QSignalSpy hidden(&card, &CurveCard::hiddenChanged),
        expanded(&card, &CurveCard::expandRequested);
    const QPoint last(legend->width() - 6, legend->height() / 2);  // "validation"
    QTest::mouseClick(legend, Qt::LeftButton, {}, last);
    QCOMPARE(hidden.size(), 1);
    QCOMPARE(card.hidden(), QStringList{QStringLiteral("validation")});
    QCOMPARE(card.plot()->curves().size(), std::size_t{1});
    QCOMPARE(legend->shownNames().size(), 2);
    QVERIFY(legend->accessibleName().contains(QStringLiteral("validation (hidden)")));
    QTest::mouseClick(legend, Qt::LeftButton, {}, last);
    QCOMPARE(card.plot()->curves().size(), std::size_t{2});
    QCOMPARE(card.plot()->curves().back().gapTo, 0);
    QTest::mouseDClick(legend, Qt::LeftButton, {}, last);
    QCOMPARE(expanded.size(), 0);
  }

  void theGapNeedsBothCurves() {
    CurveCard card(QStringLiteral("Loss"));
    show(card, 600);
    card.setHidden({QStringLiteral("train")});
    QCOMPARE(card.plot()->curves().size(), std::size_t{1});
    QCOMPARE(card.plot()->curves().front().gapTo, -1);
  }

  void allHiddenIsSaid() {
    CurveCard card(QStringLiteral("Loss"));
    show(card, 600);
    card.setHidden({QStringLiteral("train"), QStringLiteral("validation")});
    QStringList texts;
    for (const QLabel* label : card.findChildren<QLabel*>())
      if (label->isVisible()) texts << label->text();
    QVERIFY2(texts.contains(QStringLiteral("Hidden: click a name above to show it")),
             qPrintable(texts.join(QLatin1Char('\n'))));
  }

  void namesWithoutAPlaceAreInAMenu() {
    CurveCard card(QStringLiteral("Loss"));
    show(card, 190);
    auto* legend = card.findChild<CardLegend*>();
    QCOMPARE(legend->shownNames(), QStringList{QStringLiteral("train")});
    QTest::mouseClick(legend, Qt::LeftButton, {}, {legend->width() - 4, legend->height() / 2});
    auto* menu = legend->findChild<QMenu*>();
    QVERIFY(menu && menu->isVisible());
    QAction* other = menu->actions().last();
    QCOMPARE(other->text(), QStringLiteral("validation"));
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(other).center());
    QCOMPARE(card.hidden(), QStringList{QStringLiteral("validation")});
  }

  void keysSwitchAlsoTheKindsOfMarks() {
    CurveCard card(QStringLiteral("Loss"));
    show(card, 600);
    using Kind = EventMark::Kind;
    card.setEventMarks(
        {{3, QStringLiteral("a"), Kind::Alert}, {2, QStringLiteral("c"), Kind::Checkpoint}});
    auto* legend = card.findChild<CardLegend*>();
    legend->setFocus();
    for (int i = 0; i < 2; ++i) QTest::keyClick(legend, Qt::Key_Right);
    QTest::keyClick(legend, Qt::Key_Space);
    QCOMPARE(card.hidden(), QStringList{widgets::markName(Kind::Checkpoint)});
    QTest::keyClick(legend, Qt::Key_Right);
    QTest::keyClick(legend, Qt::Key_Return);
    QCOMPARE(card.hidden().size(), 2);
    QTest::keyClick(legend, Qt::Key_Return);
    QCOMPARE(card.hidden(), QStringList{widgets::markName(Kind::Checkpoint)});
  }

 private:
  static void show(CurveCard& card, int width) {
    std::vector<widgets::Curve> curves(2);
    curves[0].name = QStringLiteral("train");
    curves[1].name = QStringLiteral("validation");
    curves[1].gapTo = 0;
    for (widgets::Curve& curve : curves) {
      auto source = std::make_shared<tests::PlainSource>();
      source->points = {{1, 2}, {5, 3}};
      curve.source = source;
    }
    card.setCurves(curves);
    card.resize(width, 200);
    card.show();
    QTRY_VERIFY(card.plot()->isUpToDate());
  }
};

LOCKSTEP_TEST(TstCardLegend)
#include "tst_card_legend.moc"
