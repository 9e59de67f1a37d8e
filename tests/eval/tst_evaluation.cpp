#include <QTemporaryDir>
#include <QTest>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/eval/evaluation.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

eval::Evaluation sample() {
  eval::Evaluation evaluation;
  evaluation.step = 40;
  evaluation.imageCount = 2;
  evaluation.perImage = {{{7}, {1, 2, 3, 4, 5, 15}}, {{9}, {3, 2, 1, 0, 1, 7}}};
  evaluation.losses = eval::meanLosses(evaluation.perImage);
  coco::AveragePrecision precision;
  precision.names = coco::metricNames();
  precision.stats = {0.5, 0.75, 0.25, -1, 0.5, 0.5, 0.1, 0.2, 0.3, -1, 0.4, 0.5};
  precision.classes = {{{1}, "droplet", 0.5, 0.75}};
  evaluation.bbox = precision;
  return evaluation;
}

}  // namespace

class TstEvaluation : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void lossesAreTheMeanOverImages() {
    const eval::LossValues mean = *sample().losses;
    QCOMPARE(mean, (eval::LossValues{2, 2, 2, 2, 3, 11}));
  }

  void jsonHasTheNamesOfTheContract() {
    const auto json = nlohmann::json::parse(eval::toJson(sample(), true));
    QCOMPARE(json.at("step").get<int>(), 40);
    QCOMPARE(json.at("images").get<int>(), 2);
    QCOMPARE(json.at("losses").at("loss_rpn_box_reg").get<double>(), 3.0);
    QCOMPARE(json.at("per_image").at(1).at("image_id").get<int>(), 9);
    QCOMPARE(json.at("per_image").at(1).at("loss_total").get<double>(), 7.0);
    QCOMPARE(json.at("bbox").at("AP75").get<double>(), 0.25);
    QCOMPARE(json.at("bbox").size(), std::size_t(12));
    QVERIFY(json.at("segm").is_null());
    QCOMPARE(json.at("classes").at(0).at("name").get<std::string>(), std::string("droplet"));
    QVERIFY(!nlohmann::json::parse(eval::toJson(sample(), false)).contains("per_image"));
  }

  void lossesOfObjectsAreMeansOverTheirRois() {
    eval::Evaluation evaluation = sample();
    QVERIFY(!nlohmann::json::parse(eval::toJson(evaluation, false)).contains("losses_by_class"));
    const eval::LossSums sums{.rois = 4, .maskRois = 2, .sums = {8, 2, 1}};
    evaluation.objectLosses = eval::ObjectLosses{{{{1}, "droplet", sums}}, {sums, {}, sums, {}}};
    const auto json = nlohmann::json::parse(eval::toJson(evaluation, false));
    const auto expected = nlohmann::json::parse(
        R"({"rois": 4, "loss_classifier": 2.0, "loss_box_reg": 0.5, "loss_mask": 0.5})");
    auto ofClass = json.at("losses_by_class").at(0);
    QCOMPARE(ofClass.at("category_id").get<int>(), 1);
    QCOMPARE(ofClass.at("name").get<std::string>(), std::string("droplet"));
    ofClass.erase("category_id");
    ofClass.erase("name");
    QVERIFY2(ofClass == expected, ofClass.dump().c_str());
    QVERIFY(json.at("losses_by_size").at("all") == expected);
    QVERIFY(json.at("losses_by_size").at("medium") == expected);
    QCOMPARE(json.at("losses_by_size").size(), std::size_t{2});
    evaluation.objectLosses->bySize[0].maskRois = 0;
    const auto boxesAlone = nlohmann::json::parse(eval::toJson(evaluation, false));
    QVERIFY(!boxesAlone.at("losses_by_size").at("all").contains("loss_mask"));
  }

  void detectionsOverMaxDetsAreReported() {
    eval::Evaluation evaluation = sample();
    QVERIFY(!nlohmann::json::parse(eval::toJson(evaluation, false)).contains("past_limit"));
    evaluation.bbox->pastLimit = {2, 2800, 1, 30};
    const auto found = nlohmann::json::parse(eval::toJson(evaluation, false)).at("past_limit");
    const auto expected = nlohmann::json::parse(
        R"({"images_of_objects": 2, "objects": 2800, "images_of_detections": 1, "detections": 30,
            "limit": 100})");
    QVERIFY2(found == expected, found.dump().c_str());
  }

  void nonFiniteLossesAreStrings() {
    eval::Evaluation evaluation = sample();
    (*evaluation.losses)[2] = std::numeric_limits<double>::quiet_NaN();
    (*evaluation.losses)[5] = -std::numeric_limits<double>::infinity();
    const auto json = nlohmann::json::parse(eval::toJson(evaluation, false));
    QCOMPARE(json.at("losses").at("loss_mask").get<std::string>(), std::string("NaN"));
    QCOMPARE(json.at("losses").at("loss_total").get<std::string>(), std::string("-Infinity"));
  }

  void metricsAreFoundByName() {
    const eval::Evaluation evaluation = sample();
    QCOMPARE(eval::metricValue(evaluation, "loss_objectness"), std::optional(2.0));
    QCOMPARE(eval::metricValue(evaluation, "bbox/AP50"), std::optional(0.75));
    QCOMPARE(eval::metricValue(evaluation, "bbox/APs"), std::optional<double>());
    QCOMPARE(eval::metricValue(evaluation, "segm/AP"), std::optional<double>());
    QVERIFY_EXCEPTION_THROWN(eval::metricValue(evaluation, "segm/ap"), Error);
  }

  void nonFiniteMetricsAreAbsent_data() {
    QTest::addColumn<double>("loss");
    QTest::newRow("NaN") << std::numeric_limits<double>::quiet_NaN();
    QTest::newRow("infinity") << std::numeric_limits<double>::infinity();
    QTest::newRow("minus infinity") << -std::numeric_limits<double>::infinity();
  }
  void nonFiniteMetricsAreAbsent() {
    QFETCH(double, loss);
    eval::Evaluation evaluation = sample();
    evaluation.losses->back() = loss;
    QCOMPARE(eval::metricValue(evaluation, "loss_total"), std::optional<double>());
    QCOMPARE(eval::metricValue(evaluation, "loss_objectness"), std::optional(2.0));
  }

  void metricsInAFileAreFound_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("losses");
    QTest::addColumn<bool>("averagePrecision");
    eval::Evaluation both = sample(), precision = sample(), none = sample();
    both.segm = both.bbox;
    precision.segm = precision.bbox;
    precision.losses.reset();
    none.losses.reset();
    none.bbox.reset();
    eval::Evaluation losses = sample();
    losses.bbox.reset();
    const auto row = [](const char* name, const std::string& text, bool hasLosses, bool hasAp) {
      QTest::newRow(name) << QString::fromStdString(text) << hasLosses << hasAp;
    };
    row("both", eval::toJson(both, true), true, true);
    row("losses alone", eval::toJson(losses, true), true, false);
    row("boxes without masks", eval::toJson(sample(), true), true, true);
    row("AP alone", eval::toJson(precision, false), false, true);
    row("nothing", eval::toJson(none, false), false, false);
    row("truncated", eval::toJson(both, true).substr(0, 100), false, false);
    row("no evaluation", "[1, 2]", false, false);
  }
  void metricsInAFileAreFound() {
    QFETCH(QString, text);
    QFETCH(bool, losses);
    QFETCH(bool, averagePrecision);
    const QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("a.json")).toStdString();
    const eval::EvaluationRequest missing = eval::metricsIn(file);
    QVERIFY(!missing.losses && !missing.averagePrecision);
    base::writeFileAtomically(file, text.toStdString());
    const eval::EvaluationRequest held = eval::metricsIn(file);
    QCOMPARE(held.losses, losses);
    QCOMPARE(held.averagePrecision, averagePrecision);
  }

  void lowerLossesAndHigherPrecisionAreBetter() {
    QVERIFY(eval::isBetter("loss_total", 1, 2));
    QVERIFY(!eval::isBetter("loss_total", 2, 2));
    QVERIFY(eval::isBetter("segm/AP", 2, 1));
    QVERIFY(!eval::isBetter("segm/AP", 2, 2));
  }

  void scalarsCarryTheirTags() {
    const auto scalars = eval::evaluationScalars(sample());
    QCOMPARE(scalars.size(), std::size_t(19));
    QCOMPARE(scalars.front(), (std::pair<std::string, float>("eval/loss_classifier", 2.f)));
    QCOMPARE(scalars[17], (std::pair<std::string, float>("eval/bbox/ARl", 0.5f)));
    // Of a model without a mask head.
    QCOMPARE(scalars.back(), (std::pair<std::string, float>("eval/bbox/AP/class/1", 0.5f)));
    eval::Evaluation evaluation = sample();
    evaluation.segm = evaluation.bbox;
    evaluation.segm->classes.push_back({{3}, "bubble", -1, -1});
    QCOMPARE(eval::evaluationScalars(evaluation).back(),
             (std::pair<std::string, float>("eval/segm/AP/class/1", 0.5f)));
  }
};

LOCKSTEP_TEST(TstEvaluation)
#include "tst_evaluation.moc"
