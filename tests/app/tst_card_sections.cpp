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

#include "app/cards/tag_sections.h"
#include "app/frame/main_window.h"
#include "app/monitor/card_sections.h"
#include "app/monitor/parameter_section.h"
#include "app/monitor/tag_cards.h"
#include "app/runs/open/open_runs.h"
#include "tests/app/monitor_bench.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/plots/heat_map.h"

using namespace lockstep;

namespace {

/// Gives a run that is shown these tags besides those of made runs.
void addTags(app::MonitorPage& page, app::RunController& run,
             const std::vector<std::string>& tags) {
  events::ScalarValues values;
  float value = 0.5F;
  for (const std::string& tag : tags) values.push_back({tag, value *= 1.1F});
  for (int step = 1000; step < 1010; ++step)
    run.history().metrics().append(step, 1.9e9 + step, values);
  page.setRuns({{&run, QStringLiteral("run"), 0}});
  QTRY_VERIFY(page.isReady());
}

/// The page with a run that has these tags too.
struct TaggedRun : tests::MonitorBench {
  explicit TaggedRun(const std::vector<std::string>& tags) { addTags(page(), run(), tags); }
  QLineEdit* words() const {
    return page().tools()->findChild<QLineEdit*>(QStringLiteral("cardSearch"));
  }
};

const std::vector<std::string> kTags{"my/depth", "my/width", "my/depth", "lonely",
                                     "eval/segm/AP/class/1"};

std::vector<std::string> manySections(int count) {
  std::vector<std::string> tags;
  for (int i = 0; i < count; ++i) tags.push_back("s" + std::to_string(i) + "/x");
  return tags;
}

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

  void sectionsAfterTheFirstOnesAreOne() {
    const auto found = app::tagSections(manySections(60000), app::monitorCards());
    QCOMPARE(found.size(), app::kMaxTagSections + 1);
    QCOMPARE(found.front().name, QStringLiteral("s0"));
    QCOMPARE(found.back().name, app::kFurtherTags);
    QCOMPARE(found.back().cards.size(), 60000 - app::kMaxTagSections);
    QCOMPARE(found.back().cards.back().title, QStringLiteral("s59999/x"));
  }

  /// A section for each of 60,000 tags would take 40 s and 1.1 GB.
  void aLogMayHaveAsManySectionsAsTags() {
    TaggedRun shown(manySections(60000));
    const auto sections = shown.page().findChildren<app::TagCards*>();
    QCOMPARE(static_cast<std::size_t>(sections.size()), app::kMaxTagSections + 2);  // and pinned
    app::TagCards* further = shown.page().section(app::kFurtherTags);
    QVERIFY(further->isVisible());
    QVERIFY(foldOf(*further)->text().contains(QStringLiteral("100")));
    shown.page().tools()->setWords(QStringLiteral("s59999/x"));
    QTRY_COMPARE(titlesOf(*further), QStringList{QStringLiteral("s59999/x")});
    QTRY_VERIFY(further->cards().front().card->plot()->hasPoints());
  }

  void aSectionIsFoldedTillItIsOpened() {
    TaggedRun shown(kTags);
    app::TagCards* section = shown.page().section(QStringLiteral("my"));
    QVERIFY(section && section->isVisible() && !section->isOpen());
    QVERIFY(section->cards().empty());
    QTest::mouseClick(foldOf(*section), Qt::LeftButton);
    QCOMPARE(titlesOf(*section), (QStringList{QStringLiteral("depth"), QStringLiteral("width")}));
    QTRY_VERIFY(section->cards().front().card->isVisible());
    shown.waitUntilReady();
    QVERIFY(section->cards().front().card->plot()->hasPoints());
    QTest::keyClick(foldOf(*section), Qt::Key_Space);
    QVERIFY(!section->isOpen());
  }

  void wordsFindCardsInAllSections() {
    TaggedRun shown(kTags);
    shown.page().tools()->focusSearch();
    QVERIFY(shown.words()->hasFocus());
    QTest::keyClicks(shown.words(), QStringLiteral("my wid"));
    app::TagCards* section = shown.page().section(QStringLiteral("my"));
    QTRY_COMPARE(titlesOf(*section), QStringList{QStringLiteral("width")});
    QVERIFY(section->isOpen());
    for (const widgets::CurveCard* card : shown.page().cards()) QVERIFY(!card->isVisible());
    shown.words()->clear();
    QTRY_VERIFY(!section->isOpen());
    QVERIFY(shown.page().cards().front()->isVisible());
  }

  void aPinnedCardIsOnTopAndAHiddenOneComesBack() {
    TaggedRun shown(kTags);
    app::TagCards* section = shown.page().section(QStringLiteral("my"));
    QTest::mouseClick(foldOf(*section), Qt::LeftButton);
    chooseInMenu(section->cards().front().card, QStringLiteral("Pin to the top"));
    app::TagCards* pinned = shown.page().section(app::CardSections::kPinned);
    QCOMPARE(titlesOf(*pinned), QStringList{QStringLiteral("depth")});
    QVERIFY(pinned->isVisible() &&
            pinned->mapTo(&shown.page(), QPoint()).y() <
                shown.page().cards().front()->mapTo(&shown.page(), QPoint()).y());
    chooseInMenu(pinned->cards().front().card, QStringLiteral("Unpin"));
    QVERIFY(!pinned->isVisible());
    widgets::CurveCard* loss = shown.page().cards().front();
    chooseInMenu(loss, QStringLiteral("Hide this card"));
    QVERIFY(!loss->isVisible());
    auto* note = shown.page().findChild<QPushButton*>(QStringLiteral("hiddenCards"));
    QVERIFY(note->isVisible());
    QTest::mouseClick(note, Qt::LeftButton);
    QVERIFY(loss->isVisible() && !note->isVisible());
  }

  void settingsAreKeptForTheFolder() {
    QTemporaryDir parent, settings;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    QCoreApplication::setOrganizationName(QStringLiteral("tests"));
    const QString run = tests::makeRun(parent.path(), {});
    widgets::ThemeSwitch theme;
    const auto open = [&theme](const QString& path) {
      return tests::openWindow(theme, tests::keepingOptionsFor({path}));
    };
    const auto first = open(run);
    QTRY_VERIFY(first->isReady());
    app::MonitorPage& page = *first->monitorPage();
    addTags(page, *first->findChild<app::OpenRuns*>()->find(run), kTags);
    app::TagCards* section = page.section(QStringLiteral("my"));
    QTest::mouseClick(foldOf(*section), Qt::LeftButton);
    chooseInMenu(section->cards().front().card, QStringLiteral("Pin to the top"));
    const app::CardSettings kept = page.cardSettings();
    QCOMPARE(kept.pinned, QStringList{QStringLiteral("my/depth")});
    const auto again = open(run);
    QTRY_COMPARE(again->monitorPage()->cardSettings(), kept);
    QTemporaryDir elsewhere;
    QCOMPARE(open(elsewhere.path())->monitorPage()->cardSettings(), app::CardSettings());
  }

  void aCardOfASectionIsMaximized() {
    TaggedRun shown(kTags);
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
    TaggedRun shown(kTags);
    widgets::CurveCard* loss = shown.page().cards().front();
    Q_EMIT loss->expandRequested();
    QVERIFY(!shown.page().cards()[1]->isVisible());
    shown.words()->setText(QStringLiteral("box AP"));
    QTRY_VERIFY(shown.page().cards()[2]->isVisible());
    shown.words()->clear();
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
    TaggedRun shown(tags);
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
    TaggedRun shown({"grad_norm/conv1.weight", "grad_norm/fc.weight", "weight_norm/conv1.weight",
                     "grad_norm/part/backbone"});
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

  void ofManyParametersTheFirstAreInTheHeatMap() {
    std::vector<std::string> tags;
    for (int i = 0; i < 2001; ++i) tags.push_back("grad_norm/p" + std::to_string(i));
    TaggedRun shown(tags);
    app::ParameterSection* section = shown.page().parameters();
    QTest::mouseClick(foldOf(*section), Qt::LeftButton);
    QCOMPARE(section->heatMap()->rows().size(), std::size_t{2000});
    QStringList notes;
    for (const QLabel* label : section->findChildren<QLabel*>()) notes << label->text();
    QCOMPARE(notes.filter(QStringLiteral("2000 of 2001")).size(), 1);
  }

  void aRunWithoutStatisticsHasNoHeatMap() {
    TaggedRun shown({"my/depth"});
    QVERIFY(!shown.page().parameters()->isVisible());
  }
};

LOCKSTEP_TEST(TstCardSections)
#include "tst_card_sections.moc"
