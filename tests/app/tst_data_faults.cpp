// Faults of data and weights that the engine finds are shown at their fields and lines.
#include <QDir>
#include <QFile>
#include <QImage>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/configure/configure_page.h"
#include "app/runs/panel/runs_panel.h"
#include "engine/run_folder/training_state.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "widgets/banner.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/config_editor/config_form.h"
#include "widgets/config_editor/field_row.h"
#include "widgets/config_editor/yaml_text.h"

using namespace lockstep;
using app::ConfigurePage;

namespace {

constexpr int kCheckPatienceMs = 60000;
constexpr const char* kAnnotations =
    R"({"images": [{"id": 1, "file_name": "a.png", "width": 64, "height": 64}],
        "categories": [{"id": 1, "name": "a"}], "annotations": [{"id": 1, "image_id": 1,
        "category_id": 1, "bbox": [8, 8, 24, 24], "area": 576, "iscrowd": 0,
        "segmentation": [[8, 8, 32, 8, 32, 32, 8, 32]]}]})";
constexpr const char* kCheckedExperiment =
    "name: a\n"
    "dataset:\n"
    "  train:\n"
    "    images: images\n"
    "    annotations: train.json\n"
    "model: {norm: group, freeze_stages: 0, backbone: resnet18}\n"
    "runtime: {device: cpu}\n";

}  // namespace

class TstDataFaults : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  tests::SharedWindow window_;

  void write(const char* name, const QByteArray& content) const {
    QFile file(folder_->filePath(QLatin1String(name)));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
  }

 private Q_SLOTS:
  void init() {
    if (!QFile::exists(tests::program("lockstep-worker"))) QSKIP("needs lockstep-worker");
    folder_ = std::make_unique<QTemporaryDir>();
    QDir(folder_->path()).mkdir(QStringLiteral("images"));
    QImage image(64, 64, QImage::Format_RGB32);
    image.fill(Qt::gray);
    QVERIFY(image.save(folder_->filePath(QStringLiteral("images/a.png"))));
    write("train.json", kAnnotations);
  }

  void theyAreShownAtTheirFields_data() {
    QTest::addColumn<QByteArray>("annotations");
    QTest::addColumn<QByteArray>("weights");
    QTest::addColumn<QString>("key");
    QTest::addColumn<int>("line");
    const QByteArray good = kAnnotations, none;
    QTest::newRow("broken JSON") << good.left(90) << none << "dataset.train.annotations" << 5;
    QTest::newRow("unknown category")
        << QByteArray(good).replace("\"category_id\": 1", "\"category_id\": 7") << none
        << "dataset.train.annotations" << 5;
    QTest::newRow("missing image")
        << QByteArray(good).replace("a.png", "b.png") << none << "dataset.train.images" << 4;
    QTest::newRow("weights that are none") << good << QByteArray("text") << "model.weights" << 6;
    const QByteArray header =
        R"({"backbone.body.conv1.weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    QByteArray weights(8, '\0');
    weights[0] = static_cast<char>(header.size());
    QTest::newRow("weights of another shape")
        << good << weights + header + QByteArray(4, '\0') << "model.weights" << 6;
  }
  void theyAreShownAtTheirFields() {
    QFETCH(QByteArray, annotations);
    QFETCH(QByteArray, weights);
    QFETCH(QString, key);
    QFETCH(int, line);
    write("train.json", annotations);
    QByteArray experiment = kCheckedExperiment;
    if (!weights.isEmpty()) {
      write("w.safetensors", weights);
      experiment.replace("resnet18}", "resnet18, weights: w.safetensors}");
    }
    write("experiment.yaml", experiment);
    ConfigurePage page;
    page.resize(1300, 800);
    page.show();
    QVERIFY(page.open(folder_->filePath(QStringLiteral("experiment.yaml"))));
    QTRY_VERIFY_WITH_TIMEOUT(page.isReady(), kCheckPatienceMs);
    QCOMPARE(page.editor()->errorCount(), 0);
    QSignalSpy failed(&page, &ConfigurePage::failed);
    page.checkData();
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kCheckPatienceMs);
    const auto* row = page.editor()->findChild<widgets::ConfigForm*>()->row(key.toStdString());
    QVERIFY2(!row->state().error.isEmpty(), qPrintable(failed[0][1].toString()));
    auto* text = page.editor()->findChild<widgets::YamlText*>();
    QVERIFY2(text->markersAtLine(line - 1) != text->markersAtLine(0),
             qPrintable(failed[0][1].toString()));
    QCOMPARE(page.trainingBlockedBy(), QString());  // it may be mended on the disk
  }

  void whyARunDidNotStartIsShownToo() {
    write("train.json",
          QByteArray(kAnnotations).replace("\"category_id\": 1", "\"category_id\": 7"));
    write("experiment.yaml", kCheckedExperiment);
    app::MainWindow& window = window_.show({folder_->filePath(QStringLiteral("experiment.yaml"))});
    auto* page = window.configurePage();
    auto* train = window.findChild<QPushButton*>(QStringLiteral("trainButton"));
    QTRY_VERIFY(train->isEnabled());
    QTest::mouseClick(train, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(
        tests::visibleBanner(window, QStringLiteral("The run did not start"), {}),
        kCheckPatienceMs);
    const auto* row =
        page->editor()->findChild<widgets::ConfigForm*>()->row("dataset.train.annotations");
    QVERIFY(row->state().error.contains(QStringLiteral("category")));
    QVERIFY(page->trainingBlockedBy().isEmpty());
  }

  void whyAnotherDidNotStartIsNotShown() {
    write("train.json",
          QByteArray(kAnnotations).replace("\"category_id\": 1", "\"category_id\": 7"));
    write("experiment.yaml", kCheckedExperiment);
    write("other.yaml", kCheckedExperiment);
    app::MainWindow& window = window_.show({folder_->filePath(QStringLiteral("experiment.yaml"))});
    auto* page = window.configurePage();
    QTRY_VERIFY(window.findChild<QPushButton*>(QStringLiteral("trainButton"))->isEnabled());
    window.train();
    QVERIFY(page->open(folder_->filePath(QStringLiteral("other.yaml"))));
    QTRY_VERIFY_WITH_TIMEOUT(
        tests::visibleBanner(window, QStringLiteral("The run did not start"), {}),
        kCheckPatienceMs);
    const auto* row =
        page->editor()->findChild<widgets::ConfigForm*>()->row("dataset.train.annotations");
    QVERIFY(row->state().error.isEmpty());
  }

  void otherDataOfAResumedRunMayBeAccepted() {
    tests::EngineBench bench;
    bench.script("scalars 1 2\ncheckpoint 2\nkill 9\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "run"}).status, 1);
    const std::filesystem::path run = bench.folder() / "run";
    const std::filesystem::path checkpoint = run_folder::Layout(run).checkpoint(2);
    auto state = run_folder::readTrainingState(checkpoint);
    const auto data = coco::Dataset::load(bench.folder() / "val.json");
    state.data = run_folder::dataFingerprints(data, &data);
    run_folder::writeTrainingState(checkpoint, state);
    app::MainWindow& window = window_.show({QString::fromStdString(run.string())});
    Q_EMIT window.runsPanel()->resumeRequested(QString::fromStdString(run.string()));
    const widgets::Banner* banner = nullptr;
    QTRY_VERIFY_WITH_TIMEOUT(
        (banner = tests::visibleBanner(window, QStringLiteral("The run did not start"), {})),
        kCheckPatienceMs);
    QStringList buttons;
    for (const QPushButton* button : banner->findChildren<QPushButton*>())
      if (button->isVisible()) buttons << button->text();
    QVERIFY2(buttons.contains(QStringLiteral("Continue with these annotations")),
             qPrintable(banner->detail() + u'\n' + buttons.join(u'\n')));
  }

  void soundDataHaveNone() {
    write("experiment.yaml", kCheckedExperiment);
    ConfigurePage page;
    QVERIFY(page.open(folder_->filePath(QStringLiteral("experiment.yaml"))));
    QTRY_VERIFY_WITH_TIMEOUT(page.isReady(), kCheckPatienceMs);
    QSignalSpy checked(&page, &ConfigurePage::checked), failed(&page, &ConfigurePage::failed);
    page.checkData();
    QTRY_VERIFY_WITH_TIMEOUT(!checked.isEmpty() || !failed.isEmpty(), kCheckPatienceMs);
    QVERIFY2(failed.isEmpty(), qPrintable(failed.value(0).value(1).toString()));
    QCOMPARE(checked[0][0].toString(), QStringLiteral("experiment.yaml"));
    QVERIFY(checked[0][1].toString().contains(QStringLiteral("1 training image")));
  }

  void theyAreNotShownOnAnotherDocument() {
    write("train.json",
          QByteArray(kAnnotations).replace("\"category_id\": 1", "\"category_id\": 7"));
    write("experiment.yaml", kCheckedExperiment);
    write("other.yaml", kCheckedExperiment);
    ConfigurePage page;
    page.resize(1300, 800);
    page.show();
    QVERIFY(page.open(folder_->filePath(QStringLiteral("experiment.yaml"))));
    QTRY_VERIFY_WITH_TIMEOUT(page.isReady(), kCheckPatienceMs);
    QSignalSpy failed(&page, &ConfigurePage::failed);
    page.checkData();
    QVERIFY(page.open(folder_->filePath(QStringLiteral("other.yaml"))));
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kCheckPatienceMs);
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("experiment.yaml")));
    QTRY_VERIFY_WITH_TIMEOUT(page.isReady(), kCheckPatienceMs);
    const auto* row =
        page.editor()->findChild<widgets::ConfigForm*>()->row("dataset.train.annotations");
    QVERIFY2(row->state().error.isEmpty(), qPrintable(row->state().error));
  }

  void whatIsNotSavedIsNotChecked() {
    write("experiment.yaml", kCheckedExperiment);
    ConfigurePage page;
    QVERIFY(page.open(folder_->filePath(QStringLiteral("experiment.yaml"))));
    QTRY_VERIFY_WITH_TIMEOUT(page.isReady(), kCheckPatienceMs);
    page.editor()->setValue(QStringLiteral("name"), QStringLiteral("b"));
    QSignalSpy failed(&page, &ConfigurePage::failed);
    page.checkData();
    QCOMPARE(failed.size(), 1);
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("is not saved")));
  }
};

LOCKSTEP_TEST(TstDataFaults)
#include "tst_data_faults.moc"
