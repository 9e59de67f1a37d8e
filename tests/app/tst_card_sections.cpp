// Every tag of the log as a card: sections, search, pinned and hidden cards, the heat map.
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <map>

#include "app/controllers/open_runs.h"
#include "app/frame/main_window.h"
#include "app/models/tag_sections.h"
#include "app/monitor/card_sections.h"
#include "app/monitor/curve_tools.h"
#include "app/monitor/monitor_page.h"
#include "app/monitor/parameter_section.h"
#include "app/monitor/tag_cards.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/heat_map.h"

using namespace lockstep;
using app::MainWindow;
using tests::optionsFor;

namespace {

/// A window with a run that has these tags besides those of made runs.
struct Shown {
  QTemporaryDir parent;
  std::unique_ptr<MainWindow> window;
  QString run;

  explicit Shown(widgets::ThemeSwitch& theme, const std::vector<std::string>& tags,
                 bool keepsLayout = false) {
    run = tests::makeRun(parent.path(), tests::MadeRun());
    app::MainWindowOptions options = optionsFor({run});
    options.keepLayout = keepsLayout;
    window = std::make_unique<MainWindow>(&theme, options);
    window->show();
    waitTillReady();
    app::RunController* open = window->findChild<app::OpenRuns*>()->find(run);
    events::ScalarValues values;
    float value = 0.5F;
    for (const std::string& tag : tags) values.push_back({tag, value *= 1.1F});
    for (int step = 1000; step < 1010; ++step)
      open->history().metrics().append(step, 1.9e9 + step, values);
    page().setRuns({{open, QStringLiteral("run"), 0}});
    waitTillReady();
  }
  app::MonitorPage& page() const { return *window->monitorPage(); }
  void waitTillReady() const {
    QVERIFY(QTest::qWaitFor([this] { return window->isReady(); }));
  }
};

const std::vector<std::string> kTags{"my/depth", "my/width", "my/depth", "lonely",
                                     "eval/segm/AP/class/1"};

QStringList titlesOf(const app::TagCards& section) {
  QStringList titles;
  for (const auto& card : section.cards()) titles << card.card->title();
  return titles;
}

QToolButton* foldOf(const QWidget& section) { return section.findChild<QToolButton*>(); }

/// Chooses an entry of the menu that the card's button opens, by the mouse.
void chooseInMenu(widgets::CurveCard* card, const QString& text) {
  const auto buttons = card->findChildren<QToolButton*>();
  const auto open = std::ranges::find_if(buttons, [](const QToolButton* button) {
    return button->toolTip() == QStringLiteral("Axes and export");
  });
  QVERIFY(open != buttons.end());
  for (QScrollArea* area : card->window()->findChildren<QScrollArea*>())
    if (area->isAncestorOf(card)) area->ensureWidgetVisible(*open);
  QTest::mouseClick(*open, Qt::LeftButton);
  auto* menu = card->findChild<QMenu*>();
  QVERIFY(menu && menu->isVisible());
  for (QAction* action : menu->actions()) {
    if (action->text() != text) continue;
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
    return;
  }
  QFAIL(qPrintable(text));
}

}  // namespace

class TstCardSections : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tagsWithoutACardHaveSections() {
    const auto found = app::tagSections(
        {"train/loss_total", "my/depth", "time/rank3/own_seconds", "grad_norm/backbone.conv1",
         "grad_norm/part/backbone", "lonely", "my/width", "a/b/c"},
        app::monitorCards());
    QStringList names;
    std::map<QString, QStringList> titles;
    for (const app::TagSection& section : found) {
      names << section.name;
      for (const app::CardPlan& plan : section.cards) titles[section.name] << plan.title;
    }
    QCOMPARE(names, (QStringList{QStringLiteral("my"), QStringLiteral("grad_norm/part"), QString(),
                                 QStringLiteral("a/b")}));
    QCOMPARE(titles[QStringLiteral("my")],
             (QStringList{QStringLiteral("depth"), QStringLiteral("width")}));
  }

  void aSectionIsFoldedTillItIsOpened() {
    const Shown shown(theme_, kTags);
    app::TagCards* section = shown.page().section(QStringLiteral("my"));
    QVERIFY(section && section->isVisible() && !section->isOpen());
    QVERIFY(section->cards().empty());
    QTest::mouseClick(foldOf(*section), Qt::LeftButton);
    QCOMPARE(titlesOf(*section), (QStringList{QStringLiteral("depth"), QStringLiteral("width")}));
    QTRY_VERIFY(section->cards().front().card->isVisible());
    shown.waitTillReady();
    QVERIFY(section->cards().front().card->plot()->hasPoints());
    QTest::keyClick(foldOf(*section), Qt::Key_Space);
    QVERIFY(!section->isOpen());
  }

  void wordsFindCardsInAllSections() {
    const Shown shown(theme_, kTags);
    auto* words = shown.window->findChild<QLineEdit*>(QStringLiteral("cardSearch"));
    QTest::keyClick(shown.window.get(), Qt::Key_F, Qt::ControlModifier);
    QTest::keyClicks(words, QStringLiteral("my wid"));
    app::TagCards* section = shown.page().section(QStringLiteral("my"));
    QTRY_COMPARE(titlesOf(*section), QStringList{QStringLiteral("width")});
    QVERIFY(section->isOpen());
    for (const widgets::CurveCard* card : shown.page().cards()) QVERIFY(!card->isVisible());
    words->clear();
    QTRY_VERIFY(!section->isOpen());
    QVERIFY(shown.page().cards().front()->isVisible());
  }

  void aPinnedCardIsOnTopAndAHiddenOneComesBack() {
    const Shown shown(theme_, kTags);
    app::TagCards* section = shown.page().section(QStringLiteral("my"));
    QTest::mouseClick(foldOf(*section), Qt::LeftButton);
    chooseInMenu(section->cards().front().card, QStringLiteral("Pin to the top"));
    app::TagCards* pinned = shown.page().section(app::CardSections::kPinned);
    QCOMPARE(titlesOf(*pinned), QStringList{QStringLiteral("depth")});
    QVERIFY(pinned->isVisible() &&
            pinned->mapTo(shown.window.get(), QPoint()).y() <
                shown.page().cards().front()->mapTo(shown.window.get(), QPoint()).y());
    chooseInMenu(pinned->cards().front().card, QStringLiteral("Unpin"));
    QVERIFY(!pinned->isVisible());
    widgets::CurveCard* loss = shown.page().cards().front();
    chooseInMenu(loss, QStringLiteral("Hide this card"));
    QVERIFY(!loss->isVisible());
    auto* note = shown.window->findChild<QPushButton*>(QStringLiteral("hiddenCards"));
    QVERIFY(note->isVisible());
    QTest::mouseClick(note, Qt::LeftButton);
    QVERIFY(loss->isVisible() && !note->isVisible());
  }

  void settingsAreKeptForTheFolder() {
    QTemporaryDir settings;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    QCoreApplication::setOrganizationName(QStringLiteral("tests"));
    const Shown first(theme_, kTags, true);
    app::TagCards* section = first.page().section(QStringLiteral("my"));
    QTest::mouseClick(foldOf(*section), Qt::LeftButton);
    chooseInMenu(section->cards().front().card, QStringLiteral("Pin to the top"));
    const app::CardSettings kept = first.page().cardSettings();
    QCOMPARE(kept.pinned, QStringList{QStringLiteral("my/depth")});
    app::MainWindowOptions options = optionsFor({first.run});
    options.keepLayout = true;
    MainWindow again(&theme_, options);
    QTRY_COMPARE(again.monitorPage()->cardSettings(), kept);
    QTemporaryDir elsewhere;
    options.paths = {elsewhere.path()};
    QCOMPARE(MainWindow(&theme_, options).monitorPage()->cardSettings(), app::CardSettings());
  }

  void aCardOfASectionIsMaximized() {
    const Shown shown(theme_, kTags);
    app::TagCards* section = shown.page().section(QStringLiteral("my"));
    QTest::mouseClick(foldOf(*section), Qt::LeftButton);
    widgets::CurveCard* depth = section->cards()[0].card;
    widgets::CurveCard* width = section->cards()[1].card;
    QTRY_VERIFY(depth->isVisible());
    Q_EMIT depth->expandRequested();
    QVERIFY(depth->isVisible() && !width->isVisible());
    QVERIFY(!shown.page().cards().front()->isVisible());
    QTRY_VERIFY(depth->width() > section->width() * 3 / 4);
    Q_EMIT depth->expandRequested();
    QVERIFY(width->isVisible() && shown.page().cards().front()->isVisible());
  }

  /// The maximized card is no longer among those that are shown: the others come back.
  void aMaximizedCardThatGoesLeavesTheOthers() {
    const Shown shown(theme_, kTags);
    auto* words = shown.window->findChild<QLineEdit*>(QStringLiteral("cardSearch"));
    widgets::CurveCard* loss = shown.page().cards().front();
    Q_EMIT loss->expandRequested();
    QVERIFY(!shown.page().cards()[1]->isVisible());
    words->setText(QStringLiteral("box AP"));
    QTRY_VERIFY(shown.page().cards()[2]->isVisible());
    words->clear();
    QTRY_VERIFY(loss->isVisible());
    app::TagCards* section = shown.page().section(QStringLiteral("my"));
    QTest::mouseClick(foldOf(*section), Qt::LeftButton);
    QTRY_VERIFY(section->cards()[0].card->isVisible());
    Q_EMIT section->cards()[0].card->expandRequested();
    chooseInMenu(section->cards()[0].card, QStringLiteral("Hide this card"));
    QTRY_VERIFY(loss->isVisible());
    QVERIFY(foldOf(*section)->isVisible());
    QCOMPARE(titlesOf(*section), QStringList{QStringLiteral("width")});
    QTRY_VERIFY(section->cards()[0].card->isVisible());
  }

  void manyCardsAreMadeAFewAtATime() {
    std::vector<std::string> tags;
    for (int i = 0; i < 60; ++i) tags.push_back("many/" + std::to_string(i));
    const Shown shown(theme_, tags);
    app::TagCards* section = shown.page().section(QStringLiteral("many"));
    QTest::mouseClick(foldOf(*section), Qt::LeftButton);
    QCOMPARE(section->cards().size(), std::size_t{24});
    QPushButton* more = section->findChild<QPushButton*>();
    QVERIFY(more->isVisible());
    QTest::mouseClick(more, Qt::LeftButton);
    QTest::mouseClick(more, Qt::LeftButton);
    QCOMPARE(section->cards().size(), std::size_t{60});
    QVERIFY(!more->isVisible());
  }

  void parametersAreAHeatMapWithTheCurveOfWhatIsClicked() {
    const Shown shown(theme_, {"grad_norm/conv1.weight", "grad_norm/fc.weight",
                               "weight_norm/conv1.weight", "grad_norm/part/backbone"});
    app::ParameterSection* section = shown.page().parameters();
    QVERIFY(section->isVisible() && !section->isOpen());
    QTest::mouseClick(foldOf(*section), Qt::LeftButton);
    widgets::HeatMap* map = section->heatMap();
    QVERIFY(map->isVisible());
    QCOMPARE(map->rows().size(), std::size_t{2});
    QCOMPARE(map->rows().front().name, QStringLiteral("conv1.weight"));
    const QRect place = map->mapRect();
    QTest::mouseClick(map, Qt::LeftButton, {}, {place.center().x(), place.bottom() - 2});
    QCOMPARE(section->card()->plot()->curves().size(), std::size_t{1});
    QCOMPARE(section->card()->plot()->curves().front().name, QStringLiteral("fc.weight"));
    QTest::mouseClick(map, Qt::LeftButton, Qt::ControlModifier,
                      {place.center().x(), place.top() + 2});
    QCOMPARE(section->card()->plot()->curves().size(), std::size_t{2});
    auto* filter = section->findChild<QLineEdit*>();
    QTest::keyClicks(filter, QStringLiteral("nothing"));
    QVERIFY(!map->isVisible());
  }

  void aRunWithoutStatisticsHasNoHeatMap() {
    const Shown shown(theme_, {"my/depth"});
    QVERIFY(!shown.page().parameters()->isVisible());
  }

 private:
  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstCardSections)
#include "tst_card_sections.moc"
