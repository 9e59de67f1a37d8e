#include <QTest>

#include "engine/config/load.h"
#include "engine/config/moved_paths.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstMovedPaths : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void relativePathsNameTheSameFilesFromAnotherFolder_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("moved");
    const auto row = [](const char* name, const char* text, const char* moved) {
      QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(moved);
    };
    row("beside it", "base: base.yaml  # small\nname: a\n",
        "base: ../configs/base.yaml  # small\nname: a\n");
    row("above it", "base: ../base.yaml\n", "base: ../base.yaml\n");
    row("in the new folder", "base: ../runs/base.yaml\n", "base: base.yaml\n");
    row("data, weights", "model: {weights: r50.safetensors}\ndataset:\n  val: {images: 'my val'}\n",
        "model: {weights: ../configs/r50.safetensors}\ndataset:\n  val: {images: ../configs/my "
        "val}\n");
    row("a folder with a trailing slash", "dataset: {train: {images: data/}}\n",
        "dataset: {train: {images: ../configs/data/}}\n");
    row("absolute, of a home, none",
        "base: /b.yaml\nmodel: {weights: ~/w}\ndataset: {train: {images: null, annotations: ''}}\n",
        "base: /b.yaml\nmodel: {weights: ~/w}\ndataset: {train: {images: null, annotations: "
        "''}}\n");
    row("a name like a home's", "model: {weights: ../runs/~w}\n", "model: {weights: ./~w}\n");
    row("no path", "name: base.yaml\nsolver: {base_lr: 0.1}\n",
        "name: base.yaml\nsolver: {base_lr: 0.1}\n");
    row("not YAML", "base: [a\n", "base: [a\n");
    row("not a path", "base: {a: b}\ndataset: 3\n", "base: {a: b}\ndataset: 3\n");
  }
  void relativePathsNameTheSameFilesFromAnotherFolder() {
    QFETCH(QString, text);
    const auto moved = config::movePaths(text.toStdString(), "/work/configs", "/work/runs");
    QTEST(QString::fromStdString(moved.text), "moved");
    QCOMPARE(moved.keys.empty(), moved.text == text.toStdString());
    const auto before = config::loadExperimentText(text.toStdString(), "/work/configs/a.yaml");
    const auto after = config::loadExperimentText(moved.text, "/work/runs/a.yaml");
    QCOMPARE(after.experiment.model.weights, before.experiment.model.weights);
    QCOMPARE(after.experiment.dataset.val.images, before.experiment.dataset.val.images);
    QCOMPARE(after.experiment.dataset.train.images, before.experiment.dataset.train.images);
  }

  void inItsOwnFolderNothingIsMoved() {
    const std::string text = "base: ./x/../base.yaml\n";
    QCOMPARE(config::movePaths(text, "/work/configs", "/work/./configs").text, text);
  }

  void theRewrittenKeysAreListed() {
    const auto moved = config::movePaths(
        "base: b.yaml\ndataset: {train: {images: t, annotations: /a.json}}\n", "/a", "/a/b");
    QCOMPARE(moved.keys, (std::vector<std::string>{"base", "dataset.train.images"}));
  }
};

LOCKSTEP_TEST(TstMovedPaths)
#include "tst_moved_paths.moc"
