#include <QDir>
#include <QImage>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <nlohmann/json.hpp>

#include "app/predictions_page/predictions_page.h"
#include "engine/base/atomic_file.h"
#include "engine/explanation/explanation.h"
#include "tests/app/live_run.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/explain_panel.h"
#include "widgets/image_view/predictions_view.h"

using namespace lockstep;
using app::PredictionsPage;
using app::RunController;

namespace {

const std::string kExplainedData = R"({"images": [
  {"id": 3, "file_name": "a.png", "width": 8, "height": 8}],
  "categories": [{"id": 1, "name": "thing"}], "annotations": []})";

/// In `folder`, where its one image is.
tests::MadeRun madeRun(const QTemporaryDir& folder, bool isLive) {
  tests::MadeRun made = isLive ? tests::LiveRun::madeLive() : tests::MadeRun();
  made.valImages = made.trainImages = folder.path().toStdString();
  made.valAnnotations = made.trainAnnotations =
      folder.filePath(QStringLiteral("data.json")).toStdString();
  base::writeFileAtomically(made.valAnnotations, kExplainedData);
  QImage picture(8, 8, QImage::Format_RGB32);
  picture.fill(Qt::gray);
  picture.save(folder.filePath(QStringLiteral("a.png")));
  made.watchedImages = {3};
  made.keptCheckpoints = {20};
  return made;
}

std::string sampleAnswer() {
  explanation::Explanation of{.image = {3}, .width = 8, .height = 8};
  of.levels = {{.place = {0, 0, 8, 8}, .width = 1, .height = 1, .anchors = 3, .scores = "x"}};
  of.proposalCount = 17;
  return explanation::toJson(of);
}

}  // namespace

class TstExplanations : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<PredictionsPage> page_;

  void show(RunController& run) {
    page_ = std::make_unique<PredictionsPage>();
    page_->resize(1200, 800);
    page_->setRun(&run);
    run.refresh();
    page_->show();
    QVERIFY(QTest::qWaitForWindowActive(page_.get()));  // else keys are no shortcuts yet
    QTRY_VERIFY(run.isLoaded());
    QTRY_VERIFY(page_->isReady() && page_->view()->currentCheckpoint() == 20);
    page_->view()->setFocus();
  }
  bool says(const QString& part) const {
    const auto labels = page_->findChild<widgets::ExplainPanel*>()->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel* label) { return label->text().contains(part); });
  }
  QListWidget* steps() const { return page_->findChild<widgets::ExplainPanel*>()->steps(); }

 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }
  void cleanup() { page_.reset(); }

  void theEngineOfALiveRunIsAsked() {
    const QString before = QDir::currentPath();
    QDir::setCurrent(folder_->path());  // of the answer's path
    QDir().mkdir(QStringLiteral("answers"));
    base::writeFileAtomically("answers/1.json", sampleAnswer());
    tests::LiveRun live(madeRun(*folder_, true));
    QVERIFY(live.engine.start({live.welcome()}));
    RunController run(live.folder);
    show(run);
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Connected);
    QTest::keyClick(page_->view(), Qt::Key_E);
    QByteArray asked;
    while (!asked.contains("explain")) {
      asked = live.engine.nextLine();
      QVERIFY(!asked.isEmpty());
    }
    QVERIFY2(asked.contains(R"("image":3,"split":"val","weights":"20")"), asked.constData());
    QTRY_VERIFY(steps()->isVisible());
    QCOMPARE(steps()->item(2)->data(Qt::UserRole).toString(), QStringLiteral("17"));
    QDir::setCurrent(before);
  }

  void anOlderEngineIsSaidInOneLine() {
    tests::LiveRun live(madeRun(*folder_, true));
    const QByteArray refusal = tests::refusalOf("app-1", "type 'explain' is not known here");
    QVERIFY(live.engine.start({"@mute", live.welcome(), "@await", refusal}));
    RunController run(live.folder);
    show(run);
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Connected);
    QTest::keyClick(page_->view(), Qt::Key_E);
    QTRY_VERIFY(says(QStringLiteral("is of an older version")));
  }

  /// By `lockstep-engine inspect`, which cannot use this checkpoint.
  void aFinishedRunIsInspected() {
    RunController run(tests::makeRun(folder_->path(), madeRun(*folder_, false)));
    show(run);
    QTest::keyClick(page_->view(), Qt::Key_E);
    QVERIFY(says(QStringLiteral("Explaining with the checkpoint of step 20")));
    QTRY_VERIFY_WITH_TIMEOUT(says(QStringLiteral("step-00000020")), 60000);
  }

  void aTrainingImageIsOfItsPart() {
    tests::LiveRun live(madeRun(*folder_, true));
    QVERIFY(live.engine.start({"@mute", live.welcome()}));
    RunController run(live.folder);
    show(run);
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Connected);
    for (auto* action : page_->actions())
      if (action->objectName() == QStringLiteral("predictions.training_images")) action->trigger();
    QTRY_VERIFY(page_->isReady() && page_->view()->currentCheckpoint() == 20);
    page_->view()->setFocus();
    QTest::keyClick(page_->view(), Qt::Key_E);
    QByteArray asked;
    while (!asked.contains("explain")) {
      asked = live.engine.nextLine();
      QVERIFY(!asked.isEmpty());
    }
    QVERIFY2(asked.contains(R"("image":3,"split":"train")"), asked.constData());
  }

  void whatIsNoExplanationIsSaid() {
    const std::string broken = folder_->filePath(QStringLiteral("broken.json")).toStdString();
    const std::string whole = folder_->filePath(QStringLiteral("whole.json")).toStdString();
    base::writeFileAtomically(broken, "{\"image_id\": 3");
    base::writeFileAtomically(whole, sampleAnswer());
    tests::LiveRun live(madeRun(*folder_, true));
    QVERIFY(live.engine.start({"@mute", live.welcome(), "@await", tests::okOf("app-1", broken),
                               "@await", tests::okOf("app-2", whole)}));
    RunController run(live.folder);
    show(run);
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Connected);
    QTest::keyClick(page_->view(), Qt::Key_E);
    QTRY_VERIFY(says(QString::fromStdString(broken) + QStringLiteral(": not JSON")));
    for (auto* button : page_->findChild<widgets::ExplainPanel*>()->findChildren<QPushButton*>())
      if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY(steps()->isVisible());
  }

  /// Each image that is passed is canceled, and its answer says nothing of the next request for it.
  void anOpenedImageThatIsLeftIsCanceled() {
    tests::LiveRun live(madeRun(*folder_, true));
    QVERIFY(live.engine.start({"@mute", live.welcome()}));
    RunController run(live.folder);
    show(run);
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Connected);
    QStringList files;
    for (const char* name : {"b.png", "c.png"}) {
      files << folder_->filePath(QLatin1String(name));
      QVERIFY(QFile::copy(folder_->filePath(QStringLiteral("a.png")), files.last()));
    }
    page_->openImages(files);
    QTRY_VERIFY(page_->isReady() && page_->view()->currentCheckpoint() == 20 &&
                page_->view()->shownImage());
    page_->view()->setFocus();
    QTest::keyClick(page_->view(), Qt::Key_E);
    QTest::keyClick(page_->view(), Qt::Key_D);
    QTest::keyClick(page_->view(), Qt::Key_A);
    const auto next = [&](const char* type) {
      for (QByteArray sent = live.engine.nextLine(); !sent.isEmpty();
           sent = live.engine.nextLine()) {
        auto request = nlohmann::json::parse(sent.toStdString());
        if (request["type"] == type) return request;
      }
      return nlohmann::json();
    };
    const auto first = next("explain");
    QCOMPARE(first["image"].get<std::string>(), files[0].toStdString());
    QVERIFY(next("cancel")["id"] == first["id"]);
    const auto second = next("explain");
    QCOMPARE(second["image"].get<std::string>(), files[1].toStdString());
    QVERIFY(next("cancel")["id"] == second["id"]);
    QVERIFY(next("explain")["image"] == first["image"]);
  }

  void theAnswerOfACanceledRequestSaysNothingOfTheNext() {
    tests::LiveRun live(madeRun(*folder_, true));
    const std::string whole = folder_->filePath(QStringLiteral("whole.json")).toStdString();
    base::writeFileAtomically(whole, sampleAnswer());
    QVERIFY(live.engine.start({"@mute", live.welcome(), "@await", "@await", "@await",
                               tests::refusalOf("app-1", "cancelled"), "@await",
                               tests::okOf("app-2", whole)}));
    RunController run(live.folder);
    show(run);
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Connected);
    QSignalSpy refused(&run, &RunController::predictionFailed);
    QTest::keyClick(page_->view(), Qt::Key_E);
    for (int click = 0; click < 2; ++click)  // Cancel, and Explain this image
      for (auto* button : page_->findChild<widgets::ExplainPanel*>()->findChildren<QPushButton*>())
        if (button->isVisible()) {
          QTest::mouseClick(button, Qt::LeftButton);
          break;
        }
    QTRY_COMPARE(refused.count(), 1);
    QVERIFY(says(QStringLiteral("Explaining with the checkpoint of step 20")));
    run.saveCheckpoint();  // lets the answer come
    QTRY_VERIFY(steps()->isVisible());
  }
};

LOCKSTEP_TEST(TstExplanations)
#include "tst_explanations.moc"
