#include <signal.h>

#include <QFileInfo>
#include <QImage>
#include <QRegularExpression>
#include <QTest>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using Json = nlohmann::json;
using tests::Curves;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::text;
using tests::words;

namespace {

std::vector<std::int64_t> stepsOf(const tests::Curve& curve) {
  std::vector<std::int64_t> steps;
  for (const auto& [step, value] : curve) steps.push_back(step);
  return steps;
}

std::vector<std::int64_t> stepsUpTo(std::int64_t last) {
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 1; step <= last; ++step) steps.push_back(step);
  return steps;
}

/// Whether `right` has bit-identical values at every step of `left` up to `last`.
QString firstDifference(const Curves& left, const Curves& right, const char* prefix,
                        std::int64_t last) {
  const auto curves = left.beginningWith(prefix);
  if (curves.empty()) return text("there is no ") + text(prefix);
  for (const auto& [tag, curve] : curves) {
    const tests::Curve& other = right.of(tag);
    for (const auto& [step, value] : curve) {
      if (step > last) continue;
      const auto found = other.find(step);
      if (found == other.end()) return text("%1 lacks step %2").arg(text(tag)).arg(step);
      if (std::memcmp(&found->second, &value, sizeof value) != 0)
        return text("%1 at step %2: %3 and %4")
            .arg(text(tag))
            .arg(step)
            .arg(value, 0, 'g', 9)
            .arg(found->second, 0, 'g', 9);
    }
  }
  return {};
}

}  // namespace

/// lockstep-engine and lockstep-worker on generated scenes. All tests use one run of 6 steps.
class TstCommandLine : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<TestWorkspace> place_;

  ProcessResult engine(const char* line) { return place_->engine(words(line)); }
  Json json(const char* name) { return Json::parse(place_->read(text(name)).toStdString()); }
  run_folder::Layout layout(const char* name) {
    return run_folder::Layout(place_->path(text(name)).toStdString());
  }

 private Q_SLOTS:
  void initTestCase() {
    place_ = std::make_unique<TestWorkspace>();
    const QByteArray said = place_->copyMadeRun();
    // Lines that other programs parse.
    for (int step = 1; step <= 6; ++step) {
      const QByteArray line = "step=" + QByteArray::number(step) + " max_steps=6 loss_total=";
      QVERIFY2(said.contains(line), said.constData());
    }
  }

  void cleanupTestCase() { place_.reset(); }

  void trainingWritesACompleteRunFolder() {
    const run_folder::Layout run = layout("run");
    using Steps = std::vector<std::int64_t>;
    QCOMPARE(run_folder::checkpointSteps(run), (Steps{2, 4, 6}));
    QCOMPARE(run_folder::evaluationSteps(run), (Steps{2, 4, 6}));
    QStringList names;
    for (const auto& [path, what] : place_->files()) {
      if (!path.startsWith(place_->path(text("run/")))) continue;
      names << path.mid(place_->path(text("run/")).size());
      QVERIFY2(!path.contains(text(".partial")), qPrintable(path));
      QVERIFY2(!what.startsWith(text("0 bytes")) || path.endsWith(text(".log")) ||
                   path.endsWith(text("run.lock")),
               qPrintable(path));
    }
    for (const char* name :
         {"config.yaml", "run.json", "run.lock", "engine.log", "rank-0.log",
          "checkpoints/step-00000006/model.safetensors",
          "checkpoints/step-00000006/optimizer.safetensors", "checkpoints/step-00000006/state.json",
          "evaluations/step-00000006.json", "predictions/step-00000002.json",
          "predictions/step-00000004.json", "predictions/step-00000006.json"})
      QVERIFY2(names.contains(text(name)), name);
    QCOMPARE(names.filter(QRegularExpression(text("^events\\.out\\.tfevents\\."))).size(), 1);

    const run_folder::RunInfo info = run_folder::readRunInfo(run);
    QCOMPARE(info.state.text(), std::string("finished"));
    QCOMPARE(info.step, std::int64_t{6});
    QCOMPARE(info.attempt, 1);
    QVERIFY(!info.error && info.best);
    QCOMPARE(info.best->metric, std::string("segm/AP"));
    QVERIFY(!run_folder::RunLock::isHeld(run));
  }

  void everyStepAndEvaluationIsLogged() {
    const Curves curves = place_->curvesOf(text("run"));
    QCOMPARE(curves.doubles, 0);
    for (const char* tag : {"train/loss_total", "train/loss_classifier", "train/loss_box_reg",
                            "train/loss_mask", "train/loss_objectness", "train/loss_rpn_box_reg",
                            "solver/lr", "time/step_seconds", "time/images_per_second"})
      QCOMPARE(stepsOf(curves.of(tag)), stepsUpTo(6));
    for (const char* tag : {"eval/loss_total", "eval/loss_mask"})
      QCOMPARE(stepsOf(curves.of(tag)), (std::vector<std::int64_t>{2, 4, 6}));
    // AP is due every 4 steps and at the last.
    for (const char* tag : {"eval/segm/AP", "eval/bbox/AP50"})
      QCOMPARE(stepsOf(curves.of(tag)), (std::vector<std::int64_t>{4, 6}));
    for (const auto& [step, total] : curves.of("train/loss_total")) {
      float sum = 0;
      for (const auto& [tag, curve] : curves.beginningWith("train/loss_"))
        if (tag != "train/loss_total") sum += curve.at(step);
      QVERIFY(std::abs(sum - total) < 1e-4F * total);
    }
  }

  void theConfigOfARunRepeatsIt() {
    const ProcessResult again = engine("train run/config.yaml --output again");
    QVERIFY2(again.status == 0, again.err.constData());
    QCOMPARE(place_->read(text("again/config.yaml")), place_->read(text("run/config.yaml")));
    const Curves first = place_->curvesOf(text("run")), second = place_->curvesOf(text("again"));
    for (const char* prefix : {"train/loss_", "eval/", "solver/"})
      QCOMPARE(firstDifference(first, second, prefix, 6), QString());
    QVERIFY(json("again/predictions/step-00000006.json") ==
            json("run/predictions/step-00000006.json"));
    QCOMPARE(place_->read(text("again/checkpoints/step-00000006/model.safetensors")),
             place_->read(text("run/checkpoints/step-00000006/model.safetensors")));
  }

  void aTerminatedRunResumesBitIdentically() {
    const auto engine = place_->start(
        "lockstep-engine",
        words("train experiment.yaml --output stopped --set solver.max_steps=100000"));
    QByteArray said;
    QTRY_VERIFY2_WITH_TIMEOUT((said += engine->readAllStandardError()).contains("step=1 ") ||
                                  engine->state() == QProcess::NotRunning,
                              said.constData(), 120000);
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    const ProcessResult ended = TestWorkspace::finish(*engine);
    said += ended.err;
    QVERIFY2(ended.status == 75, said.constData());
    const run_folder::RunInfo stopped = run_folder::readRunInfo(layout("stopped"));
    QCOMPARE(stopped.state.text(), std::string("stopped"));
    QVERIFY(stopped.step >= 1);
    QCOMPARE(run_folder::checkpointSteps(layout("stopped")).back(), stopped.step);

    const std::int64_t last = std::max<std::int64_t>(6, stopped.step + 1);
    const ProcessResult resumed = place_->engine(
        words("train stopped --resume --set") + QStringList{text("solver.max_steps=%1").arg(last)});
    QVERIFY2(resumed.status == 0, resumed.err.constData());
    const run_folder::RunInfo info = run_folder::readRunInfo(layout("stopped"));
    QCOMPARE(info.state.text(), std::string("finished"));
    QCOMPARE(info.step, last);
    QCOMPARE(info.attempt, 2);
    const Curves whole = place_->curvesOf(text("run")), parts = place_->curvesOf(text("stopped"));
    QCOMPARE(parts.doubles, 0);
    QCOMPARE(stepsOf(parts.of("train/loss_total")), stepsUpTo(last));
    QCOMPARE(firstDifference(whole, parts, "train/loss_", 6), QString());
    if (last == 6) {
      QCOMPARE(place_->read(text("stopped/checkpoints/step-00000006/model.safetensors")),
               place_->read(text("run/checkpoints/step-00000006/model.safetensors")));
    }
  }

  void evaluateRepeatsTheMetricsOfTheRun_data() {
    QTest::addColumn<int>("step");
    QTest::addColumn<bool>("hasPrecision");
    QTest::newRow("losses alone were due") << 2 << false;
    QTest::newRow("the last step") << 6 << true;
  }
  void evaluateRepeatsTheMetricsOfTheRun() {
    QFETCH(int, step);
    QFETCH(bool, hasPrecision);
    const ProcessResult ended =
        place_->engine(words("evaluate run --per-image --out evaluation.json") +
                       QStringList{text("--weights"), QString::number(step)});
    QVERIFY2(ended.status == 0, ended.err.constData());
    const Json now = json("evaluation.json");
    const Json then =
        json(qPrintable(text("run/evaluations/step-%1.json").arg(step, 8, 10, QLatin1Char('0'))));
    QVERIFY(now["step"] == Json(step));
    QVERIFY(now["images"] == Json(2));
    QCOMPARE(now["losses"].size(), std::size_t{6});
    QVERIFY(now["losses"] == then["losses"]);
    QVERIFY(now["per_image"] == then["per_image"]);
    QCOMPARE(now["segm"].size(), std::size_t{12});
    QCOMPARE(then["segm"].is_null(), !hasPrecision);
    if (hasPrecision) QVERIFY(now == then);
    // The table on standard output has the same values.
    QVERIFY2(ended.out.contains("loss_total"), ended.out.constData());
  }

  void predictWritesResultsAndOverlays() {
    const ProcessResult ended = engine(
        "predict run --split val --score 0.02 --out results.json --overlays pictures "
        "--overlay-score 0.02");
    QVERIFY2(ended.status == 0, ended.err.constData());
    const Json truth = json("shapes/annotations/instances_val.json");
    std::map<int, QSize> sizes;
    for (const Json& image : truth["images"])
      sizes[image["id"]] = QSize(image["width"], image["height"]);
    const Json results = json("results.json");
    QVERIFY(results.is_array() && !results.empty());
    for (const Json& result : results) {
      QVERIFY(sizes.count(result["image_id"]) == 1);
      QVERIFY(result["score"] >= 0.02 && result["score"] <= 1.0);
      QVERIFY(result["category_id"] >= 1 && result["category_id"] <= 4);
      QCOMPARE(result["bbox"].size(), std::size_t{4});
      const QSize size = sizes[result["image_id"]];
      QVERIFY((result["segmentation"]["size"] == Json{size.height(), size.width()}));
      QVERIFY(result["segmentation"]["counts"].is_string());
    }
    for (const Json& image : truth["images"]) {
      const QString name = QString::fromStdString(image["file_name"].get<std::string>());
      const QImage plain(place_->path(text("shapes/val/") + name));
      const QImage drawn(place_->path(text("pictures/") + QFileInfo(name).completeBaseName() +
                                      text("-%1.png").arg(image["id"].get<int>())));
      QVERIFY2(!drawn.isNull(), qPrintable(name));
      QCOMPARE(drawn.size(), plain.size());
      QVERIFY(drawn.convertToFormat(QImage::Format_RGB32) !=
              plain.convertToFormat(QImage::Format_RGB32));
    }
  }

  void predictAcceptsFoldersAndSkipsWhatIsNoImage() {
    for (const auto& [scene, photo] : {std::pair{"scene_000005.jpg", "day 1/scene_000005.jpg"},
                                       std::pair{"scene_000006.jpg", "scene_000006.jpg"}})
      place_->write(text("photos/") + text(photo), place_->read(text("shapes/val/") + text(scene)));
    place_->write(text("photos/z.jpg"), "no picture");
    const ProcessResult ended = engine("predict run --images photos --score 0.02 --out files.json");
    QCOMPARE(ended.status, 1);
    QVERIFY2(ended.err.contains("warning: ") &&
                 ended.err.contains("photos/z.jpg: is not a supported image"),
             ended.err.constData());
    const ProcessResult split = engine("predict run --split val --score 0.02 --out split.json");
    QVERIFY2(split.status == 0, split.err.constData());
    const Json files = json("files.json"), ids = json("split.json");
    QCOMPARE(files.size(), ids.size());
    // Ids count 1 … n by name; the scenes that are held out are 5 and 6.
    for (std::size_t i = 0; i < files.size(); ++i) {
      QCOMPARE(files[i]["image_id"].get<int>() + 4, ids[i]["image_id"].get<int>());
      QVERIFY(files[i]["score"] == ids[i]["score"]);
      QVERIFY(files[i]["segmentation"] == ids[i]["segmentation"]);
      QVERIFY(files[i]["file_name"].get<std::string>().ends_with(
          "scene_00000" + std::to_string(ids[i]["image_id"].get<int>()) + ".jpg"));
    }
  }
};

LOCKSTEP_TEST(TstCommandLine)
#include "tst_command_line.moc"
