#include <QTemporaryDir>
#include <QTest>

#include "engine/base/error.h"
#include "engine/checkpoint/weights_layout.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/train/small_training.h"

using namespace lockstep;

namespace {

coco::Dataset datasetNaming(std::vector<coco::Category> categories) {
  return coco::Dataset::fromParts({}, std::move(categories), {}, "made.json");
}

}  // namespace

class TstLoadedModel : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Weights as training leaves them, of a model with the categories 2, 5 and 9.
  void initTestCase() {
    QVERIFY(folder_.isValid());
    experiment_ = tests::smallExperiment("nowhere", 1);
    const model::MaskRcnn model(experiment_.model, 4, 1);
    const coco::Dataset trainSet = datasetNaming({{{2}, "two"}, {{5}, "five"}, {{9}, "nine"}});
    checkpoint::writeSafetensors(weights(), checkpoint::inFileShapes(model.namedState()),
                                 checkpoint::toMetadata(train::modelFacts(experiment_, trainSet)));
  }

  void weightsOfAnotherModelAreRefused_data() {
    QTest::addColumn<QString>("backbone");
    QTest::addColumn<double>("epsilon");
    QTest::addColumn<QString>("said");
    QTest::newRow("backbone") << "resnet34" << 1e-5
                              << "needs model.backbone: resnet18, the experiment has resnet34";
    QTest::newRow("epsilon") << "resnet18" << 0.001
                             << "needs model.norm_epsilon: 1.0e-5, the experiment has 0.001";
  }
  void weightsOfAnotherModelAreRefused() {
    QFETCH(QString, backbone);
    QFETCH(double, epsilon);
    QFETCH(QString, said);
    config::Experiment other = experiment_;
    other.model.backbone = backbone.toStdString();
    other.model.normEpsilon = epsilon;
    refused(other, nullptr, said);
  }

  void aDataSetMayNameFewerCategories() {
    const coco::Dataset fewer = datasetNaming({{{2}, "two"}, {{9}, "nine"}});
    const auto loaded = train::loadModel(experiment_, weights(), &fewer, at::kCPU);
    QCOMPARE(loaded.categories, (std::vector<CategoryId>{{2}, {5}, {9}}));
    QCOMPARE(loaded.categoryNames, (std::vector<std::string>{"two", "five", "nine"}));
  }

  void aCategoryThatTheModelDoesNotKnowIsRefused() {
    const coco::Dataset other = datasetNaming({{{2}, "two"}, {{7}, "seven"}, {{9}, "nine"}});
    refused(experiment_, &other, QStringLiteral("has no category 7 (seven)"));
  }

  void weightsWithoutMetadataNeedAsManyCategories() {
    const model::MaskRcnn model(experiment_.model, 4, 1);
    const std::string plain = folder_.filePath(QStringLiteral("plain.safetensors")).toStdString();
    checkpoint::writeSafetensors(plain, checkpoint::inFileShapes(model.namedState()));
    const coco::Dataset three = datasetNaming({{{3}, "a"}, {{6}, "b"}, {{8}, "c"}});
    QCOMPARE(train::loadModel(experiment_, plain, &three, at::kCPU).categories,
             (std::vector<CategoryId>{{3}, {6}, {8}}));
    const coco::Dataset two = datasetNaming({{{3}, "a"}, {{6}, "b"}});
    QVERIFY_EXCEPTION_THROWN(train::loadModel(experiment_, plain, &two, at::kCPU), Error);
  }

 private:
  std::string weights() const {
    return folder_.filePath(QStringLiteral("model.safetensors")).toStdString();
  }
  void refused(const config::Experiment& experiment, const coco::Dataset* dataset,
               const QString& said) const {
    try {
      train::loadModel(experiment, weights(), dataset, at::kCPU);
      QFAIL("they were loaded");
    } catch (const Error& error) {
      QVERIFY2(QString::fromUtf8(error.what()).contains(said), error.what());
      QCOMPARE(error.status(), ExitStatus::UserError);
    }
  }

  QTemporaryDir folder_;
  config::Experiment experiment_;
};

LOCKSTEP_TEST(TstLoadedModel)
#include "tst_loaded_model.moc"
