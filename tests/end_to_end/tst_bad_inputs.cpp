#include <QTest>

#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::text;

/// Wrong inputs for the real programs: the exit status, one line with the place, the cause and the
/// fix, and no partial files.
class TstBadInputs : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<TestWorkspace> place_;

  /// The experiment with one text replaced by another.
  void writeVariant(const char* name, const char* before, const char* after) {
    QByteArray experiment = place_->read(text("experiment.yaml"));
    QVERIFY2(experiment.contains(before), before);
    place_->write(text(name), experiment.replace(before, after));
  }

 private Q_SLOTS:
  void initTestCase() {
    place_ = std::make_unique<TestWorkspace>();
    place_->copyMadeRun();
    place_->writeExperiment();
    writeVariant("unknown.yaml", "batch_size: 1", "batch_size: 1, momemtum: 0.5");
    writeVariant("other_model.yaml", "model: {", "model: {fpn_channels: 32, ");
    writeVariant("cut_image.yaml", "images: shapes/train", "images: cut");
    for (const char* scene : {"scene_000001", "scene_000002", "scene_000003", "scene_000004"}) {
      const QByteArray whole = place_->read(text("shapes/train/%1.jpg").arg(text(scene)));
      place_->write(text("cut/%1.jpg").arg(text(scene)), whole.left(whole.size() / 2));
    }
  }

  void cleanupTestCase() { place_.reset(); }

  void anErrorIsOneLineWithPlaceAndCause_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QStringList>("said");
    const auto row = [](const char* name, const char* line, const std::vector<const char*>& said) {
      QStringList fragments;
      for (const char* fragment : said) fragments << text(fragment);
      QTest::newRow(name) << text(line) << fragments;
    };
    row("unknown key", "train unknown.yaml",
        {"unknown.yaml:9:", "solver.momemtum: unknown key", "did you mean solver.momentum?"});
    row("weights of another model",
        "evaluate other_model.yaml --out answer.json "
        "--weights run/checkpoints/step-00000006/model.safetensors",
        {"model.safetensors",
         "backbone.fpn.inner_blocks.0.0.weight [64, 64, 1, 1] in the file, [32"});
    row("initial weights with another norm",
        "train experiment.yaml --output other --set model.norm=frozen_batch "
        "--set model.weights=run/checkpoints/step-00000006/model.safetensors",
        {"model.safetensors does not match the model", "set model.norm to group"});
    row("check of images that are cut off", "config check cut_image.yaml --data",
        {"cut_image.yaml:4:",
         "dataset.train.images: 4 of 4 images cannot be used (image ids 1, 2, 3, 4): ",
         "cut/scene_000001.jpg: is truncated"});
  }
  void anErrorIsOneLineWithPlaceAndCause() {
    QFETCH(QString, line);
    QFETCH(QStringList, said);
    const auto before = place_->files();
    const ProcessResult ended = place_->engine(line.split(QLatin1Char(' ')));
    const QString err = QString::fromUtf8(ended.err);
    for (const QString& fragment : said) QVERIFY2(err.contains(fragment), ended.err.constData());
    QCOMPARE(ended.status, 2);
    const QStringList lines = err.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    // Lines before it name device and precision if the experiment leaves the choice, and warn.
    const auto chosen = lines.filter(text("[engine] device:")).size() +
                        lines.filter(text("[engine] precision:")).size();
    const auto warnings = lines.filter(text(": warning: ")).size();
    QVERIFY2(lines.size() == 1 + chosen + warnings && chosen <= 2, ended.err.constData());
    QVERIFY2(ended.out.isEmpty(), ended.out.constData());
    QCOMPARE(place_->files(), before);
  }

  void aStoppedDatasetShapesLeavesNothing() {
    const auto before = place_->files();
    const auto engine = place_->start(
        "lockstep-engine", {text("dataset"), text("shapes"), text("--out"), text("drawn"),
                            text("--train"), text("100000"), text("--val"), text("1")});
    const QDir folder(place_->path(text(".")));
    const auto isDrawing = [&] {
      return !folder.entryList({text(".drawn.partial-*")}, QDir::Dirs | QDir::Hidden).isEmpty();
    };
    QTRY_VERIFY_WITH_TIMEOUT(isDrawing(), 20000);
    engine->terminate();
    const ProcessResult ended = TestWorkspace::finish(*engine);
    QCOMPARE(ended.status, 130);
    QVERIFY(!isDrawing());
    QCOMPARE(place_->files(), before);
  }
};

LOCKSTEP_TEST(TstBadInputs)
#include "tst_bad_inputs.moc"
