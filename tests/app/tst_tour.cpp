// The guide of the first start.
#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/configure/new_experiment_dialog.h"
#include "app/frame/tour.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::MainWindow;
using app::Tour;

class TstTour : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  widgets::ThemeSwitch theme_;

  std::unique_ptr<MainWindow> start(const QStringList& paths = {}) {
    return tests::openWindow(theme_, tests::keepingOptionsFor(paths));
  }
  static Tour* tourOf(const MainWindow& window) { return window.findChild<Tour*>(); }
  static QPushButton* button(const Tour* tour, const char* name) {
    return tour->findChild<QPushButton*>(QLatin1String(name));
  }
  static QRect placeOf(const MainWindow& window, const char* name) {
    const auto* widget = window.findChild<QWidget*>(QLatin1String(name));
    return {widget->mapTo(&window, QPoint()), widget->size()};
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder_->path());
    QSettings().clear();
  }
  void cleanup() { QSettings().clear(); }

  void theFirstStartHasATourThatPointsAtTheWindow() {
    const auto window = start();
    QPointer<Tour> tour = tourOf(*window);
    QVERIFY(tour && tour->isVisible());
    QVERIFY(!tour->isAncestorOf(QApplication::focusWidget()));  // it is not in the way
    QVERIFY(tour->place().contains(placeOf(*window, "menuButton")));
    QVERIFY(!button(tour, "tourBack")->isEnabled());
    for (const char* name : {"tourAction", "tourBack", "tourNext"})
      QVERIFY(button(tour, name)->width() >= button(tour, name)->sizeHint().width());
    const QRect tabs = placeOf(*window, "pageTabs");
    for (int step = 1; step < 5; ++step) {
      QTest::mouseClick(button(tour, "tourNext"), Qt::LeftButton);
      QCOMPARE(tour->step(), step);
      if (step == 2) {
        QVERIFY(tour->place().contains(placeOf(*window, "trainButton")));
      } else {
        QVERIFY(tabs.contains(tour->place().center()));
      }
      QVERIFY(window->rect().contains(tour->geometry()));
      QVERIFY(!tour->geometry().intersects(tour->place()));
    }
    QTest::mouseClick(button(tour, "tourNext"), Qt::LeftButton);
    QTRY_VERIFY(!tour);
  }

  void itIsNotShownAgainUnlessItIsRecalled() {
    start();
    const auto window = start();
    QVERIFY(!tourOf(*window));
    window->findChild<QAction*>(QStringLiteral("window.tour"))->trigger();
    QPointer<Tour> tour = tourOf(*window);
    QVERIFY(tour && tour->isVisible());
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    QTest::keyClick(window.get(), Qt::Key_Escape);
    QTRY_VERIFY(!tour);
    window->findChild<QAction*>(QStringLiteral("window.tour"))->trigger();
    tour = tourOf(*window);
    button(tour, "tourNext")->setFocus();
    QTest::keyClick(button(tour, "tourNext"), Qt::Key_Escape);
    QTRY_VERIFY(!tour);
    window->findChild<QAction*>(QStringLiteral("window.tour"))->trigger();
    tour = tourOf(*window);
    QTest::mouseClick(tour->findChild<QToolButton*>(QStringLiteral("closeTour")), Qt::LeftButton);
    QTRY_VERIFY(!tour);
  }

  void returnGoesOn() {
    const auto window = start();
    QPointer<Tour> tour = tourOf(*window);
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    QTest::keyClick(window->focusWidget(), Qt::Key_Return);  // an empty list
    QCOMPARE(tour->step(), 1);
    tour->setFocus();
    QTest::keyClick(tour, Qt::Key_Enter);
    QCOMPARE(tour->step(), 2);
    button(tour, "tourBack")->setFocus();
    QTest::keyClick(button(tour, "tourBack"), Qt::Key_Return);
    QCOMPARE(tour->step(), 1);
    tour->setFocus();
    for (int i = 1; i < 5; ++i) QTest::keyClick(tour, Qt::Key_Return);
    QTRY_VERIFY(!tour);
  }

  void aStartWithSomethingToShowHasNone() { QVERIFY(!tourOf(*start({folder_->path()}))); }

  void itFollowsTheWindow() {
    const auto window = start();
    window->resize(1000, 600);
    const Tour* tour = tourOf(*window);
    QTRY_VERIFY(tour->place().contains(placeOf(*window, "menuButton")));
    QVERIFY(window->rect().contains(tour->geometry()));
  }

  void madeScenesAreTriedFromIt() {
    const auto window = start();
    QTest::mouseClick(button(tourOf(*window), "tourAction"), Qt::LeftButton);
    const auto* dialog = window->findChild<app::NewExperimentDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QVERIFY(dialog->findChild<QWidget*>(QStringLiteral("scenesFolder"))->isVisible());
  }
};

LOCKSTEP_TEST(TstTour)
#include "tst_tour.moc"
