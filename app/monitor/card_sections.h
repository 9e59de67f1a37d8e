#pragma once

#include <QWidget>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/cards/card_layout.h"
#include "app/cards/tag_sections.h"
#include "app/monitor/card_arrangement.h"
#include "app/monitor/card_settings.h"

class QLabel;
class QMenu;
class QPushButton;
class QVBoxLayout;

namespace lockstep::widgets {
class CurveCard;
}

namespace lockstep::app {

class AdviceSection;
class CardGrid;
class ParameterSection;
class TagCards;

/// All cards of the Monitor page below one another: pinned ones, those of every run, sections for
/// the other tags, and the parameters. Which are shown: settings, search and a maximized card.
class CardSections : public QWidget {
  Q_OBJECT

 public:
  explicit CardSections(QWidget* parent = nullptr);

  CardGrid* grid() const { return grid_; }
  ParameterSection* parameters() const { return parameters_; }
  AdviceSection* advice() const { return advice_; }
  /// The section with this name, or nullptr; kPinned: of the pinned cards.
  TagCards* section(const QString& name) const;
  /// No tag begins so.
  inline static const QString kPinned = QStringLiteral("\x1fpinned");
  inline static const QString kParameters = QStringLiteral("\x1fparameters");
  inline static const QString kAdvice = QStringLiteral(
      "\x1f"
      "advice");

  void makeCards();
  /// Those that exist, with their plans; not the parameters' card.
  void forEachCard(const std::function<void(widgets::CurveCard*, const CardPlan&)>& use) const;
  /// All plots, also the parameters'.
  void forEachPlot(const std::function<void(widgets::CurveCard*)>& use) const;
  /// The one with the focus, else the one under the pointer, else the first.
  widgets::CurveCard* cardUnderPointer() const;

  void setScope(const CardScope& scope);
  /// Of the shown runs, each once.
  void setTags(std::vector<std::string> tags);
  void setWords(const QString& words);
  const CardSettings& settings() const { return settings_; }
  void setSettings(const CardSettings& settings);
  bool hasMaximized() const;
  /// Shows this card alone, `heightPx` high at most; or all again.
  void toggleMaximized(widgets::CurveCard* card, int heightPx);
  /// 1, 2 or all columns; 1, 2 or 3 rows. Of the card under the pointer, in turn.
  void changeWidth();
  void changeHeight();
  /// Moves it past the next card (1) or the one before (-1).
  void moveBy(int places);
  /// The sizes and the order of all cards as they are in every folder.
  void resetArrangement();
  void fitWidth(int widthPx);
  /// Width that the scroll bar takes from the right margin.
  void setScrollBarWidth(int widthPx);

 Q_SIGNALS:
  /// It has no curves yet.
  void cardMade(widgets::CurveCard* card, const lockstep::app::CardPlan& plan);
  /// By a wish of the person.
  void settingsChanged();

 private:
  void buildUi();
  TagCards* addSection(const QString& name, const QString& title);
  void connectCard(widgets::CurveCard* card, const CardPlan& plan);
  void addToMenu(QMenu* menu, const QString& id);
  void change(const CardSettings& settings);
  std::vector<std::size_t> gridCards() const;
  QString idOf(const widgets::CurveCard* card) const;
  QStringList neighboursOf(const widgets::CurveCard* card) const;
  void moveTo(const widgets::CurveCard* card, const QString& target);
  void resize(const widgets::CurveCard* card, CardSize (*next)(CardSize));
  void keepOpen(const QString& name, bool open);
  bool isWanted(const CardPlan& plan) const;
  std::vector<TagSection> plannedSections() const;
  static QString titleOf(const TagSection& section);
  void arrange();

  QVBoxLayout* column_ = nullptr;
  CardGrid* grid_ = nullptr;
  ParameterSection* parameters_ = nullptr;
  AdviceSection* advice_ = nullptr;
  std::vector<std::pair<QString, TagCards*>> sections_;  ///< by name; the pinned cards first
  QPushButton* hiddenNote_ = nullptr;
  QLabel* nothing_ = nullptr;  ///< that no card fits the search
  CardSettings settings_;
  CardScope scope_;
  std::vector<std::string> tags_;
  QString words_;
  int barPx_ = 0;
};

}  // namespace lockstep::app
