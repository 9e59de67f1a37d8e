#include <QFile>
#include <QTest>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using Json = nlohmann::json;
using tests::ProcessResult;
using tests::TestWorkspace;

namespace {

QString text(const char* bytes) { return QString::fromUtf8(bytes); }

}  // namespace

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

  /// The training annotations with one change, and an experiment that names them.
  void writeAnnotations(const char* name, const std::function<void(Json&)>& change) {
    Json truth =
        Json::parse(place_->read(text("shapes/annotations/instances_train.json")).toStdString());
    change(truth);
    place_->write(text("%1.json").arg(text(name)), QByteArray::fromStdString(truth.dump()));
    writeVariant(qPrintable(text("%1.yaml").arg(text(name))),
                 "shapes/annotations/instances_train.json",
                 qPrintable(text("%1.json").arg(text(name))));
  }

  void writeExperiments() {
    writeVariant("unknown.yaml", "batch_size: 1", "batch_size: 1, momemtum: 0.5");
    writeVariant("doubled.yaml", "name: end_to_end\n", "name: end_to_end\nname: again\n");
    writeVariant("wrong_type.yaml", "max_steps: 6", "max_steps: many");
    writeVariant("out_of_range.yaml", "batch_size: 1", "batch_size: 1, momentum: 3");
    writeVariant("no_folder.yaml", "images: shapes/train", "images: shapes/nowhere");
    writeVariant("no_file.yaml", "instances_train", "instances_nowhere");
    writeVariant("broken_json.yaml", "shapes/annotations/instances_train.json", "broken.json");
    writeVariant("other_model.yaml", "model: {", "model: {fpn_channels: 32, ");
    writeVariant("cut_image.yaml", "images: shapes/train", "images: cut");
    place_->write(text("no_yaml.yaml"), "solver: {base_lr: [\n");
    place_->write(text("circle.yaml"), "base: circle_too.yaml\n");
    place_->write(text("circle_too.yaml"), "base: circle.yaml\n");
    place_->write(text("broken.json"), "{\"images\": [");
    place_->write(text("torch.pth"), QByteArray("PK\3\4\0\0\x08\x08\0\0", 10));
  }

  void writeData() {
    writeAnnotations("orphan", [](Json& truth) { truth["annotations"][0]["image_id"] = 999; });
    writeAnnotations("two_points", [](Json& truth) {
      truth["annotations"][0]["segmentation"] = Json{{1, 1, 5, 5}};
    });
    writeAnnotations("no_category",
                     [](Json& truth) { truth["annotations"][0]["category_id"] = 77; });
    writeAnnotations("no_image", [](Json& truth) { truth["images"][0]["file_name"] = "gone.jpg"; });
    for (const char* scene : {"scene_000001", "scene_000002", "scene_000003", "scene_000004"}) {
      const QByteArray whole = place_->read(text("shapes/train/%1.jpg").arg(text(scene)));
      place_->write(text("cut/%1.jpg").arg(text(scene)), whole.left(whole.size() / 2));
    }
  }

 private Q_SLOTS:
  void initTestCase() {
    place_ = std::make_unique<TestWorkspace>();
    QVERIFY(place_->makeShapes());
    place_->writeExperiment();
    writeExperiments();
    writeData();
    const ProcessResult run = place_->engine(
        {text("train"), text("experiment.yaml"), text("--output"), text("run"), text("--set"),
         text("solver.max_steps=1"), text("--set"), text("evaluation.max_images=1")});
    QVERIFY2(run.status == 0, run.err.constData());
    const QByteArray weights =
        place_->read(text("run/checkpoints/step-00000001/model.safetensors"));
    QVERIFY(!weights.isEmpty());
    place_->write(text("weights.safetensors"), weights);
    place_->write(text("cut.safetensors"), weights.left(weights.size() / 2));
  }

  void cleanupTestCase() { place_.reset(); }

  void anErrorIsOneLineWithPlaceAndCause_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("status");
    QTest::addColumn<QStringList>("said");
    const auto row = [](const char* name, const char* line, int status,
                        const std::vector<const char*>& said) {
      QStringList fragments;
      for (const char* fragment : said) fragments << text(fragment);
      QTest::newRow(name) << text(line) << status << fragments;
    };
    row("unknown key", "train unknown.yaml", 2,
        {"unknown.yaml:9:", "solver.momemtum: unknown key", "did you mean solver.momentum?"});
    row("unknown key to set", "train experiment.yaml --set solver.shedule=step", 2,
        {"--set: solver.shedule: unknown key", "did you mean solver.schedule?"});
    row("doubled key", "train doubled.yaml", 2,
        {"doubled.yaml:2:1: name: is given twice", "remove one of them"});
    row("wrong type", "train wrong_type.yaml", 2,
        {"wrong_type.yaml:9:", "solver.max_steps: many is not a duration", "12 epochs"});
    row("out of range", "train out_of_range.yaml", 2,
        {"out_of_range.yaml:9:", "solver.momentum: 3: must be"});
    row("no YAML", "train no_yaml.yaml", 2, {"no_yaml.yaml:"});
    row("base in a circle", "train circle.yaml", 2,
        {"base: circular inheritance", "circle.yaml → circle_too.yaml → circle.yaml"});
    row("missing experiment", "train nowhere.yaml", 2, {"nowhere.yaml: no such"});
    row("missing folder", "train no_folder.yaml", 2,
        {"no_folder.yaml:4:", "dataset.train.images", "shapes/nowhere: no such folder"});
    row("missing annotations", "train no_file.yaml", 2,
        {"no_file.yaml:4:", "dataset.train.annotations", "instances_nowhere.json"});
    row("broken JSON", "train broken_json.yaml", 1,
        {"broken.json:1:", "invalid JSON", "correct it there, or export the file again"});
    row("annotation without its image", "train orphan.yaml", 1,
        {"orphan.json: annotation 1 (image 999)", "is not in \"images\"", "add the image"});
    row("polygon with two points", "train two_points.yaml", 1,
        {"two_points.json: annotation 1 (image 1)", "polygon has 2 points", "at least 3"});
    row("category not named", "train no_category.yaml", 1,
        {"no_category.json: annotation 1 (image 1)", "category 77 is not in \"categories\""});
    row("image not there", "train no_image.yaml", 2,
        {"dataset.train.images", "1 of the 4 images in the annotations is missing", "gone.jpg"});
    row("run folder that cannot be made", "train experiment.yaml --output /proc/here/run", 2,
        {"/proc/here", "cannot be created"});
    row("run folder below a file", "train experiment.yaml --output broken.json/run", 2,
        {"broken.json", "cannot be created"});
    row("run folder that is there", "train experiment.yaml --output run", 2,
        {"run: already exists", "--resume"});
    row("resumed experiment file", "train experiment.yaml --resume", 2,
        {"--resume: experiment.yaml is an experiment file", "--output RUN_DIR"});
    row("answer that cannot be written", "predict run --split val --out /proc/p.json", 2,
        {"--out /proc/p.json: cannot be written"});
    row("weights of another model",
        "evaluate other_model.yaml --weights weights.safetensors --out answer.json", 2,
        {"weights.safetensors",
         "backbone.fpn.inner_blocks.0.0.weight [64, 64, 1, 1] in the file, [32"});
    row("initial weights of another model",
        "train experiment.yaml --output other --set model.weights=weights.safetensors "
        "--set model.backbone=resnet34",
        2, {"model.weights: ", "its backbone is resnet18, model.backbone is resnet34"});
    row("initial weights with another norm",
        "train experiment.yaml --output other --set model.weights=weights.safetensors "
        "--set model.norm=frozen_batch",
        2, {"weights.safetensors does not match the model", "set model.norm to group"});
    row("check of images that are cut off", "config check cut_image.yaml --data", 2,
        {"cut_image.yaml:4:",
         "dataset.train.images: 4 of 4 images cannot be used (image ids 1, 2, 3, 4): ",
         "cut/scene_000001.jpg: is truncated"});
    row("check of weights of PyTorch",
        "config check experiment.yaml --data --set model.weights=torch.pth", 2,
        {"--set: model.weights: ", "torch.pth: is a PyTorch file", "packaging/convert_weights.py"});
    row("initial weights of PyTorch",
        "train experiment.yaml --output other --set model.weights=torch.pth", 2,
        {"torch.pth: is a PyTorch file", "packaging/convert_weights.py"});
    row("weights cut off", "evaluate experiment.yaml --weights cut.safetensors --out answer.json",
        1, {"cut.safetensors", "the file is truncated"});
    row("no weights", "evaluate experiment.yaml --out answer.json", 2,
        {"experiment.yaml", "model.weights", "--weights"});
    row("checkpoint that is not there", "evaluate run --weights 500 --out answer.json", 2, {"500"});
  }
  void anErrorIsOneLineWithPlaceAndCause() {
    QFETCH(QString, line);
    QFETCH(int, status);
    QFETCH(QStringList, said);
    const auto before = place_->files();
    const ProcessResult ended = place_->engine(line.split(QLatin1Char(' ')));
    const QString err = QString::fromUtf8(ended.err);
    for (const QString& fragment : said) QVERIFY2(err.contains(fragment), ended.err.constData());
    QCOMPARE(ended.status, status);
    const QStringList lines = err.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    // Lines before it name device and precision if the experiment leaves the choice, and warn.
    const auto chosen = lines.filter(text("[engine] device:")).size() +
                        lines.filter(text("[engine] precision:")).size();
    const auto warnings = lines.filter(text(": warning: ")).size();
    QVERIFY2(lines.size() == 1 + chosen + warnings && chosen <= 2, ended.err.constData());
    QVERIFY2(ended.out.isEmpty(), ended.out.constData());
    QCOMPARE(place_->files(), before);
  }

  void aTruncatedImageFailsTheRunWithItsName() {
    const ProcessResult ended =
        place_->engine({text("train"), text("cut_image.yaml"), text("--output"), text("failed")});
    QCOMPARE(ended.status, 1);
    const QByteArray said = ended.err.trimmed().split('\n').last();
    QVERIFY2(said.contains("cut/scene_00000") && said.contains(".jpg: is truncated") &&
                 said.contains("copy the file again, or remove the image from the annotations") &&
                 said.endsWith("; there is no checkpoint to resume from yet"),
             ended.err.constData());
    const run_folder::Layout run(place_->path(text("failed")).toStdString());
    const run_folder::RunInfo info = run_folder::readRunInfo(run);
    QCOMPARE(info.state.text(), std::string("failed"));
    QVERIFY(info.error && info.error->message.find("is truncated") != std::string::npos);
    QCOMPARE(info.error->phase.text(), std::string("data"));
    QVERIFY(run_folder::checkpointSteps(run).empty());
    const auto files = place_->files();
    for (const auto& [path, what] : files)
      QVERIFY2(!path.contains(text(".partial")), qPrintable(path));
  }

  void thousandsOfImagesReachTheWorker() {
    const QString many = place_->path(text("many"));
    QVERIFY(QDir().mkpath(many));
    for (int i = 1000; i < 6200; ++i) {  // 1.3 MB of paths: more than a message holds
      QFile file(text("%1/%2%3.png").arg(many).arg(i).arg(QString(220, QLatin1Char('n'))));
      QVERIFY(file.open(QIODevice::WriteOnly));
    }
    const ProcessResult ended = place_->engine({text("predict"), text("run"), text("--images"),
                                                text("many"), text("--out"), text("answer.json")});
    QVERIFY(QDir(many).removeRecursively());
    QCOMPARE(ended.status, 1);
    QVERIFY2(ended.err.contains("nnn.png: is an empty file; copy the file again"),
             ended.err.constData());
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

  void aRunWorksWithoutAHeldOutSet() {
    const ProcessResult ended = place_->engine(
        {text("train"), text("experiment.yaml"), text("--output"), text("no_val"), text("--set"),
         text("dataset.val.images=null"), text("--set"), text("dataset.val.annotations=null"),
         text("--set"), text("solver.max_steps=1")});
    QVERIFY2(ended.status == 0, ended.err.constData());
    QVERIFY2(ended.err.contains("--set: dataset.val.annotations: warning: is not given"),
             ended.err.constData());
    const run_folder::Layout run(place_->path(text("no_val")).toStdString());
    QCOMPARE(run_folder::checkpointSteps(run), std::vector<std::int64_t>{1});
    QVERIFY(run_folder::evaluationSteps(run).empty());
  }

  void weightsNameTheirNorm() {
    // Trained with norm: group; an experiment with norm: auto uses the file's.
    writeVariant("open_norm.yaml", "model: {", "model: {norm: auto, ");
    const ProcessResult ended = place_->engine(
        {text("evaluate"), text("open_norm.yaml"), text("--weights"), text("weights.safetensors")});
    QVERIFY2(ended.status == 0, ended.err.constData());
  }

  void predictSkipsBadFiles() {
    QVERIFY(QDir().mkpath(place_->path(text("photos/day 1"))));
    const QByteArray whole = place_->read(text("shapes/train/scene_000001.jpg"));
    place_->write(text("photos/a.jpg"), "no picture");
    place_->write(text("photos/b.jpg"), whole);
    place_->write(text("photos/day 1/c.jpg"), whole);
    const ProcessResult ended =
        place_->engine({text("predict"), text("run"), text("--images"), text("photos"),
                        text("--score"), text("0"), text("--out"), text("photos.json")});
    QCOMPARE(ended.status, 1);
    QVERIFY2(ended.err.contains("warning: ") &&
                 ended.err.contains("photos/a.jpg: is not a supported image"),
             ended.err.constData());
    QVERIFY2(ended.err.trimmed().endsWith("in 2 images; 1 image could not be read"),
             ended.err.constData());
    for (const auto& result : Json::parse(place_->read(text("photos.json")).toStdString())) {
      const std::string name = result.at("file_name");
      const bool isWhole = name.ends_with(result.at("image_id") == 2 ? "/b.jpg" : "/day 1/c.jpg");
      QVERIFY2(isWhole, name.c_str());
    }
    QVERIFY(QDir(place_->path(text("photos"))).removeRecursively());
    QVERIFY(QFile::remove(place_->path(text("photos.json"))));
  }

  void aTruncatedImageIsNotPredictedAndLeavesNoFile() {
    const auto before = place_->files();
    const ProcessResult ended =
        place_->engine({text("predict"), text("run"), text("--images"),
                        text("cut/scene_000001.jpg"), text("--out"), text("answer.json")});
    QCOMPARE(ended.status, 1);
    const QByteArray said = ended.err.trimmed().split('\n').last();
    QVERIFY2(said.contains("cut/scene_000001.jpg: is truncated") &&
                 said.contains("; copy the file again"),
             ended.err.constData());
    QCOMPARE(place_->files(), before);
  }
};

LOCKSTEP_TEST(TstBadInputs)
#include "tst_bad_inputs.moc"
