#include <QTest>

#include "engine/events/tags.h"
#include "tests/support/test_main.h"

using namespace lockstep;
namespace tags = events::tags;

class TstTags : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tagsHaveTheirPrefixes() {
    QCOMPARE(tags::train("loss_total"), std::string(tags::kTrainTotalLoss));
    QCOMPARE(tags::eval("loss_total"), std::string(tags::kEvalTotalLoss));
    QCOMPARE(tags::eval("segm/AP"), std::string(tags::kMaskAp));
    QVERIFY(tags::nameIn(tags::kMaskAp) == "segm/AP");
    QVERIFY(tags::nameIn("plain") == "plain");
    QCOMPARE(tags::evalPredictions(42), std::string("eval/predictions/42"));
  }

  void lossesAreRecognisedByTheirTags() {
    QVERIFY(tags::isTrainLoss("train/loss_mask") && !tags::isTrainLoss("eval/loss_mask"));
    QVERIFY(tags::isEvalLoss("eval/loss_mask") && !tags::isEvalLoss("eval/segm/AP"));
  }

  void tagsOfHyperParametersAreRecognised() {
    for (const char* tag :
         {tags::kHyperParameterNames, tags::kHyperParameterValues, tags::kHyperParameterEnd})
      QVERIFY2(tags::isHyperParameters(tag), tag);
    QVERIFY(!tags::isHyperParameters(tags::kMaskAp) && !tags::isHyperParameters(""));
  }

  void numbersReplaceTheN() {
    QCOMPARE(tags::numbered(tags::kRankOwnSeconds, 12), std::string("time/rank12/own_seconds"));
    QCOMPARE(tags::numbered(tags::kGpuPower, 0), std::string("system/gpu0/power_watts"));
    QCOMPARE(tags::numbered(tags::kCpuPercent, 3), std::string(tags::kCpuPercent));
    QVERIFY(tags::isNumbered(tags::kGpuPower) && !tags::isNumbered(tags::kCpuPercent));
  }

  void numbersAreReadBack_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("number");  // -1: none
    QTest::newRow("one digit") << QStringLiteral("time/rank2/own_seconds") << 2;
    QTest::newRow("two digits") << QStringLiteral("time/rank12/own_seconds") << 12;
    QTest::newRow("another figure") << QStringLiteral("time/rank2/data_seconds") << -1;
    QTest::newRow("no number") << QStringLiteral("time/rankN/own_seconds") << -1;
    QTest::newRow("more") << QStringLiteral("time/rank2/own_seconds/more") << -1;
    QTest::newRow("too large") << QStringLiteral("time/rank99999999999/own_seconds") << -1;
    QTest::newRow("elsewhere") << QStringLiteral("time/step_seconds") << -1;
  }
  void numbersAreReadBack() {
    QFETCH(QString, name);
    QFETCH(int, number);
    QCOMPARE(tags::numberIn(name.toStdString(), tags::kRankOwnSeconds).value_or(-1), number);
  }
};

LOCKSTEP_TEST(TstTags)
#include "tst_tags.moc"
