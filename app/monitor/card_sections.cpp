#include "app/monitor/card_sections.h"

#include <QApplication>
#include <QCursor>
#include <QHash>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

#include "app/monitor/advice_section.h"
#include "app/monitor/card_grid.h"
#include "app/monitor/parameter_section.h"
#include "app/monitor/tag_cards.h"
#include "widgets/named_action.h"
#include "widgets/plots/curve_card.h"
#include "widgets/role.h"

namespace lockstep::app {
namespace {

/// The first section of tags stands below the pinned cards, the advice and the grid.
constexpr int kFirstSection = 3;
/// Limit of cards in sections that open by themselves: all of them are made at once.
constexpr std::size_t kOpenAtOnce = 48;

void sortCards(std::vector<CardPlan>& cards, const QStringList& order) {
  QStringList ids;
  QHash<QString, CardPlan> plans;
  for (const CardPlan& plan : cards) {
    ids << cardId(plan);
    plans.insert(ids.last(), plan);
  }
  cards.clear();
  for (const QString& id : inOrder(ids, order)) cards.push_back(plans.value(id));
}

}  // namespace

CardSections::CardSections(QWidget* parent) : QWidget(parent) {
  buildUi();
  arrange();
}

void CardSections::buildUi() {
  grid_ = new CardGrid;
  parameters_ = new ParameterSection(grid_->drawQueue());
  advice_ = new AdviceSection(grid_->drawQueue());
  nothing_ = new QLabel;
  nothing_->setObjectName(QStringLiteral("nothingFound"));
  nothing_->setAlignment(Qt::AlignCenter);
  nothing_->setContentsMargins(16, 40, 16, 40);
  widgets::setRole(nothing_, "muted");
  hiddenNote_ = new QPushButton;
  hiddenNote_->setObjectName(QStringLiteral("hiddenCards"));
  widgets::setRole(hiddenNote_, "link");
  column_ = new QVBoxLayout(this);
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(0);
  addSection(kPinned, tr("Pinned"))->setOpen(true);
  column_->addWidget(advice_);
  column_->addWidget(grid_, 1);
  column_->addWidget(parameters_);
  column_->addWidget(hiddenNote_, 0, Qt::AlignHCenter);
  column_->addWidget(nothing_);
  connect(hiddenNote_, &QPushButton::clicked, this, [this] {
    CardSettings shown = settings_;
    shown.hidden.clear();
    change(shown);
  });
  connect(parameters_, &ParameterSection::openChanged, this,
          [this](bool open) { keepOpen(kParameters, open); });
  connect(advice_, &AdviceSection::openChanged, this,
          [this](bool open) { keepOpen(kAdvice, open); });
}

TagCards* CardSections::addSection(const QString& name, const QString& title) {
  auto* section = new TagCards(title, grid_->drawQueue());
  section->setObjectName(QStringLiteral("section ") + name);
  section->setColumns(grid_->columns());
  section->setScrollBarWidth(barPx_);
  connect(section, &TagCards::openChanged, this, [this, name](bool open) { keepOpen(name, open); });
  connect(section, &TagCards::cardMade, this,
          [this](widgets::CurveCard* card, const CardPlan& plan) {
            connectCard(card, plan);
            Q_EMIT cardMade(card, plan);
          });
  section->hide();
  const int place = sections_.empty() ? 0 : kFirstSection + static_cast<int>(sections_.size()) - 1;
  sections_.emplace_back(name, section);
  column_->insertWidget(place, section);
  return section;
}

TagCards* CardSections::section(const QString& name) const {
  for (const auto& [own, section] : sections_)
    if (own == name) return section;
  return nullptr;
}

void CardSections::keepOpen(const QString& name, bool open) {
  settings_.open.removeAll(name);
  settings_.folded.removeAll(name);
  (open ? settings_.open : settings_.folded) << name;
  Q_EMIT settingsChanged();
}

void CardSections::makeCards() {
  grid_->makeCards();
  for (std::size_t i = 0; i < grid_->cards().size(); ++i) {
    connectCard(grid_->cards()[i], grid_->plans()[i]);
    Q_EMIT cardMade(grid_->cards()[i], grid_->plans()[i]);
  }
}

void CardSections::connectCard(widgets::CurveCard* card, const CardPlan& plan) {
  connect(card, &widgets::CurveCard::menuOpened, this,
          [this, id = cardId(plan)](QMenu* menu) { addToMenu(menu, id); });
  connect(card, &widgets::CurveCard::dropped, this, [this, card](const QPoint& at) {
    QString target;
    forEachCard([&](const widgets::CurveCard* other, const CardPlan& own) {
      if (other->isVisible() && other->rect().contains(other->mapFromGlobal(at)))
        target = cardId(own);
    });
    moveTo(card, target);
  });
}

void CardSections::addToMenu(QMenu* menu, const QString& id) {
  menu->addSeparator();
  const auto* card = qobject_cast<widgets::CurveCard*>(menu->parentWidget());
  menu->addAction(widgets::withKeysOf(window(), "monitor.card_width", tr("Other width")), this,
                  [this, card] { resize(card, withNextWidth); });
  menu->addAction(widgets::withKeysOf(window(), "monitor.card_height", tr("Other height")), this,
                  [this, card] { resize(card, withNextHeight); });
  const bool isPinned = settings_.pinned.contains(id);
  menu->addAction(isPinned ? tr("Unpin") : tr("Pin to the top"), this, [this, id, isPinned] {
    CardSettings changed = settings_;
    changed.pinned.removeAll(id);
    if (!isPinned) changed.pinned << id;
    change(changed);
  });
  menu->addAction(tr("Hide this card"), this, [this, id] {
    CardSettings changed = settings_;
    changed.pinned.removeAll(id);
    changed.hidden << id;
    change(changed);
  });
}

void CardSections::change(const CardSettings& settings) {
  setSettings(settings);
  Q_EMIT settingsChanged();
}

void CardSections::forEachCard(
    const std::function<void(widgets::CurveCard*, const CardPlan&)>& use) const {
  for (std::size_t i = 0; i < grid_->cards().size(); ++i) use(grid_->cards()[i], grid_->plans()[i]);
  for (const auto& [name, section] : sections_)
    for (const TagCards::Card& card : section->cards()) use(card.card, card.plan);
}

void CardSections::forEachPlot(const std::function<void(widgets::CurveCard*)>& use) const {
  forEachCard([&use](widgets::CurveCard* card, const CardPlan&) { use(card); });
  use(parameters_->card());
}

widgets::CurveCard* CardSections::cardUnderPointer() const {
  widgets::CurveCard *pointed = grid_->cards().front(), *focused = nullptr;
  forEachPlot([&](widgets::CurveCard* card) {
    if (card->isAncestorOf(QApplication::focusWidget())) focused = card;
    if (card->isVisible() && card->rect().contains(card->mapFromGlobal(QCursor::pos())))
      pointed = card;
  });
  return focused ? focused : pointed;
}

void CardSections::setScope(const CardScope& scope) {
  scope_ = scope;
  arrange();
}

void CardSections::setTags(std::vector<std::string> tags) {
  if (tags == tags_) return;  // runs of one kind have the same
  tags_ = std::move(tags);
  arrange();
}

void CardSections::setWords(const QString& words) {
  words_ = words.trimmed();
  arrange();
}

void CardSections::setSettings(const CardSettings& settings) {
  settings_ = settings;
  parameters_->setOpen(settings_.open.contains(kParameters));
  advice_->setOpen(settings_.open.contains(kAdvice));
  arrange();
}

bool CardSections::isWanted(const CardPlan& plan) const {
  return !settings_.hidden.contains(cardId(plan)) && matchesWords(plan, words_);
}

/// The pinned cards first.
std::vector<TagSection> CardSections::plannedSections() const {
  std::vector<TagSection> planned = tagSections(tags_, grid_->plans());
  TagSection pinned{kPinned, {}};
  for (const QString& id : settings_.pinned) {
    const auto add = [&](const std::vector<CardPlan>& plans) {
      std::ranges::copy_if(plans, std::back_inserter(pinned.cards),
                           [&id](const CardPlan& plan) { return cardId(plan) == id; });
    };
    add(grid_->plans());
    for (const TagSection& section : planned) add(section.cards);
  }
  planned.insert(planned.begin(), pinned);
  for (TagSection& section : planned) {
    std::erase_if(section.cards, [this](const CardPlan& plan) { return !isWanted(plan); });
    if (section.name != kPinned) sortCards(section.cards, settings_.order);
    setSizes(section.cards, settings_.sizes);
  }
  return planned;
}

/// The grid and each section know their own.
bool CardSections::hasMaximized() const {
  return grid_->maximized() || std::ranges::any_of(sections_, [](const auto& section) {
           return section.second->maximized() != nullptr;
         });
}

void CardSections::toggleMaximized(widgets::CurveCard* card, int heightPx) {
  const bool restores = hasMaximized();
  const bool isInGrid = std::ranges::find(grid_->cards(), card) != grid_->cards().end();
  grid_->maximize(!restores && isInGrid ? card : nullptr);
  for (const auto& [name, section] : sections_)
    section->maximize(!restores && section->has(card) ? card : nullptr, heightPx);
  arrange();
}

/// Wanted cards in the chosen order, without empty ones of another program: it will not log them.
std::vector<std::size_t> CardSections::gridCards() const {
  const std::vector<CardPlan>& plans = grid_->plans();
  const std::unordered_set<std::string_view> tags(tags_.begin(), tags_.end());
  QStringList ids;
  QHash<QString, std::size_t> places;
  for (const std::size_t card : cardsWith(scope_, plans)) {
    if (!isWanted(plans[card])) continue;
    if (scope_.isForeign && !hasTagOf(plans[card], tags)) continue;
    ids << cardId(plans[card]);
    places[ids.last()] = card;
  }
  std::vector<std::size_t> cards;
  for (const QString& id : inOrder(ids, settings_.order)) cards.push_back(places[id]);
  return cards;
}

QString CardSections::idOf(const widgets::CurveCard* card) const {
  QString id;
  forEachCard([&](const widgets::CurveCard* other, const CardPlan& plan) {
    if (other == card) id = cardId(plan);
  });
  return id;
}

/// Ids of the cards of its grid or section, in their order.
QStringList CardSections::neighboursOf(const widgets::CurveCard* card) const {
  QStringList ids;
  for (const auto& [name, section] : sections_)
    if (section->has(card))
      for (const TagCards::Card& own : section->cards()) ids << cardId(own.plan);
  if (ids.isEmpty())
    for (const std::size_t own : gridCards()) ids << cardId(grid_->plans()[own]);
  return ids;
}

void CardSections::moveTo(const widgets::CurveCard* card, const QString& target) {
  const QStringList ids = neighboursOf(card);
  const QStringList after = moved(ids, idOf(card), target);
  if (after == ids) return;
  CardSettings changed = settings_;
  if (section(kPinned)->has(card)) {
    changed.pinned = inOrder(changed.pinned, after);
  } else {
    for (const QString& id : ids) changed.order.removeAll(id);
    changed.order << after;
  }
  change(changed);
}

void CardSections::moveBy(int places) {
  const widgets::CurveCard* card = cardUnderPointer();
  const QStringList ids = neighboursOf(card);
  const qsizetype at = ids.indexOf(idOf(card)) + places;
  if (at >= 0 && at < ids.size()) moveTo(card, ids[at]);
}

void CardSections::resize(const widgets::CurveCard* card, CardSize (*next)(CardSize)) {
  CardSettings changed = settings_;
  forEachCard([&](const widgets::CurveCard* other, const CardPlan& plan) {
    if (other == card)
      changed.sizes[cardId(plan)] = sizeText(next({plan.columnSpan, plan.rowSpan}));
  });
  change(changed);
}

void CardSections::changeWidth() { resize(cardUnderPointer(), withNextWidth); }
void CardSections::changeHeight() { resize(cardUnderPointer(), withNextHeight); }

void CardSections::resetArrangement() {
  CardSettings changed = settings_;
  changed.order.clear();
  changed.sizes.clear();
  change(changed);
}

QString CardSections::titleOf(const TagSection& section) {
  if (section.name == kFurtherTags)
    return tr("Tags of sections after the first %1").arg(kMaxTagSections);
  return section.name.isEmpty() ? tr("Other tags") : section.name;
}

void CardSections::arrange() {
  grid_->setCardSizes(settings_.sizes);
  grid_->setShown(gridCards());
  const std::vector<TagSection> planned = plannedSections();
  for (const TagSection& each : planned)
    if (!section(each.name)) addSection(each.name, titleOf(each));
  std::size_t left = kOpenAtOnce;
  for (const auto& [name, own] : sections_) {
    const auto each = std::ranges::find(planned, name, &TagSection::name);
    own->setPlans(each == planned.end() ? std::vector<CardPlan>() : each->cards);
    const bool isWished = settings_.open.contains(name) || name == kPinned;
    const std::size_t cards = std::min(own->planCount(), TagCards::kAtOnce);
    const bool opensItself =
        cards <= left &&
        (!words_.isEmpty() || (scope_.isForeign && !settings_.folded.contains(name)));
    if (opensItself && !isWished) left -= cards;
    own->setOpen(isWished || opensItself);
  }
  const bool isAlone = hasMaximized();
  for (const auto& [name, own] : sections_)
    own->setVisible(own->planCount() > 0 && (!isAlone || own->maximized()));
  grid_->setVisible(!isAlone || grid_->maximized());
  parameters_->setShown(!isAlone);
  advice_->setShown(!isAlone);
  const bool isFound = grid_->hasShown() || std::ranges::any_of(sections_, [](const auto& section) {
                         return section.second->planCount() > 0;
                       });
  nothing_->setVisible(!words_.isEmpty() && !isFound);
  nothing_->setText(tr("No card has “%1” in its title or tags").arg(words_));
  hiddenNote_->setVisible(!settings_.hidden.isEmpty());
  hiddenNote_->setText(tr("Show %n hidden card(s)", "", static_cast<int>(settings_.hidden.size())));
}

void CardSections::fitWidth(int widthPx) {
  grid_->fitWidth(widthPx);
  advice_->setColumns(grid_->columns());
  for (const auto& [name, section] : sections_) section->setColumns(grid_->columns());
}

void CardSections::setScrollBarWidth(int widthPx) {
  barPx_ = widthPx;
  grid_->setScrollBarWidth(widthPx);
  parameters_->setScrollBarWidth(widthPx);
  advice_->setScrollBarWidth(widthPx);
  for (const auto& [name, section] : sections_) section->setScrollBarWidth(widthPx);
}

}  // namespace lockstep::app
