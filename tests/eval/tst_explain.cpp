#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <set>

#include "engine/data/sample_loader.h"
#include "engine/eval/evaluator.h"
#include "engine/model/detection_trace.h"
#include "engine/scenes/made_scenes.h"
#include "engine/structures/boxes.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#ifndef Q_MOC_RUN
#include <ATen/record_function.h>
#endif

using namespace lockstep;
namespace fs = std::filesystem;

namespace {

/// torchvision's Matcher with allow_low_quality_matches, line by line. iou [G,A] -> [A].
at::Tensor torchvisionMatches(const at::Tensor& iou, double high, double low) {
  const auto [values, best] = iou.max(0);
  at::Tensor matches = best.clone();
  matches.masked_fill_(values < low, -1);
  matches.masked_fill_((values >= low).logical_and(values < high), -2);
  const at::Tensor highest = std::get<0>(iou.max(1, /*keepdim=*/true));
  const at::Tensor low_quality = (iou == highest).any(0);
  return at::where(low_quality, best, matches);
}

/// Faster R-CNN, section 3.1.2. boxes and deltas [K,4].
at::Tensor decoded(const at::Tensor& boxes, const at::Tensor& deltas) {
  const at::Tensor size = boxes.slice(1, 2) - boxes.slice(1, 0, 2);
  const at::Tensor middle = boxes.slice(1, 0, 2) + size / 2 + deltas.slice(1, 0, 2) * size;
  const at::Tensor half = size * deltas.slice(1, 2).clamp_max(std::log(1000.0 / 16)).exp() / 2;
  return at::cat({middle - half, middle + half}, 1);
}

/// Of the operators of this thread while it exists.
struct OperatorCounts {
  inline static std::int64_t all = 0, divisions = 0;
  at::CallbackHandle handle;

  OperatorCounts() {
    all = divisions = 0;
    handle = at::addThreadLocalCallback(at::RecordFunctionCallback(
        [](const at::RecordFunction& call) -> std::unique_ptr<at::ObserverContext> {
          ++all;
          divisions += std::string_view(call.name()) == "aten::floor_divide";
          return nullptr;
        }));
  }
  ~OperatorCounts() { at::removeCallback(handle); }
};

/// As they are rounded in an explanation.
std::array<std::int64_t, 4> tenths(const explanation::BoxXywh& box) {
  std::array<std::int64_t, 4> whole{};
  for (std::size_t i = 0; i < 4; ++i) whole[i] = std::llround(box[i] * 10);
  return whole;
}

double iouOf(const explanation::BoxXywh& a, const explanation::BoxXywh& b) {
  const double width = std::min(a[0] + a[2], b[0] + b[2]) - std::max(a[0], b[0]),
               height = std::min(a[1] + a[3], b[1] + b[3]) - std::max(a[1], b[1]),
               both = std::max(width, 0.0) * std::max(height, 0.0);
  return both / (a[2] * a[3] + b[2] * b[3] - both);
}

}  // namespace

class TstExplain : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    shapes_ = folder_.filePath(QStringLiteral("shapes")).toStdString();
    scenes::writeMadeScenes({shapes_, 3, 1, 7});
    dataset_ = coco::Dataset::load(shapes_ / "annotations" / "instances_train.json");
    augment_.minSize = {96};
    augment_.maxSize = 160;
    config_.backbone = "resnet18";
    config_.fpnChannels = 32;
    config_.anchors.sizes = {8, 16, 32, 64, 128};
    config_.rpn.preNmsTopNTest = config_.rpn.postNmsTopNTest = 50;
    config_.boxHead.fcDim = 32;
    config_.boxHead.scoreThreshold = 0.2;  // an untrained model has low scores
    config_.maskHead.convs = 1;
    config_.maskHead.channels = 16;
    const data::ClassTable classes(*dataset_);
    categories_ = classes.categories();
    loader_.emplace(*dataset_, shapes_ / "train", augment_, classes);
    const auto count = static_cast<std::int64_t>(categories_.size()) + 1;
    model_ = std::make_shared<model::MaskRcnn>(config_, count, 1);
    model_->train();
  }

  void theDetectionsAreThoseOfDetect() {
    const eval::Evaluator evaluator(*loader_, {});
    for (std::size_t image = 0; image < dataset_->images().size(); ++image) {
      std::vector<coco::Detection> explained;
      const auto explanation = evaluator.explain(*model_, image, config_);
      for (const auto& each : explanation.detections) explained.push_back(each.detection);
      QVERIFY(!explained.empty());
      QCOMPARE(coco::detectionsToJson(explained),
               coco::detectionsToJson(evaluator.detect(*model_, {image}).detections));
    }
    QVERIFY(model_->is_training());
  }

  void theDetectionsOfAFileAreThoseOfDetectFiles() {
    const eval::NumberedFile file{{1}, shapes_ / "train" / dataset_->images()[0].fileName};
    const eval::FileDetectionOptions options{.augment = augment_, .categories = categories_};
    const auto explanation = eval::explainFile(*model_, file, config_, options);
    std::vector<coco::Detection> explained;
    for (const auto& each : explanation.detections) explained.push_back(each.detection);
    QVERIFY(!explained.empty());
    QCOMPARE(coco::detectionsToJson(explained),
             coco::detectionsToJson(eval::detectFiles(*model_, {file}, options).detections));
    QVERIFY(explanation.truths.empty());
    for (const auto& level : explanation.levels) QCOMPARE(level.matched, std::int64_t{0});
  }

  /// Each later stage has computed more.
  void itEndsBetweenItsStages() {
    struct Ended {};
    const eval::Evaluator evaluator(*loader_, {});
    int stages = 0;
    evaluator.explain(*model_, 0, config_, [&](auto done, auto) { stages += done == 0; });
    QVERIFY(stages >= 5);
    std::int64_t before = 0;
    for (int last = 1; last <= stages; ++last) {
      int calls = 0;
      const OperatorCounts counts;
      QVERIFY_THROWS_EXCEPTION(Ended, evaluator.explain(*model_, 0, config_, [&](auto, auto) {
        if (++calls == last) throw Ended();
      }));
      QCOMPARE(calls, last);
      QVERIFY(OperatorCounts::all > before);
      before = OperatorCounts::all;
    }
    QVERIFY(model_->is_training());
  }

  void onlyAnExplanationKnowsTheProposalsOfDetections() {
    const data::Batch batch = loader_->loadEvaluation(0);
    const at::NoGradGuard noGradient;
    model_->eval();
    {
      const OperatorCounts counts;
      model_->detect(batch.images, batch.sizes);
      QVERIFY(OperatorCounts::all > 0);
      QCOMPARE(OperatorCounts::divisions, std::int64_t{0});
    }
    {
      const OperatorCounts counts;
      model_->explain(batch.images, batch.sizes, batch.gts);
      QVERIFY(OperatorCounts::divisions > 0);
    }
    model_->train();
  }

  void theMatchedAnchorsAreTorchvisions() {
    const data::Batch batch = loader_->loadEvaluation(0);
    const auto [explanation, trace] = explained(batch);
    const std::int64_t objects = batch.gts.counts[0].item<std::int64_t>();
    QVERIFY(objects > 1);
    const at::Tensor truths = batch.gts.boxesXyxy[0].slice(0, 0, objects);
    const at::Tensor iou = structures::boxIou(truths, trace.rpn.anchors);
    const at::Tensor expected = torchvisionMatches(iou, 0.7, 0.3);
    std::multiset<std::pair<std::int64_t, std::int64_t>> expectedPairs, pairs;  // truth, IoU
    std::int64_t first = 0;
    for (std::size_t level = 0; level < explanation.levels.size(); ++level) {
      const std::int64_t count = explanation.levels[level].anchors;
      QCOMPARE(explanation.levels[level].matched,
               (expected.narrow(0, first, count) >= 0).sum().item<std::int64_t>());
      first += count;
    }
    QCOMPARE(first, trace.rpn.anchors.size(0));
    for (std::int64_t i = 0; i < first; ++i) {
      const auto truth = expected[i].item<std::int64_t>();
      if (truth >= 0)
        expectedPairs.insert({truth, std::llround(iou[truth][i].item<double>() * 1e4)});
    }
    for (const explanation::Anchor& anchor : explanation.anchors)
      if (anchor.truth >= 0) pairs.insert({anchor.truth, std::llround(anchor.iou * 1e4)});
    QVERIFY(!pairs.empty());
    QVERIFY(pairs == expectedPairs);
  }

  /// Each step follows from the one before.
  void proposalsAndDetectionsAreOfWhatTheyName() {
    const data::Batch batch = loader_->loadEvaluation(0);
    const auto [explanation, trace] = explained(batch);
    const auto count = static_cast<std::int64_t>(explanation.proposals.size());
    QCOMPARE(explanation.proposalCount, count);
    const at::Tensor anchors = trace.anchorsOfProposals[0].slice(0, 0, count);
    const double right = static_cast<double>(batch.sizes[0].width),
                 bottom = static_cast<double>(batch.sizes[0].height);
    const at::Tensor boxes = decoded(trace.rpn.anchors.index_select(0, anchors),
                                     trace.rpn.deltas[0].index_select(0, anchors));
    const at::Tensor clipped =
        at::stack({boxes.select(1, 0).clamp(0, right), boxes.select(1, 1).clamp(0, bottom),
                   boxes.select(1, 2).clamp(0, right), boxes.select(1, 3).clamp(0, bottom)},
                  1);
    QVERIFY(at::allclose(clipped, trace.proposals.boxes[0].slice(0, 0, count), 1e-4, 1e-3));
    for (std::size_t i = 0; i + 1 < explanation.proposals.size(); ++i)
      QVERIFY(explanation.proposals[i].score >= explanation.proposals[i + 1].score);

    for (const explanation::Detection& found : explanation.detections) {
      const auto its =
          std::ranges::find(found.classes, found.detection.categoryId,
                            [](const auto& c) { return c.category.value_or(CategoryId{-1}); });
      QVERIFY(its != found.classes.end());
      QCOMPARE(its->score, found.detection.score);
      QCOMPARE(found.mask.size(), std::size_t{28 * 28});
    }
  }

  /// Of many proposals the best ones are kept, and what says whether an object was proposed.
  void theNearestProposalOfEachObjectIsKept() {
    constexpr std::size_t kBest = 1000;
    config::ModelConfig many = config_;
    many.anchors.sizes = {4, 8, 16, 32, 64};
    many.rpn.preNmsTopNTest = many.rpn.postNmsTopNTest = 3000;
    many.rpn.nmsThreshold = 1;
    model::MaskRcnn model(many, static_cast<std::int64_t>(categories_.size()) + 1, 1);
    const data::Batch batch = loader_->loadEvaluation(0);
    const auto explanation = eval::Evaluator(*loader_, {}).explain(model, 0, many);
    QVERIFY(explanation.proposalCount > std::int64_t{kBest});
    QVERIFY(explanation.proposals.size() < static_cast<std::size_t>(explanation.proposalCount));
    const at::NoGradGuard noGradient;
    model.eval();
    const model::DetectionTrace trace = model.explain(batch.images, batch.sizes, batch.gts);
    const at::Tensor boxes = trace.proposals.boxes[0].slice(0, 0, explanation.proposalCount);
    const std::int64_t objects = batch.gts.counts[0].item<std::int64_t>();
    const at::Tensor nearest =
        std::get<0>(structures::boxIou(batch.gts.boxesXyxy[0].slice(0, 0, objects), boxes).max(1));
    for (std::int64_t i = 0; i < objects; ++i) {
      double kept = 0;
      for (const explanation::Proposal& each : explanation.proposals)
        kept = std::max(kept, iouOf(explanation.truths[static_cast<std::size_t>(i)].box, each.box));
      QVERIFY(std::abs(kept - nearest[i].item<double>()) < 1e-3);
    }
  }

  void theScoresOfALevelAreTheHighestOfEachPlace() {
    const data::Batch batch = loader_->loadEvaluation(0);
    const auto [explanation, trace] = explained(batch);
    const explanation::Level& coarsest = explanation.levels.back();
    const auto places = std::int64_t{coarsest.width} * coarsest.height;
    const at::Tensor last =
        trace.rpn.objectness[0].slice(0, -3 * places).sigmoid().view({places, 3}).amax(1);
    QCOMPARE(std::ssize(coarsest.scores), places);
    for (std::int64_t i = 0; i < places; ++i)
      QVERIFY(std::abs(coarsest.score(static_cast<int>(i / coarsest.width),
                                      static_cast<int>(i % coarsest.width)) -
                       last[i].item<double>()) <= 0.5 / 255 + 1e-6);
  }

  /// Boxes of the file, though the model sees a resized image.
  void boxesAreInPixelsOfTheFile() {
    const data::Batch batch = loader_->loadEvaluation(0);
    const auto [explanation, trace] = explained(batch);
    const auto& annotations = dataset_->annotationsOf(0);
    QCOMPARE(explanation.truths.size(), annotations.size());
    for (std::size_t i = 0; i < annotations.size(); ++i)
      for (std::size_t k = 0; k < 4; ++k)
        QVERIFY(std::abs(explanation.truths[i].box[k] - annotations[i].boxXywh[k]) < 0.1);
    const coco::Image& image = dataset_->images()[0];
    const double scaleX = static_cast<double>(image.width) / batch.sizes[0].width,
                 scaleY = static_cast<double>(image.height) / batch.sizes[0].height;
    QVERIFY(scaleX != 1);
    const at::Tensor first = trace.proposals.boxes[0][0].to(at::kDouble);
    const auto corner = [&](int i) { return first[i].item<double>(); };
    const std::array<double, 4> expected{corner(0) * scaleX, corner(1) * scaleY,
                                         (corner(2) - corner(0)) * scaleX,
                                         (corner(3) - corner(1)) * scaleY};
    for (std::size_t k = 0; k < 4; ++k)
      QVERIFY(std::abs(explanation.proposals[0].box[k] - expected[k]) < 0.1);
  }

  void theFileReadsBack() {
    const data::Batch batch = loader_->loadEvaluation(1);
    const auto [explanation, trace] = explained(batch);
    const std::string text = explanation::toJson(explanation);
    QVERIFY(text.size() < 1000000);
    const auto read = explanation::parseExplanation(text, "a.json");
    QCOMPARE(explanation::toJson(read), text);
    QCOMPARE(tenths(read.proposals.at(0).box), tenths(explanation.proposals.at(0).box));
  }

 private:
  std::pair<explanation::Explanation, model::DetectionTrace> explained(const data::Batch& batch) {
    const at::NoGradGuard noGradient;
    model_->eval();
    std::pair both{eval::explainImage(*model_, batch, config_, categories_),
                   model_->explain(batch.images, batch.sizes, batch.gts)};
    model_->train();
    return both;
  }

  QTemporaryDir folder_;
  fs::path shapes_;
  std::optional<coco::Dataset> dataset_;
  config::AugmentConfig augment_;
  config::ModelConfig config_;
  std::vector<CategoryId> categories_;
  std::optional<data::SampleLoader> loader_;
  std::shared_ptr<model::MaskRcnn> model_;
};

LOCKSTEP_TEST(TstExplain)
#include "tst_explain.moc"
