// Configure's experiment while packaging/quickstart.sh still prepares its data.
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <memory>
#include <optional>

#include "app/configure/configure_page.h"
#include "app/configure/new_experiment_dialog.h"
#include "app/configure/preparation_banner.h"
#include "engine/base/file_lock.h"
#include "tests/support/test_main.h"
#include "widgets/config_editor/config_editor.h"

using namespace lockstep;
using app::ConfigurePage;
using app::Preparation;
using app::PreparationBanner;
using Stage = app::Preparation::Stage;

namespace {

constexpr const char* kOneImage =
    R"({"images": [{"id": 1, "file_name": "a.png", "width": 64, "height": 64}],
        "categories": [{"id": 1, "name": "a"}], "annotations": [{"id": 1, "image_id": 1,
        "category_id": 1, "bbox": [8, 8, 24, 24], "area": 576, "iscrowd": 0}]})";

}  // namespace

class TstPreparation : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::optional<base::FileLock> script_;  ///< that prepares the data, as long as it lives

  QString pathOf(const char* name) const { return folder_->filePath(QLatin1String(name)); }
  void write(const char* name, const QByteArray& text) const { writeTo(pathOf(name), text); }
  static void writeTo(const QString& path, const QByteArray& text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }
  void tell(const QByteArray& state) const { write("preparing.json", state); }
  void scriptBegins() {
    tell(R"({"stage": "building", "percent": -1, "seconds_left": -1})");
    script_ = base::FileLock::tryAcquire(pathOf("preparing.json").toStdString());
    QVERIFY(script_);
  }
  void open(ConfigurePage& page) const {
    page.show();
    QVERIFY(page.open(pathOf("experiment.yaml")));
    QTRY_VERIFY(page.isReady());
  }

 private Q_SLOTS:
  void init() {
    script_.reset();
    folder_ = std::make_unique<QTemporaryDir>();
    write("experiment.yaml", "name: a\ndataset: {train: {images: ., annotations: train.json}}\n");
  }

  void withoutAScriptNothingIsPrepared() {
    write("train.json", kOneImage);
    ConfigurePage page;
    open(page);
    QCOMPARE(page.preparation(), Preparation());
    QCOMPARE(page.trainingBlockedBy(), QString());
  }

  void trainWaitsForTheScript() {
    scriptBegins();
    ConfigurePage page;
    open(page);
    QVERIFY(page.trainingBlockedBy().contains(QStringLiteral("are being prepared")));
    QVERIFY(page.trainingBlockedBy().contains(QStringLiteral("lockstep-worker")));
    QCOMPARE(page.fileToTrain(), QString());
    const auto* rangeTest = page.findChild<QPushButton*>(QStringLiteral("rangeTest"));
    QVERIFY(!rangeTest->isEnabled());
    QSignalSpy changed(&page, &ConfigurePage::documentChanged);
    tell(R"({"stage": "building", "percent": 43, "seconds_left": 200})");
    QTRY_COMPARE(page.preparation(), (Preparation{Stage::Building, 43, 200}));
    QVERIFY(page.trainingBlockedBy().contains(QStringLiteral("43 %, about 3:20 left")));
    QVERIFY(!changed.isEmpty());
    tell(R"({"stage": "making", "percent": -1, "seconds_left": -1})");
    QTRY_COMPARE(page.preparation().stage, Stage::Making);
    write("train.json", kOneImage);
    QVERIFY(QFile::remove(pathOf("preparing.json")));
    script_.reset();
    QTRY_COMPARE(page.trainingBlockedBy(), QString());
    QVERIFY(rangeTest->isEnabled());
    QCOMPARE(page.fileToTrain(), pathOf("experiment.yaml"));
  }

  void thatTheyAreNotThereIsNoErrorYet() {
    scriptBegins();
    ConfigurePage page;
    open(page);
    QTRY_COMPARE(page.editor()->errorCount(), 0);
    QVERIFY(QFile::remove(pathOf("preparing.json")));
    QTRY_COMPARE(page.editor()->errorCount(), 1);
  }

  void imagesAreCountedOnceTheyAreThere() {
    const auto isCounted = [](const ConfigurePage& page) {
      const auto labels = page.findChildren<QLabel*>();
      return std::ranges::any_of(labels, [](const QLabel* label) {
        return label->text() == QLatin1String("steps per epoch");
      });
    };
    scriptBegins();
    ConfigurePage page;
    open(page);
    QVERIFY(!isCounted(page));
    write("train.json", kOneImage);
    QVERIFY(QFile::remove(pathOf("preparing.json")));
    QTRY_VERIFY(isCounted(page));
  }

  void aScriptThatHasEndedIsToBeRunAgain() {
    scriptBegins();
    ConfigurePage page;
    open(page);
    script_.reset();
    QTRY_COMPARE(page.preparation().stage, Stage::Ended);
    QVERIFY(page.preparation().text().contains(QStringLiteral("packaging/quickstart.sh")));
    QTRY_COMPARE(page.editor()->errorCount(), 1);
    write("train.json", kOneImage);
    page.editor()->changeText(page.editor()->text() + QStringLiteral("# own data\n"));
    QTRY_COMPARE(page.trainingBlockedBy(), QString());
    scriptBegins();
    QTRY_COMPARE(page.preparation().stage, Stage::Building);
  }

  void anotherExperimentIsNotConcerned() {
    scriptBegins();
    const QTemporaryDir other;
    QVERIFY(QFile::copy(pathOf("experiment.yaml"), other.filePath(QStringLiteral("b.yaml"))));
    writeTo(other.filePath(QStringLiteral("train.json")), kOneImage);
    ConfigurePage page;
    open(page);
    QVERIFY(page.open(other.filePath(QStringLiteral("b.yaml"))));
    QTRY_VERIFY(page.isReady());
    QCOMPARE(page.trainingBlockedBy(), QString());
    page.showNext();
    QTRY_COMPARE(page.preparation().stage, Stage::Building);
  }

  void nothingElseIsMadeWithoutTheWorker() {
    app::NewExperimentDialog dialog;
    dialog.choose(app::ExperimentOrigin::Scenes);
    const auto buttons = dialog.findChildren<QPushButton*>();
    const auto found = std::ranges::find(buttons, QStringLiteral("Generate"), &QPushButton::text);
    QVERIFY(found != buttons.end());
    QTRY_VERIFY((*found)->isEnabled());
    const QString why = QStringLiteral("lockstep-worker is being built");
    dialog.setBlocked(why);
    QVERIFY(!(*found)->isEnabled());
    QCOMPARE((*found)->toolTip(), why);
    dialog.choose(app::ExperimentOrigin::Data);
    QCOMPARE((*found)->toolTip(), why);
    dialog.choose(app::ExperimentOrigin::Template);
    QCOMPARE((*found)->toolTip(), QString());
    dialog.choose(app::ExperimentOrigin::Scenes);
    dialog.setBlocked({});
    QVERIFY((*found)->isEnabled());
  }

  void aDismissedBannerIsBackAtTheNextStage() {
    PreparationBanner banner;
    const QString name = QStringLiteral("shapes");
    banner.setPreparation({}, name);
    QVERIFY(banner.isHidden());
    banner.setPreparation({Stage::Building, 10}, name);
    QVERIFY(!banner.isHidden());
    QVERIFY(banner.title().contains(name));
    banner.setPreparation({Stage::Building, 11}, name);
    QVERIFY(banner.detail().contains(QStringLiteral("11 %")));
    banner.dismiss();
    banner.setPreparation({Stage::Building, 12}, name);
    QVERIFY(banner.isHidden());
    banner.setPreparation({Stage::Making}, name);
    QVERIFY(!banner.isHidden());
    banner.setPreparation({}, name);
    QVERIFY(banner.isHidden());
  }
};

LOCKSTEP_TEST(TstPreparation)
#include "tst_preparation.moc"
