// Curves to files and the clipboard, through the window.
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>
#include <QSemaphore>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <bit>
#include <cmath>

#include "app/export/export_dialog.h"
#include "app/export/figure_export.h"
#include "app/monitor/monitor_page.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/support/file_content.h"
#include "tests/support/test_main.h"
#include "widgets/banner.h"
#include "widgets/message_text.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/curve_pen.h"
#include "widgets/theme.h"

using namespace lockstep;
using app::ExportDialog;
using tests::contentOf;

namespace {

template <typename Widget>
Widget* visible() {
  for (QWidget* each : QApplication::topLevelWidgets())
    if (auto* found = qobject_cast<Widget*>(each); found && found->isVisible()) return found;
  return nullptr;
}

bool isNear(std::pair<double, double> a, std::pair<double, double> b) {
  const double most = (b.second - b.first) / 1000;
  return std::abs(a.first - b.first) < most && std::abs(a.second - b.second) < most;
}

/// Whether every finite sample is a point of the curve.
bool isOf(const widgets::CurveSource& source, const widgets::CurveSamples& samples) {
  return std::ranges::all_of(samples.raw, [&](const QPointF& sample) {
    const auto point = source.nearest(sample.x());
    return !std::isfinite(sample.y()) ||
           (point && (std::abs(point->value - sample.y()) < 1e-6 || point->smooth == sample.y()));
  });
}

}  // namespace

class TstExport : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    const QString run = tests::makeRun(folder_->path(), run_);
    window_ = &shared_.show({run});
    QTRY_VERIFY(!window_->monitorPage()->shownCards().empty());
  }

  void thePageIsSavedByKeys() {
    QVERIFY(openDialog());
    choose("format", "SVG");
    save(folder_->filePath(QStringLiteral("page")));
    QTRY_VERIFY(!dialog_);
    const QByteArray svg = contentOf(folder_->filePath(QStringLiteral("page.svg")));
    for (const widgets::CurveCard* card : window_->monitorPage()->shownCards())
      QVERIFY2(svg.contains(card->title().toHtmlEscaped().toUtf8()), qPrintable(card->title()));
    QVERIFY(svg.contains(">made<") || svg.contains(">made "));
  }

  void theStatusBarNamesTheFile() {
    QVERIFY(openDialog());
    const QString path = folder_->filePath(QStringLiteral("page.pdf"));
    save(path);
    QTRY_VERIFY(!dialog_);
    QVERIFY2(window_->statusBar()->currentMessage().endsWith(path),
             qPrintable(window_->statusBar()->currentMessage()));
  }

  /// Curves, their colours but for the theme, ranges and marks.
  void whatIsExportedIsWhatTheScreenShows() {
    shared_.theme().setMode(widgets::ThemeSwitch::Mode::Dark);
    app::MonitorPage* page = window_->monitorPage();
    QTest::keyClick(window_, Qt::Key_L);
    page->shownCards().front()->plot()->setZoom({std::pair(10.0, 30.0), std::nullopt});
    const auto cards = page->shownCards();
    const widgets::Figure figure = page->figureOf(cards, widgets::FigureContent::Drawing);
    QCOMPARE(figure.plots.size(), cards.size());
    QVERIFY(!figure.plots.front().marks.empty());
    for (std::size_t i = 0; i < cards.size(); ++i) {
      const widgets::CurvePlot* plot = cards[i]->plot();
      const widgets::FigurePlot& taken = figure.plots[i];
      QCOMPARE(taken.title, cards[i]->title());
      QCOMPARE(taken.isLogX, plot->isLogX());
      QCOMPARE(taken.isLogY, plot->isLogY());
      QCOMPARE(taken.x, plot->view().x());
      const auto y = plot->view().y(plot->view().samples());
      QVERIFY2(isNear(taken.y, y), qPrintable(taken.title));
      QCOMPARE(taken.curves.size(), plot->curves().size());
      for (std::size_t c = 0; c < taken.curves.size(); ++c) {
        const widgets::Curve &own = taken.curves[c].curve, &shown = plot->curves()[c];
        QCOMPARE(own.name, shown.name);
        const QColor color = widgets::curveColor(shown, widgets::lightTheme());
        QCOMPARE(widgets::curvePen(own, widgets::lightTheme()).color(), color);
        QVERIFY(isOf(*shown.source, taken.curves[c].samples));
      }
      for (const widgets::EventMark& mark : taken.marks)
        QVERIFY(std::ranges::count_if(plot->eventMarks(), [&](const widgets::EventMark& each) {
                  return each.x == mark.x && each.kind == mark.kind;
                }) > 0);
    }
    shared_.theme().setMode(widgets::ThemeSwitch::Mode::Light);
  }

  void thePictureOfTheScreenIsThatOfTheCard() {
    shared_.theme().setMode(widgets::ThemeSwitch::Mode::Dark);
    app::MonitorPage* page = window_->monitorPage();
    QTest::keyClick(window_, Qt::Key_L);
    widgets::CurveCard* loss = page->shownCards().front();
    loss->plot()->setZoom({std::pair(10.0, 30.0), std::nullopt});
    const QStringList hidden = loss->hidden();
    loss->setHidden({QStringLiteral("train")});
    QTRY_VERIFY(window_->isReady());
    const QString path = folder_->filePath(QStringLiteral("shown.png"));
    for (const bool isPage : {true, false}) {
      QVERIFY(openDialog());
      dialog_->findChild<QComboBox*>(QStringLiteral("what"))->setCurrentIndex(isPage ? 0 : 1);
      choose("format", "PNG, as on the screen");
      QVERIFY(dialog_->findChild<QLabel*>(QStringLiteral("note"))
                  ->text()
                  .contains(QStringLiteral("As it is shown")));
      save(path);
      QTRY_VERIFY(!dialog_);
      const QWidget* shown = isPage ? page->cardArea() : loss;
      const QImage written(path), screen = const_cast<QWidget*>(shown)->grab().toImage();
      QCOMPARE(written.size(), screen.size());
      QCOMPARE(written.convertToFormat(QImage::Format_RGB32),
               screen.convertToFormat(QImage::Format_RGB32));
      QVERIFY(QFile::remove(path));
    }
    loss->setHidden(hidden);
    shared_.theme().setMode(widgets::ThemeSwitch::Mode::Light);
  }

  /// Meanwhile the path of another export is asked for, and not given.
  void anExportThatHungIsToldAlsoAfterAnotherWasGivenUp() {
    QSemaphore gate;
    const auto take = [&gate](widgets::FigureContent) {
      widgets::Figure figure;
      figure.plots.resize(1);
      figure.plots.front().curves.resize(1);
      figure.plots.front().curves.front().points = [&gate] {
        gate.acquire();
        return widgets::CurvePoints{QStringLiteral("tag"), {1}, {1}, {1}};
      };
      return figure;
    };
    dialog_ =
        new ExportDialog({app::figureExport(QStringLiteral("one"), QStringLiteral("one"), take)}, 0,
                         folder_->path(), window_);
    QSignalSpy saved(dialog_, &ExportDialog::saved);
    dialog_->open();
    choose("format", "CSV");
    const QString path = folder_->filePath(QStringLiteral("one.csv"));
    save(path);
    const auto* fault = dialog_->findChild<widgets::MessageText*>(QStringLiteral("fault"));
    QTRY_VERIFY_WITH_TIMEOUT(fault->toPlainText().contains(QStringLiteral("not written yet")),
                             20000);
    QTimer::singleShot(0, this, [&] {
      auto* files = visible<QFileDialog>();
      QVERIFY(files);
      gate.release();
      QTRY_VERIFY(QFile::exists(path));
      files->reject();
    });
    QTest::mouseClick(dialog_->findChild<QPushButton*>(QStringLiteral("save")), Qt::LeftButton);
    QTRY_COMPARE(saved.count(), 1);
    QTRY_VERIFY(!dialog_);
  }

  void aCardsMenuExportsThatCard() {
    widgets::CurveCard* card = window_->monitorPage()->shownCards()[2];
    Q_EMIT card->plot()->menuRequested(card->mapToGlobal(card->rect().center()));
    auto* menu = card->findChild<QMenu*>();
    QVERIFY(menu);
    for (QAction* action : menu->actions())
      if (action->text() == QStringLiteral("Export…")) action->trigger();
    menu->close();
    dialog_ = window_->findChild<ExportDialog*>();
    QVERIFY(dialog_);
    QCOMPARE(dialog_->findChild<QComboBox*>(QStringLiteral("what"))->currentText(), card->title());
  }

  void aTableHasTheLoggedValuesBitForBit() {
    QVERIFY(openDialog());
    choose("format", "CSV");
    const QString path = folder_->filePath(QStringLiteral("page.csv"));
    save(path);
    QTRY_VERIFY(!dialog_);
    int found = 0;
    for (const QByteArray& line : contentOf(path).split('\n')) {
      if (!line.contains(",train/loss_total,")) continue;
      const QList<QByteArray> fields = line.trimmed().split(',');
      const float value = std::strtof(fields.last().constData(), nullptr);
      QCOMPARE(std::bit_cast<quint32>(value), std::bit_cast<quint32>(tests::madeLoss(
                                                  run_, fields[fields.size() - 3].toLongLong())));
      ++found;
    }
    QCOMPARE(found, static_cast<int>(run_.steps));
  }

  void aFileThatExistsIsReplacedOnlyAfterAQuestion() {
    const QString path = folder_->filePath(QStringLiteral("mine.pdf"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("mine") == 4);
    file.close();
    QVERIFY(openDialog());
    choose("format", "PDF");
    bool wasAsked = false;
    QTimer answer;
    connect(&answer, &QTimer::timeout, this, [&] {
      if (auto* question = visible<QMessageBox>()) {
        wasAsked = true;
        QTest::keyClick(question, Qt::Key_Escape);
      } else if (wasAsked) {
        if (auto* files = visible<QFileDialog>()) files->reject();
      }
    });
    answer.start(0);
    save(folder_->filePath(QStringLiteral("mine")));  // without the suffix
    QVERIFY(wasAsked);
    QCOMPARE(contentOf(path), QByteArray("mine"));
    QVERIFY(dialog_ && dialog_->isVisible());
  }

  void aFailureIsOneLineAndTheDialogStays() {
    QVERIFY(openDialog());
    const QString path = folder_->filePath(QStringLiteral("gone/a.pdf"));
    QVERIFY(QDir(folder_->path()).mkdir(QStringLiteral("gone")));
    QVERIFY(QFile::setPermissions(folder_->filePath(QStringLiteral("gone")), QFile::ReadOwner));
    save(path, [this] { QDir(folder_->filePath(QStringLiteral("gone"))).removeRecursively(); });
    const auto* fault = dialog_->findChild<widgets::MessageText*>(QStringLiteral("fault"));
    QTRY_VERIFY(fault->isVisible());
    QVERIFY2(fault->toPlainText().startsWith(path + QStringLiteral(" cannot be written: ")),
             qPrintable(fault->toPlainText()));
    QVERIFY(dialog_->findChild<QPushButton*>(QStringLiteral("save"))->isEnabled());
    // Nothing is squeezed by it.
    const auto* note = dialog_->findChild<QLabel*>(QStringLiteral("note"));
    QTRY_VERIFY(note->height() >= note->heightForWidth(note->width()));
    QCOMPARE(fault->verticalScrollBar()->maximum(), 0);
    for (const auto* button : dialog_->findChildren<QPushButton*>())
      QVERIFY(button->isHidden() || button->height() >= button->sizeHint().height());
  }

  void thePictureAndTheTableAreCopied() {
    for (const bool isTable : {false, true}) {
      QVERIFY(openDialog());
      choose("format", isTable ? "CSV" : "PDF");
      QTest::mouseClick(dialog_->findChild<QPushButton*>(QStringLiteral("copy")), Qt::LeftButton);
      QTRY_VERIFY(!dialog_);
      const QMimeData* data = QGuiApplication::clipboard()->mimeData();
      QCOMPARE(data->hasImage(), !isTable);
      QCOMPARE(data->hasFormat(QStringLiteral("image/svg+xml")), !isTable);
      QCOMPARE(data->text().startsWith(QStringLiteral("card,run,curve")), isTable);
    }
  }

  void withoutCurvesAWarningSaysWhatToDo() {
    QTemporaryDir empty;
    app::MainWindow& window = shared_.show({empty.path()});
    QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier);
    QVERIFY(!window.findChild<ExportDialog*>());
    QVERIFY(tests::visibleBanner(window, QStringLiteral("nothing to export"),
                                 QStringLiteral("Select a run")));
  }

 private:
  bool openDialog() {
    window_->activateWindow();
    if (!QTest::qWaitForWindowActive(window_)) return false;
    QTest::keyClick(window_, Qt::Key_E, Qt::ControlModifier);
    dialog_ = window_->findChild<ExportDialog*>();
    return dialog_ && dialog_->isVisible();
  }
  void choose(const char* box, const char* text) {
    auto* combo = dialog_->findChild<QComboBox*>(QString::fromLatin1(box));
    for (int i = 0; i < combo->count(); ++i)
      if (combo->itemText(i).startsWith(QString::fromLatin1(text))) combo->setCurrentIndex(i);
  }
  /// Types a path into the dialog of files, which runs meanwhile.
  void save(
      const QString& path, const std::function<void()>& before = [] {}) {
    QTimer::singleShot(0, this, [path, before] {
      auto* files = visible<QFileDialog>();
      QVERIFY(files);
      auto* name = files->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
      name->setText(path);
      before();
      QTest::keyClick(name, Qt::Key_Return);
    });
    QTest::mouseClick(dialog_->findChild<QPushButton*>(QStringLiteral("save")), Qt::LeftButton);
  }

  tests::MadeRun run_;
  std::unique_ptr<QTemporaryDir> folder_;
  tests::SharedWindow shared_;
  app::MainWindow* window_ = nullptr;
  QPointer<ExportDialog> dialog_;
};

LOCKSTEP_TEST(TstExport)
#include "tst_export.moc"
