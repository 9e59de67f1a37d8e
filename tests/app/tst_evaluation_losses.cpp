#include <QTest>
#include <cmath>

#include "app/predictions/evaluation_losses.h"
#include "engine/base/error.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::parseImageLosses;

class TstEvaluationLosses : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eachImageHasItsTotal() {
    const auto losses = parseImageLosses(
        R"({"step": 10, "per_image": [{"image_id": 3, "loss_mask": 1, "loss_total": 2.5},
            {"image_id": 5, "loss_total": "NaN"}, {"image_id": 7, "loss_total": "Infinity"},
            {"image_id": 9}]})",
        "f");
    QCOMPARE(losses.size(), std::size_t{3});
    QCOMPARE(losses.at(ImageId{3}), 2.5);
    QVERIFY(std::isnan(losses.at(ImageId{5})));
    QVERIFY(std::isinf(losses.at(ImageId{7})));
  }

  void anEvaluationWithoutThemHasNone() {
    QVERIFY(parseImageLosses(R"({"step": 10, "losses": {"loss_total": 1}})", "f").empty());
  }

  void aDamagedFileIsNamed() {
    try {
      parseImageLosses("{\"per_image\": [", "evaluations/x.json");
      QFAIL("not refused");
    } catch (const Error& error) {
      QVERIFY(QByteArray(error.what()).startsWith("evaluations/x.json: "));
    }
  }
};

LOCKSTEP_TEST(TstEvaluationLosses)
#include "tst_evaluation_losses.moc"
