// A window that is killed has what was chosen and predicted in it at its next start.
#include <QDir>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/compare/compare_page.h"
#include "app/predictions_page/predictions_page.h"
#include "engine/base/atomic_file.h"
#include "tests/app/kept_window.h"
#include "tests/app/live_run.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/image_view/class_filter.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/paired_view.h"
#include "widgets/image_view/predictions_view.h"

using namespace lockstep;

namespace {

constexpr int kRestorePatienceMs = 90000;

const std::string kRestoredData = R"({"images": [
  {"id": 3, "file_name": "a.png", "width": 8, "height": 8}],
  "categories": [{"id": 1, "name": "thing"}], "annotations": []})";

}  // namespace

class TstKilledWindow : public QObject {
  Q_OBJECT

 private:
  QString organization_, application_;
  std::unique_ptr<QTemporaryDir> folder_;

  QString path(const char* name) const { return folder_->filePath(QString::fromLatin1(name)); }
  std::string write(const char* name, const std::string& content) const {
    QDir().mkpath(QFileInfo(path(name)).path());
    base::writeFileAtomically(path(name).toStdString(), content);
    return path(name).toStdString();
  }
  tests::MadeRun made() const {
    tests::MadeRun run = tests::LiveRun::madeLive();
    run.valImages = folder_->path().toStdString();
    run.valAnnotations = write("val.json", kRestoredData);
    run.keptCheckpoints = {20};
    return run;
  }
  /// As far as it is on the disk.
  static bool isKept() {
    QSettings settings;
    settings.sync();
    const QVariantMap session = settings.value(QStringLiteral("session")).toMap();
    const QVariantMap predictions = session[QStringLiteral("predictions")].toMap();
    const QVariantMap panel =
        predictions[QStringLiteral("view")].toMap()[QStringLiteral("panel")].toMap();
    const QVariantMap compare = session[QStringLiteral("compare")].toMap();
    return !predictions[QStringLiteral("opened")].toStringList().isEmpty() &&
           !panel[QStringLiteral("hidden")].toStringList().isEmpty() &&
           compare[QStringLiteral("tab")].toInt() == 1 &&
           compare[QStringLiteral("mode")].toInt() ==
               static_cast<int>(widgets::PairedView::Mode::Wipe);
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    organization_ = QCoreApplication::organizationName();
    application_ = QCoreApplication::applicationName();
    tests::keepSettingsBelow(folder_->path());
    QImage picture(8, 8, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    for (const char* name : {"a.png", "opened.png"}) QVERIFY(picture.save(path(name)));
  }
  void cleanup() {
    QSettings().clear();
    QCoreApplication::setOrganizationName(organization_);
    QCoreApplication::setApplicationName(application_);
  }

  void nothingThatWasChosenOrPredictedIsLost() {
    write("answers/1.json", R"({"image_ids": [1], "detections": [
      {"image_id": 1, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]}]})");
    tests::LiveRun live(made());
    QVERIFY(live.engine.start({live.welcome()}));
    QProcess program;
    program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    program.setWorkingDirectory(folder_->path());
    program.start(tests::program("chosen_window"),
                  {folder_->path(), path("opened.png"), live.folder});
    while (!program.canReadLine()) QVERIFY(program.waitForReadyRead(kRestorePatienceMs));
    QCOMPARE(program.readLine().trimmed(), QByteArray("chosen"));
    QTRY_VERIFY_WITH_TIMEOUT(isKept(), kRestorePatienceMs);
    program.kill();
    QVERIFY(program.waitForFinished(kRestorePatienceMs));
    QVERIFY(QFile::remove(path("answers/1.json")));  // it was the engine's

    widgets::ThemeSwitch theme;
    app::MainWindow window(&theme, tests::keepingOptions(folder_->path(), {}));
    window.show();
    QTRY_VERIFY_WITH_TIMEOUT(window.isReady(), kRestorePatienceMs);
    QVERIFY(window.page() == app::Page::Compare);
    QCOMPARE(window.comparePage()->tables()->currentIndex(), 1);
    QVERIFY(window.comparePage()->view()->mode() == widgets::PairedView::Mode::Wipe);
    window.showPage(app::Page::Predictions);
    app::PredictionsPage* page = window.predictionsPage();
    QTRY_VERIFY_WITH_TIMEOUT(window.isReady() && page->view()->shownImage(), kRestorePatienceMs);
    QCOMPARE(QString::fromStdString(page->view()->shownImage()->fileName), path("opened.png"));
    auto* stage = page->findChild<widgets::ImageStage*>();
    QTRY_COMPARE(page->view()->currentCheckpoint(), qint64{20});
    QTRY_COMPARE(stage->notice(), QString());  // it is predicted
    QCOMPARE(page->findChild<widgets::ClassFilter*>()->hidden().size(), std::size_t{1});
  }
};

LOCKSTEP_TEST(TstKilledWindow)
#include "tst_killed_window.moc"
