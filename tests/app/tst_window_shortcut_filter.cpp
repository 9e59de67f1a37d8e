// Which of the keys of a window, of its editors and of its lists has priority.
#include <QAbstractItemView>
#include <QComboBox>
#include <QDockWidget>
#include <QListWidget>
#include <QMainWindow>
#include <QShortcut>
#include <QSignalSpy>
#include <QTest>

#include "app/frame/window_shortcut_filter.h"
#include "tests/support/test_main.h"
#include "widgets/named_action.h"

using namespace lockstep;

class TstWindowShortcutFilter : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void lettersSearchInAListThatIsOpen() {
    QMainWindow window;
    auto* list = new QComboBox;
    list->addItems({QStringLiteral("any class"), QStringLiteral("cat"), QStringLiteral("dog")});
    window.setCentralWidget(list);
    const app::WindowShortcutFilter* filter = new app::WindowShortcutFilter(&window);
    QVERIFY(filter);
    const QShortcut next(Qt::Key_D, &window);
    const QSignalSpy moved(&next, &QShortcut::activated);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    list->showPopup();
    QTRY_VERIFY(list->view()->isVisible());
    QTest::keyClick(list->view(), Qt::Key_D);
    QCOMPARE(moved.count(), 0);
    QCOMPARE(list->view()->currentIndex().row(), 2);
    list->hidePopup();
    QTRY_VERIFY(!QApplication::activePopupWidget());
    list->setFocus();
    QTest::keyClick(list, Qt::Key_D);
    QCOMPARE(moved.count(), 1);
  }

  void keysOfThePageWorkAfterAClickOnAListInADock() {
    QMainWindow window;
    auto* page = new QWidget;
    page->setFocusPolicy(Qt::StrongFocus);
    window.setCentralWidget(page);
    auto* list = new QListWidget;
    list->addItems({QStringLiteral("apple"), QStringLiteral("banana"), QStringLiteral("nut")});
    auto* dock = new QDockWidget;
    dock->setWidget(list);
    window.addDockWidget(Qt::LeftDockWidgetArea, dock);
    int nexts = 0, ups = 0;
    const auto place = widgets::ActionPlace::Predictions;
    widgets::addNamedAction(page, place, "next", QStringLiteral("Next"), {Qt::Key_N},
                            [&] { ++nexts; });
    widgets::addNamedAction(page, place, "up", QStringLiteral("Up"), {Qt::Key_Up}, [&] { ++ups; });
    const app::WindowShortcutFilter* filter = new app::WindowShortcutFilter(&window);
    QVERIFY(filter);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                      list->visualItemRect(list->item(1)).center());
    QTRY_VERIFY(list->hasFocus());
    QTest::keyClick(list, Qt::Key_N);
    QCOMPARE(nexts, 1);
    QCOMPARE(list->currentRow(), 1);
    QTest::keyClick(list, Qt::Key_Up);  // moves in the list
    QCOMPARE(ups, 0);
    QCOMPARE(list->currentRow(), 0);
    QTest::keyClick(list, Qt::Key_B);  // no action has it: searches
    QCOMPARE(list->currentRow(), 1);
    page->hide();
    QTest::keyClick(list, Qt::Key_N);
    QCOMPARE(nexts, 1);
  }

  void keysChooseInAListThatIsOpen_data() {
    QTest::addColumn<Qt::Key>("key");
    QTest::newRow("Return") << Qt::Key_Return;
    QTest::newRow("Enter") << Qt::Key_Enter;
  }
  void keysChooseInAListThatIsOpen() {
    QFETCH(Qt::Key, key);
    QMainWindow window;
    auto* list = new QComboBox;
    list->addItems({QStringLiteral("any class"), QStringLiteral("cat"), QStringLiteral("dog")});
    window.setCentralWidget(list);
    const app::WindowShortcutFilter* filter = new app::WindowShortcutFilter(&window);
    QVERIFY(filter);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const QSignalSpy chosen(list, &QComboBox::activated);
    list->showPopup();
    QTRY_VERIFY(list->view()->isVisible());
    QTest::keyClick(list->view(), Qt::Key_Down);
    QTest::keyClick(list->view(), key);
    QTRY_VERIFY(!QApplication::activePopupWidget());
    QCOMPARE(list->currentIndex(), 1);
    QCOMPARE(chosen.count(), 1);
  }
};

LOCKSTEP_TEST(TstWindowShortcutFilter)
#include "tst_window_shortcut_filter.moc"
