#include <QAction>
#include <QComboBox>
#include <QImage>
#include <QMenu>
#include <QTemporaryDir>
#include <QTest>

#include "app/export/export_dialog.h"
#include "app/predictions_page/predictions_page.h"
#include "engine/base/atomic_file.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/export_button.h"

using namespace lockstep;

class TstExportButton : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> parent_;
  tests::SharedWindow window_;

  /// With predictions of an image that has no object, or one without a mask.
  QString makeRun(bool ofBoxes) const {
    const std::string object =
        R"({"id": 1, "image_id": 3, "category_id": 1, "bbox": [1, 1, 4, 4], "area": 16,
            "iscrowd": 0})";
    tests::MadeRun run;
    run.valImages = parent_->path().toStdString();
    run.valAnnotations = parent_->filePath(QStringLiteral("val.json")).toStdString();
    run.watchedImages = {3};
    base::writeFileAtomically(
        run.valAnnotations,
        R"({"images": [{"id": 3, "file_name": "a.png", "width": 8, "height": 8}],
            "categories": [{"id": 1, "name": "thing"}], "annotations": [)" +
            (ofBoxes ? object : std::string()) + "]}");
    QImage picture(8, 8, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    picture.save(parent_->filePath(QStringLiteral("a.png")));
    return tests::makeRun(parent_->path(), run);
  }

 private Q_SLOTS:
  void init() { parent_ = std::make_unique<QTemporaryDir>(); }

  void theExportButtonOpensTheDialogAtWhatIsChosen_data() {
    QTest::addColumn<QString>("entry");
    QTest::addColumn<QString>("what");
    QTest::newRow("picture") << QStringLiteral("Export the image…")
                             << QStringLiteral("The image with its overlays");
    QTest::newRow("results") << QStringLiteral("Export COCO results…")
                             << QStringLiteral("COCO results, all scores");
    QTest::newRow("report") << QStringLiteral("Export a report of coco-eval…")
                            << QStringLiteral("Report of coco-eval");
    QTest::newRow("masks") << QStringLiteral("Export masks of the image…")
                           << QStringLiteral("Masks of the image's objects");
    QTest::newRow("of boxes") << QStringLiteral("Export masks of the image…") << QString();
  }
  void theExportButtonOpensTheDialogAtWhatIsChosen() {
    QFETCH(QString, entry);
    QFETCH(QString, what);
    const QString folder = makeRun(/*ofBoxes=*/what.isEmpty());
    app::MainWindow& window = window_.show({folder}, app::Page::Predictions);
    auto* button = window.predictionsPage()->findChild<widgets::ExportButton*>();
    QVERIFY(button && button->isVisible() && !button->accessibleName().isEmpty());
    for (QAction* action : button->menu()->actions())
      if (action->text() == entry) action->trigger();
    auto* dialog = window.findChild<app::ExportDialog*>();
    if (what.isEmpty()) {
      QVERIFY(!dialog);
      QVERIFY(tests::visibleBanner(window, QStringLiteral("nothing to export"),
                                   QStringLiteral("no masks")));
      return;
    }
    QVERIFY(dialog && dialog->isVisible());
    QVERIFY(dialog->findChild<QComboBox*>(QStringLiteral("what"))->currentText().startsWith(what));
  }
};

LOCKSTEP_TEST(TstExportButton)
#include "tst_export_button.moc"
