#include <QTemporaryDir>
#include <QTest>

#include "engine/coco/analysis/extra_metrics.h"
#include "tests/coco/made_set.h"
#include "tests/coco/reference.h"
#include "tests/support/box_annotation.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

QString difference(const char* name, double ours, const nlohmann::json& theirs) {
  if (isNear(ours, theirs.get<double>())) return {};
  return QStringLiteral(" %1: %2, reference %3;")
      .arg(QString::fromUtf8(name), QString::number(ours, 'g', 17),
           QString::number(theirs.get<double>(), 'g', 17));
}

QString qualityDifferences(const PanopticQuality& ours, const nlohmann::json& theirs) {
  return difference("pq", ours.pq, theirs["pq"]) + difference("sq", ours.sq, theirs["sq"]) +
         difference("rq", ours.rq, theirs["rq"]);
}

constexpr Image kSmallImage{{1}, "a.png", 20, 20};

Detection boxAt(double score, std::array<double, 4> xywh) { return {{1}, {1}, score, xywh, {}}; }

}  // namespace

class TstExtraMetrics : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (python().isEmpty()) return;
    const QString failure = runReference("extra_metrics_reference.py", {folder_.path()});
    QVERIFY2(failure.isEmpty(), qPrintable(failure));
    expected_ = readJson(folder_.filePath(QStringLiteral("extra.json")).toStdString());
  }

  /// PQ by panopticapi's rule, F1 by stardist.matching, AJI by its formula, LVIS by lvis 0.5.3.
  void metricsEqualTheirReferences() {
    if (expected_.is_null()) QSKIP("needs lvis, stardist (packaging/setup.sh --dev)");
    QCOMPARE(expected_["cases"].size(), std::size_t{200});
    int withF1 = 0, withLvis = 0;
    for (const nlohmann::json& one : expected_["cases"]) {
      const Dataset dataset = Dataset::load(one["gt"].get<std::string>());
      const ResultsFile results = ResultsFile::load(one["dt"].get<std::string>(), dataset);
      Params params;
      params.iouThresholds.insert(params.iouThresholds.begin(), {.1, .3});
      const ExtraMetrics found =
          extraMetrics(dataset, results, IouType::Mask,
                       {{ExtraMetric::PanopticQuality, ExtraMetric::F1,
                         ExtraMetric::AggregatedJaccard, ExtraMetric::Counts},
                        one["threshold"].get<double>()},
                       params);
      QString text = qualityDifferences(found.panopticQuality->mean, one["pq"]["mean"]);
      for (std::size_t k = 0; k < dataset.categories().size(); ++k)
        text += qualityDifferences(found.panopticQuality->classes[k], one["pq"]["classes"][k]);
      text += difference("mae", found.counts->all.mae, one["counts"]["mae"]) +
              difference("mape", found.counts->all.mape, one["counts"]["mape"]) +
              difference("bias", found.counts->all.bias, one["counts"]["bias"]);
      if (one.contains("f1")) {
        ++withF1;
        text += difference("aji", found.aggregatedJaccard->mean, one["aji"]);
        for (std::size_t t = 0; t < found.f1->all.size(); ++t) {
          const SegmentCounts& counts = found.f1->all[t];
          const nlohmann::json& theirs = one["f1"][t];
          text += difference("tp", static_cast<double>(counts.truePositives), theirs["tp"]) +
                  difference("fp", static_cast<double>(counts.falsePositives), theirs["fp"]) +
                  difference("fn", static_cast<double>(counts.falseNegatives), theirs["fn"]);
        }
      }
      if (one.contains("lvis")) {
        ++withLvis;
        text += lvisDifferences(one);
      }
      QVERIFY2(text.isEmpty(), qPrintable(QString::fromStdString(one["gt"]) + text));
    }
    QVERIFY(withF1 >= 150 && withLvis >= 190);
  }

  void pixelsBelongToTheSmallerObjectAndTheHigherScore() {
    const SegmentOverlaps found = findSegmentOverlaps(
        kSmallImage, {boxAnnotation(1, 1, 1, {5, 5, 4, 4}), boxAnnotation(2, 1, 1, {0, 0, 10, 10})},
        std::vector{boxAt(.5, {0, 0, 10, 10}), boxAt(.9, {5, 5, 4, 4})}, 0);
    QCOMPARE(found.objects[0].areaPx, std::uint64_t{16});
    QCOMPARE(found.objects[1].areaPx, std::uint64_t{84});
    QCOMPARE(found.detections[0].areaPx, std::uint64_t{16});
    QCOMPARE(found.detections[1].areaPx, std::uint64_t{84});
    QCOMPARE(found.pairs.size(), std::size_t{2});
    QCOMPARE(iouOf(found, found.pairs[0]), 1.0);
  }

  void hiddenAndLowSegmentsAreNotThere() {
    const SegmentOverlaps found = findSegmentOverlaps(
        kSmallImage, {boxAnnotation(1, 1, 1, {0, 0, 5, 5})},
        std::vector{boxAt(.9, {0, 0, 5, 5}), boxAt(.8, {1, 1, 2, 2}), boxAt(.1, {9, 9, 5, 5})}, .5);
    QCOMPARE(found.detections.size(), std::size_t{1});
  }

  void detectionsInCrowdsDoNotCount() {
    const std::vector images{findSegmentOverlaps(
        kSmallImage,
        {boxAnnotation(1, 1, 1, {0, 0, 5, 5}), boxAnnotation(2, 1, 1, {10, 10, 8, 8}, true)},
        std::vector{boxAt(.9, {0, 0, 5, 5}), boxAt(.8, {11, 11, 3, 3}), boxAt(.7, {8, 2, 2, 2})},
        0)};
    const std::vector<Category> categories{{{1}, "cell"}};
    const PanopticQualities quality = panopticQuality(images, categories);
    QCOMPARE(quality.classes[0].falsePositives, std::uint64_t{1});
    QCOMPARE(quality.classes[0].truePositives, std::uint64_t{1});
    QCOMPARE(quality.mean.pq, 1 / 1.5);
    const auto counts = segmentCounts(images, categories, std::array{.5});
    QCOMPARE(counts.all[0].falsePositives, std::uint64_t{1});
    QCOMPARE(aggregatedJaccard(images).mean, 25.0 / 29);
  }

  void nothingIsUndefined() {
    const std::vector images{findSegmentOverlaps(kSmallImage, {}, {}, 0)};
    const std::vector<Category> categories{{{1}, "cell"}};
    QCOMPARE(panopticQuality(images, categories).mean.pq, -1.0);
    QCOMPARE(segmentCounts(images, categories, std::array{.5}).all[0].f1(), -1.0);
    QCOMPARE(aggregatedJaccard(images).mean, -1.0);
  }

 private:
  static QString lvisDifferences(const nlohmann::json& one) {
    const Dataset dataset = Dataset::load(one["lvis"]["gt"].get<std::string>());
    const ResultsFile results = ResultsFile::load(one["dt"].get<std::string>(), dataset);
    QString text;
    for (const auto& [kind, type] :
         {std::pair{"bbox", IouType::Box}, std::pair{"segm", IouType::Mask}}) {
      const LvisMetrics found = evaluateLvis(dataset, results, type);
      if (found.hasCountedFrequencies) text += QStringLiteral(" frequencies were counted;");
      const nlohmann::json& theirs = one["lvis"][kind];
      for (std::size_t i = 0; i < found.all.names.size(); ++i) {
        const bool isTheirs = found.all.names[i] != "AR1" && found.all.names[i] != "AR10";
        if (isTheirs)
          text += difference(found.all.names[i].c_str(), found.all.stats[i],
                             theirs.at(found.all.names[i]));
      }
      text += difference("APr", found.apRare, theirs["APr"]) +
              difference("APc", found.apCommon, theirs["APc"]) +
              difference("APf", found.apFrequent, theirs["APf"]);
    }
    return text;
  }

  QTemporaryDir folder_;
  nlohmann::json expected_;
};

LOCKSTEP_TEST(TstExtraMetrics)
#include "tst_extra_metrics.moc"
