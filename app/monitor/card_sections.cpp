#include "app/monitor/card_sections.h"

#include <QCursor>
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
#include "widgets/plots/curve_card.h"
#include "widgets/role.h"

namespace lockstep::app {
namespace {

/// The first section of tags stands below the pinned cards, the advice and the grid.
constexpr int kFirstSection = 3;
/// Cards that a search opens sections for: they are made at once.
constexpr std::size_t kFoundAtOnce = 24;

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
  if (open) settings_.open << name;
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
}

void CardSections::addToMenu(QMenu* menu, const QString& id) {
  menu->addSeparator();
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
  widgets::CurveCard* found = grid_->cards().front();
  forEachPlot([&found](widgets::CurveCard* card) {
    if (card->isVisible() && card->rect().contains(card->mapFromGlobal(QCursor::pos())))
      found = card;
  });
  return found;
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
  for (TagSection& section : planned)
    std::erase_if(section.cards, [this](const CardPlan& plan) { return !isWanted(plan); });
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

void CardSections::arrange() {
  std::vector<std::size_t> shown = cardsWith(scope_, grid_->plans());
  std::erase_if(shown, [this](std::size_t card) { return !isWanted(grid_->plans()[card]); });
  grid_->setShown(std::move(shown));
  const std::vector<TagSection> planned = plannedSections();
  for (const TagSection& each : planned)
    if (!section(each.name))
      addSection(each.name, each.name.isEmpty() ? tr("Other tags") : each.name);
  std::size_t left = kFoundAtOnce;
  for (const auto& [name, own] : sections_) {
    const auto each = std::ranges::find(planned, name, &TagSection::name);
    own->setPlans(each == planned.end() ? std::vector<CardPlan>() : each->cards);
    const bool isWished = settings_.open.contains(name) || name == kPinned;
    const bool isFound = !words_.isEmpty() && own->planCount() <= left;
    if (isFound && !isWished) left -= own->planCount();
    own->setOpen(isWished || isFound);
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
  hiddenNote_->setText(settings_.hidden.size() == 1
                           ? tr("Show the hidden card")
                           : tr("Show the %1 hidden cards").arg(settings_.hidden.size()));
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
