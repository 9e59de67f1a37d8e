#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/data/image_file.h"
#include "tests/support/resource_limits.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/train/small_training.h"

using namespace lockstep;
using tests::control;
using tests::Session;
namespace fs = std::filesystem;

/// What clients ask of a training run.
class TstRequests : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    tests::writeShapes(path("shapes"));
  }

  void requestsAreServedBetweenSteps() {
    Session session(smallExperiment(3), path("requests"));
    session.mailbox.post(control("pause", "a"));
    session.mailbox.post(control("checkpoint", "b"));
    session.mailbox.post(predictById("p", "answer.json"));
    session.mailbox.post(control("resume", "c"));
    QVERIFY(!session.trainer.run().stopped);
    std::vector<std::string> ids;
    for (const auto& answer : session.observer.answers) {
      ids.push_back(answer.id);
      QCOMPARE(QString::fromStdString(answer.error), QString());
    }
    QCOMPARE(ids, (std::vector<std::string>{"a", "b", "p", "c"}));
    QVERIFY(fs::exists(session.layout.checkpoint(1)));
    QVERIFY(readJson("answer.json").contains("detections"));
    QVERIFY(std::ranges::find(session.observer.states, "paused") != session.observer.states.end());
  }

  void theBestIsKeptWhereACheckpointIsAlready() {
    config::Experiment experiment = smallExperiment(2);
    experiment.evaluation.bestMetric = "loss_total";
    Session session(experiment, path("best"));
    session.mailbox.post(control("pause", "a"));
    session.mailbox.post(control("checkpoint", "b"));
    session.mailbox.post(control("evaluate", "c"));
    session.mailbox.post(control("resume", "d"));
    std::optional<run_folder::Best> best;
    bool isAsked = false;
    session.observer.afterAnswer = [&] {
      if (session.observer.answers.back().id == "c")
        best = run_folder::readTrainingState(session.layout.checkpoint(1)).best;
      if (session.observer.answers.back().id == "b")
        isAsked = run_folder::readTrainingState(session.layout.checkpoint(1)).isAsked;
    };
    session.trainer.run();
    QVERIFY(isAsked);
    QVERIFY(!run_folder::readTrainingState(session.layout.checkpoint(2)).isAsked);
    const auto& checkpoints = session.observer.checkpoints;
    QVERIFY(checkpoints.size() >= 2);
    QVERIFY(checkpoints[0].step == 1 && !checkpoints[0].best);
    QVERIFY(checkpoints[1].step == 1 && checkpoints[1].best && checkpoints[1].error.empty());
    QVERIFY(best && best->step == 1 && best->metric == "loss_total");
    QCOMPARE(std::optional(best->value), session.observer.evaluations[0].bestValue);
  }

  void aFailedEvaluationIsAnsweredAndTrainingContinues() {
    config::Experiment experiment = smallExperiment(2);
    fs::copy(experiment.dataset.val.images, path("val"));
    experiment.dataset.val.images = path("val");
    const fs::path image = fs::directory_iterator(path("val"))->path();
    fs::rename(image, path("away.jpg"));
    Session session(experiment, path("no evaluation"));
    session.observer.afterAnswer = [&] { fs::rename(path("away.jpg"), image); };
    session.mailbox.post(control("evaluate", "e"));
    QCOMPARE(session.trainer.run().step, std::int64_t(2));
    QCOMPARE(session.observer.answers.size(), std::size_t(1));
    const std::string& error = session.observer.answers[0].error;
    QVERIFY2(error.find(image.filename().string()) != std::string::npos, error.c_str());
    const auto& states = session.observer.states;
    const auto evaluating = std::ranges::find(states, "evaluating");
    QVERIFY(evaluating != states.end() && *(evaluating + 1) == "running");
  }

  void aPredictionThatRunsOutOfMemoryIsAnsweredAndTrainingContinues() {
    constexpr int kSidePx = 4000;
    constexpr std::size_t kImageBytes = std::size_t{3} * kSidePx * kSidePx;
    data::RgbImage large(kSidePx, kSidePx);
    std::fill_n(large.pixels.get(), kImageBytes, std::uint8_t{0});
    data::writeImage(large, path("large.png"));
    const protocol::Control predict{
        "p", protocol::Predict{{.paths = {path("large.png")}}, path("large.json")}};

    Session session(smallExperiment(2), path("no memory"));
    session.mailbox.post(control("pause", "a"));
    session.mailbox.post(predict);
    session.mailbox.post(predictById("q", "small.json"));
    session.mailbox.post(control("resume", "b"));
    std::optional<tests::LittleMemory> memory;
    session.observer.afterAnswer = [&] {
      memory.reset();
      // Not enough to decode the image.
      if (session.observer.answers.back().id == "a") memory.emplace(kImageBytes / 2);
    };
    QCOMPARE(session.trainer.run().step, std::int64_t(2));
    QCOMPARE(session.observer.answers.size(), std::size_t(4));
    QVERIFY2(session.observer.answers[1].error.starts_with("out of memory; lower augment.min_size"),
             session.observer.answers[1].error.c_str());
    QVERIFY(!fs::exists(path("large.json")));
    QCOMPARE(session.observer.answers[2].error, std::string());
    QVERIFY(fs::exists(path("small.json")));
  }

  void anExplanationHasThePredictionsOfTheSameWeights() {
    const Session& session = answeringSession();
    QCOMPARE(session.observer.answers.size(), std::size_t(6));
    for (std::size_t i = 0; i < 3; ++i)
      QCOMPARE(QString::fromStdString(session.observer.answers[i].error), QString());
    const std::string& unknown = session.observer.answers[3].error;
    QVERIFY2(unknown.find("99") != std::string::npos, unknown.c_str());
    nlohmann::json explained = readJson("explained.json").at("detections");
    QVERIFY(!explained.empty());
    for (auto& detection : explained)
      for (const char* more : {"proposal", "classes", "mask"}) detection.erase(more);
    QVERIFY(explained == readJson("predicted.json").at("detections"));
    QVERIFY(!readJson("training.json").at("truths").empty());
  }

  void predictionsContainTheirScoreThreshold_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<double>("stated");
    QTest::newRow("of the run") << QStringLiteral("answering/predictions/step-00000001.json")
                                << 0.125;
    QTest::newRow("below the model's own") << QStringLiteral("lower.json") << 0.125;
    QTest::newRow("above it") << QStringLiteral("higher.json") << 0.25;
  }
  void predictionsContainTheirScoreThreshold() {
    QFETCH(QString, file);
    QFETCH(double, stated);
    answeringSession();
    const auto json = readJson(file.toStdString());
    QCOMPARE(json.at("score_threshold").get<double>(), stated);
    for (const auto& detection : json.at("detections"))
      QVERIFY(detection.at("score").get<double>() >= stated);
  }

 private:
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }
  nlohmann::json readJson(const std::string& name) const {
    return nlohmann::json::parse(base::readFile(path(name)));
  }
  /// A request to predict the first validation scene.
  protocol::Control predictById(const std::string& id, const std::string& out,
                                double scoreThreshold = 0.05) const {
    return {id, protocol::Predict{{.imageIds = {5}, .scoreThreshold = scoreThreshold}, path(out)}};
  }
  config::Experiment smallExperiment(int steps) const {
    return tests::smallExperiment(path("shapes"), steps);
  }

  /// One step of a model with a score threshold of 0.125, in which predictions and explanations
  /// were asked for.
  const Session& answeringSession() {
    if (answering_) return *answering_;
    config::Experiment experiment = smallExperiment(1);
    experiment.model.boxHead.scoreThreshold = 0.125;
    answering_ = std::make_unique<Session>(experiment, path("answering"));
    train::Mailbox& mailbox = answering_->mailbox;
    mailbox.post(predictById("p", "predicted.json", 0));
    mailbox.post({"x", protocol::Explain{{.imageId = 5}, path("explained.json")}});
    mailbox.post({"t", protocol::Explain{{.imageId = 1, .split = protocol::Split::Train},
                                         path("training.json")}});
    mailbox.post({"u", protocol::Explain{{.imageId = 99}, path("unknown.json")}});
    mailbox.post(predictById("l", "lower.json", 0.0625));
    mailbox.post(predictById("h", "higher.json", 0.25));
    answering_->trainer.run();
    return *answering_;
  }

  QTemporaryDir folder_;
  std::unique_ptr<Session> answering_;
};

LOCKSTEP_TEST(TstRequests)
#include "tst_requests.moc"
