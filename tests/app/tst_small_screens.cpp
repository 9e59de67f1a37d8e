#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include "app/compare/compare_page.h"
#include "app/configure/configure_page.h"
#include "app/frame/page_area.h"
#include "app/runs/panel/run_banner.h"
#include "app/runs/panel/runs_panel.h"
#include "app/runs/panel/state_pill.h"
#include "tests/app/compare_bench.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/unseen_widgets.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/image_view/paired_view.h"

using namespace lockstep;
using app::MainWindow;

namespace {

/// A message with a word as long as paths can be, and with many lines.
std::string longMessage() {
  std::string text = "/" + std::string(300, 'p') + "/images/a.jpg: cannot be read";
  for (int i = 0; i < 20; ++i) text += "\nrank " + std::to_string(i) + " said the same";
  return text;
}

/// A failed run with a slow rank.
QString makeFailedRun(const QString& parent) {
  tests::MadeRun plan;
  plan.name = std::string(200, 'r');
  plan.ranks = 3;
  return tests::makeFailedRun(parent, plan, longMessage());
}

constexpr app::Page kPages[] = {app::Page::Configure, app::Page::Monitor, app::Page::Predictions,
                                app::Page::Data, app::Page::Compare};

/// Files that give every page something to show: two runs with predictions of the same images, the
/// first of which has failed, and an experiment with a fault.
QStringList makePages(const QTemporaryDir& parent) {
  const auto write = [&](const char* name, const QByteArray& text) {
    QFile file(parent.filePath(QLatin1String(name)));
    if (file.open(QIODevice::WriteOnly)) file.write(text);
    return file.fileName();
  };
  QImage picture(40, 40, QImage::Format_RGB32);
  picture.fill(Qt::gray);
  for (const char* image : {"a.png", "b.png"}) picture.save(parent.filePath(QLatin1String(image)));
  tests::MadeRun plan;
  plan.name = "droplets_r50_baseline";
  plan.valImages = plan.trainImages = parent.path().toStdString();
  plan.valAnnotations = plan.trainAnnotations = write("val.json", tests::kDataset).toStdString();
  plan.watchedImages = {3, 5};
  plan.keptCheckpoints = {20, 40};
  plan.ranks = 3;
  const QString failed = tests::makeFailedRun(parent.path(), plan);
  plan.name = "droplets_r50_more_jitter";
  const QString other = tests::makeRun(parent.path(), plan);
  const QString experiment =
      write("droplets_r50_with_a_long_name.yaml", "name: faulty\nsolver: {base_lr: -1}\n");
  return {failed, other, experiment};
}

/// Changes the size of the application's font for its lifetime.
class DesktopFont {
 public:
  explicit DesktopFont(int points) {
    QFont font = before_;
    font.setPointSize(points);
    QApplication::setFont(font);
  }
  ~DesktopFont() { QApplication::setFont(before_); }

 private:
  QFont before_ = QApplication::font();
};

}  // namespace

class TstSmallScreens : public QObject {
  Q_OBJECT

 private:
  /// Where a window is shown that was left there.
  QRect keptAgain(const QRect& place) {
    QTemporaryDir settings;
    const QString organization = QCoreApplication::organizationName();
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    QCoreApplication::setOrganizationName(QStringLiteral("tests"));
    QWidget before;
    before.setGeometry(place);
    QSettings().setValue(QStringLiteral("geometry"), before.saveGeometry());
    app::MainWindowOptions options = tests::keepingOptionsFor({});
    options.size = {};
    const QRect found = MainWindow(&window_.theme(), options).geometry();
    QSettings().clear();
    QCoreApplication::setOrganizationName(organization);
    return found;
  }
  /// On Compare.
  MainWindow& showTwoRuns(const QTemporaryDir& parent, QSize size) {
    MainWindow& window = window_.show({tests::makeRun(parent.path(), tests::MadeRun()),
                                       tests::makeRun(parent.path(), tests::made("other", 1000))},
                                      app::Page::Compare);
    window.resize(size);
    return window;
  }
  static const QScrollArea* scrollAround(const QWidget* page) {
    const QWidget* around = page->parentWidget();
    while (around && !qobject_cast<const QScrollArea*>(around)) around = around->parentWidget();
    return qobject_cast<const QScrollArea*>(around);
  }

 private Q_SLOTS:
  void everyPageFitsWithEveryBanner_data() {
    QTest::addColumn<int>("points");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<app::Page>("page");
    for (const auto& [points, size] :
         {std::pair(10, QSize(1280, 720)), {10, QSize(1000, 600)}, {14, QSize(1280, 720)}})
      for (const auto& [name, page] : {std::pair("Configure", app::Page::Configure),
                                       {"Monitor", app::Page::Monitor},
                                       {"Predictions", app::Page::Predictions},
                                       {"Data", app::Page::Data},
                                       {"Compare", app::Page::Compare}})
        QTest::addRow("%s %d pt, %d x %d", name, points, size.width(), size.height())
            << points << size << page;
  }
  void everyPageFitsWithEveryBanner() {
    QFETCH(int, points);
    QFETCH(QSize, size);
    QFETCH(app::Page, page);
    const DesktopFont font(points);
    QTemporaryDir parent;
    const QString failed = makeFailedRun(parent.path());
    tests::MadeRun other;
    other.name = std::string(120, 'o');
    const QString gone = tests::makeRun(parent.path(), other);
    QFile experiment(parent.filePath(QStringLiteral("experiment.yaml")));
    QVERIFY(experiment.open(QIODevice::WriteOnly));
    experiment.write("name: faulty\nsolver: {base_lr: -1}\n");
    experiment.close();

    app::MainWindowOptions options =
        tests::optionsFor({parent.path(), failed, experiment.fileName()}, page);
    options.size = size;
    const auto opened = tests::openWindow(window_.theme(), options);
    MainWindow& window = *opened;
    QTRY_VERIFY(window.isReady());
    QTRY_COMPARE(window.runsPanel()->currentRun(), failed);
    window.findChild<app::PageArea*>()->showWarning(QString::fromStdString(other.name), gone);
    const auto bannersShown = [&] {
      int count = 0;
      for (const auto* banner : window.findChildren<widgets::Banner*>())
        count += banner->isVisible();
      return count;
    };
    // The banners of a message, of the failed run, and of its alert.
    QTRY_COMPARE(bannersShown(), page == app::Page::Monitor     ? 3
                                 : page == app::Page::Configure ? 1
                                                                : 2);
    QTRY_COMPARE(window.size(), size);
    const auto* tabs = window.findChild<QTabBar*>(QStringLiteral("pageTabs"));
    QTRY_VERIFY2(tabs->width() >= tabs->sizeHint().width(), "a tab is cut");
    const QSize least = window.minimumSizeHint();
    QVERIFY2(least.width() <= size.width() && least.height() <= size.height(),
             qPrintable(QStringLiteral("%1 x %2").arg(least.width()).arg(least.height())));
  }

  void everythingIsSeen_data() {
    QTest::addColumn<int>("points");
    QTest::addColumn<QSize>("size");
    for (const QSize size :
         {QSize(960, 720), QSize(1280, 720), QSize(1440, 900), QSize(1920, 1080)})
      for (const int points : {10, 14})
        QTest::addRow("%d pt, %d x %d", points, size.width(), size.height()) << points << size;
  }
  void everythingIsSeen() {
    QFETCH(int, points);
    QFETCH(QSize, size);
    const DesktopFont font(points);
    const QTemporaryDir parent;
    app::MainWindowOptions options = tests::optionsFor(makePages(parent));
    options.size = size;
    const auto window = tests::openWindow(window_.theme(), options);
    QStringList unseen;
    const auto look = [&](const QString& place) {
      QTRY_VERIFY(window->isReady());
      QCoreApplication::processEvents();
      QCOMPARE(window->size(), size);
      for (const QString& widget : tests::unseenWidgets(*window)) unseen << place + widget;
    };
    for (const app::Page page : kPages) {
      window->showPage(page);
      const QString place = QStringLiteral("page %1: ").arg(static_cast<int>(page));
      look(place);
      for (auto* tabs : window->findChildren<QTabWidget*>()) {
        for (int tab = 1; tabs->isVisible() && tab < tabs->count(); ++tab) {
          tabs->setCurrentIndex(tab);
          look(place + tabs->tabText(tab) + u' ');
        }
        tabs->setCurrentIndex(0);
      }
    }
    for (const QString& each : unseen) qWarning().noquote() << each;
    QVERIFY(unseen.isEmpty());
  }

  /// Nothing of it is beyond the window's end.
  void compareDoesNotScroll() {
    QTemporaryDir parent;
    MainWindow& window = showTwoRuns(parent, QSize(1280, 720));
    // As long as a verdict is that has to wrap.
    auto* verdict = window.comparePage()->findChild<QLabel*>(QStringLiteral("verdict"));
    verdict->setText(QStringLiteral("B is better than A ").repeated(12));
    verdict->show();
    const auto* tabs = window.comparePage()->tables();
    for (int tab = 0; tab < tabs->count(); ++tab) {
      window.comparePage()->tables()->setCurrentIndex(tab);
      QCoreApplication::processEvents();
      const auto* scroll = scrollAround(window.comparePage());
      QVERIFY2(scroll->verticalScrollBar()->maximum() == 0 &&
                   scroll->horizontalScrollBar()->maximum() == 0,
               qPrintable(tabs->tabText(tab)));
    }
    window.comparePage()->tables()->setCurrentIndex(0);
  }

  /// Also a page that is the first one to be shown.
  void theWindowOpensInItsSize_data() { everyPageFitsWithEveryBanner_data(); }
  void theWindowOpensInItsSize() {
    QFETCH(int, points);
    QFETCH(QSize, size);
    QFETCH(app::Page, page);
    const DesktopFont font(points);
    QTemporaryDir parent;
    app::MainWindowOptions options =
        tests::optionsFor({tests::makeRun(parent.path(), tests::MadeRun())}, page);
    options.size = size;
    const auto window = tests::openWindow(window_.theme(), options);
    QTRY_VERIFY(window->isReady());
    QCOMPARE(window->size(), size);
  }

  /// Such as one that was kept at a lower scale of the desktop.
  void aWindowThatWasLargerThanTheScreenFitsIt() {
    const QRect found = keptAgain(QRect(20, 20, 2560, 1440));
    QVERIFY(QGuiApplication::primaryScreen()->availableGeometry().contains(found));
  }

  /// As people push windows half aside.
  void aWindowBeyondTheEdgeStaysWhereItIs() {
    const QRect room = QGuiApplication::primaryScreen()->availableGeometry();
    const QRect found = keptAgain(QRect(room.center().x(), room.top() + 150, 600, 500));
    QVERIFY2(found.left() > room.left() && found.top() == room.top() + 150,
             qPrintable(QStringLiteral("%1, %2").arg(found.x()).arg(found.y())));
  }

  /// With tables and images: neither is beyond the page's end.
  void compareShowsItsImagesInASmallWindow() {
    QTemporaryDir parent;
    const QSize size(1000, 600);
    MainWindow& window = showTwoRuns(parent, size);
    QCOMPARE(window.size(), size);
    const auto* scroll = scrollAround(window.comparePage());
    const QRect seen(scroll->viewport()->mapToGlobal(QPoint()), scroll->viewport()->size());
    auto* images = window.comparePage()->view()->parentWidget()->parentWidget();
    const QRect shown(images->mapToGlobal(QPoint()), images->size());
    QVERIFY(seen.contains(shown));
    QVERIFY(shown.height() > 200 && shown.width() > 300);
  }

  void aDockThatOpensDoesNotWidenTheWindow() {
    QTemporaryDir parent;
    MainWindow& window =
        window_.show({tests::makeRun(parent.path(), tests::MadeRun())}, app::Page::Predictions);
    const QSize size(1000, 600);
    window.resize(size);
    for (const char* id : {"window.inspector_panel", "window.devices_panel"}) {
      window.findChild<QAction*>(QLatin1String(id))->trigger();
      QCoreApplication::processEvents();
      QCOMPARE(window.size(), size);
    }
  }

  /// As on a screen of 1600 px at twice the scale.
  void aPageDoesNotWidenANarrowWindow() {
    QTemporaryDir parent;
    app::MainWindowOptions options =
        tests::optionsFor({tests::makeRun(parent.path(), tests::MadeRun())}, app::Page::Monitor);
    options.size = QSize(800, 500);
    const auto window = tests::openWindow(window_.theme(), options);
    QTRY_VERIFY(window->isReady());
    const int width = window->width();
    for (const app::Page page : {app::Page::Predictions, app::Page::Configure}) {
      window->showPage(page);
      QTRY_VERIFY(window->isReady());
      QCoreApplication::processEvents();
      QCOMPARE(window->width(), width);
    }
  }

  void theSheetOfKeysFitsIntoTheWindow_data() {
    QTest::addColumn<QSize>("size");
    for (const QSize size : {QSize(1600, 1000), QSize(1280, 720), QSize(1000, 600)})
      QTest::addRow("%d x %d", size.width(), size.height()) << size;
  }
  void theSheetOfKeysFitsIntoTheWindow() {
    QFETCH(QSize, size);
    MainWindow& window = window_.show({});
    window.resize(size);
    QTest::keyClick(&window, Qt::Key_F1);
    auto* sheet = window.findChild<QWidget*>(QStringLiteral("shortcutSheet"));
    QVERIFY(sheet && sheet->isVisible());
    QVERIFY2(sheet->width() <= size.width() && sheet->height() <= size.height(),
             qPrintable(QStringLiteral("%1 x %2").arg(sheet->width()).arg(sheet->height())));
    // All columns are seen; rows are scrolled to with the keyboard.
    const auto* scroll = sheet->findChild<QScrollArea*>();
    QCOMPARE(scroll->horizontalScrollBar()->maximum(), 0);
    QVERIFY(scroll->hasFocus());
    sheet->close();
  }

  void theNameOfAnotherProgramFitsIntoThePill() {
    app::StatePill pill;
    const int usual = pill.sizeHint().width();
    pill.setState(protocol::RunState::Paused);
    QCOMPARE(pill.sizeHint().width(), usual);
    pill.setState(base::OpenEnum<protocol::RunState>("a program called TensorBoard"));
    const QFontMetrics metrics(pill.font());
    QVERIFY(pill.sizeHint().width() >
            metrics.horizontalAdvance(QStringLiteral("a program called TensorBoard")) + 22);
  }

 private:
  tests::SharedWindow window_;
};

LOCKSTEP_TEST(TstSmallScreens)
#include "tst_small_screens.moc"
