#include "app/frame/command_palette.h"

#include <QAction>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/text/word_match.h"
#include "widgets/action_keywords.h"
#include "widgets/named_action.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kWidthPx = 560, kRows = 14, kTopPx = 64;
constexpr int kMostRuns = 20;  ///< that are listed at one time
constexpr int kActionRole = Qt::UserRole, kRunRole = Qt::UserRole + 1,
              kKeywordsRole = Qt::UserRole + 2;
enum Column { Name, Keys, kColumns };

/// Now, or on its page: those of Monitor are enabled there alone.
bool canBeTriggered(const QAction* action) {
  return action->isEnabled() || widgets::placeOf(action) == widgets::ActionPlace::Monitor;
}

bool isListed(const QAction* action) {
  return action->isVisible() && action->objectName() != QLatin1String("window.palette") &&
         action->objectName() != QLatin1String("window.escape");
}

QString shownName(const QAction* action) {
  const auto place = widgets::placeOf(action);
  const QString text = widgets::listedText(action);
  return place == widgets::ActionPlace::Everywhere
             ? text
             : widgets::placeName(place) + QStringLiteral(": ") + text;
}

}  // namespace

CommandPalette::CommandPalette(QWidget* window, std::function<void(const QAction*)> goTo)
    : QFrame(window, Qt::Popup), window_(window), goTo_(std::move(goTo)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setObjectName(QStringLiteral("commandPalette"));
  buildUi();
}

void CommandPalette::buildUi() {
  widgets::setRole(this, "card");
  words_ = new QLineEdit;
  words_->setPlaceholderText(tr("Type words of an action or a run"));
  words_->setAccessibleName(tr("Words of an action or a run"));
  words_->installEventFilter(this);
  list_ = new QTreeWidget;
  list_->setAccessibleName(tr("Actions"));
  list_->setColumnCount(kColumns);
  list_->setHeaderHidden(true);
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->header()->setStretchLastSection(false);
  list_->header()->setSectionResizeMode(Name, QHeaderView::Stretch);
  list_->header()->setSectionResizeMode(Keys, QHeaderView::ResizeToContents);
  nothing_ = new QLabel(tr("No action or run has all of these words"), list_);
  nothing_->setContentsMargins(10, 10, 10, 10);
  widgets::setRole(nothing_, "muted");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 8, 8, 8);
  column->setSpacing(6);
  column->addWidget(words_);
  column->addWidget(list_);
  connect(words_, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(words_, &QLineEdit::returnPressed, this, &CommandPalette::trigger);
  connect(list_, &QTreeWidget::itemClicked, this, &CommandPalette::trigger);
}

void CommandPalette::popUp(const QStringList& lastUsed) {
  fill(lastUsed);
  filter({});
  list_->setFixedHeight(kRows * std::max(1, list_->sizeHintForRow(0)));
  resize(std::min(widgets::scaledPx(kWidthPx), window_->width() - 40), sizeHint().height());
  QFrame::move(window_->mapToGlobal(QPoint((window_->width() - width()) / 2, kTopPx)));
  show();
  words_->setFocus();
}

void CommandPalette::fill(const QStringList& lastUsed) {
  QList<QAction*> actions = widgets::namedActions(window_);
  const auto rank = [&lastUsed](const QAction* action) {
    const qsizetype at = lastUsed.indexOf(action->objectName());
    if (at >= 0) return at;
    // Who types a dock's name wants to see it.
    const bool floats = action->objectName().startsWith(QLatin1String("window.float_"));
    return lastUsed.size() + (floats ? 1 : 0);
  };
  std::ranges::stable_sort(actions, {}, rank);
  for (QAction* action : actions) {
    if (isListed(action)) addRow(shownName(action), action);
  }
  for (const auto& [name, action] : others_) addRow(name, action);
}

void CommandPalette::addRow(const QString& name, QAction* action) {
  auto* item =
      new QTreeWidgetItem(list_, {name, action->shortcut().toString(QKeySequence::NativeText)});
  item->setTextAlignment(Keys, Qt::AlignRight | Qt::AlignVCenter);
  item->setData(Name, kActionRole, QVariant::fromValue(QPointer<QAction>(action)));
  item->setData(Name, kKeywordsRole, widgets::keywordsOf(action->objectName()));
  item->setDisabled(!canBeTriggered(action));
  connect(action, &QAction::changed, list_,
          [item, action] { item->setDisabled(!canBeTriggered(action)); });
}

void CommandPalette::addActions(const QString& group, const QList<QAction*>& actions) {
  for (QAction* action : actions)
    others_.append({group + QStringLiteral(": ") + widgets::listedText(action), action});
}

void CommandPalette::addRuns(const QStringList& names, std::function<void(int)> goToRun) {
  runs_ = names;
  goToRun_ = std::move(goToRun);
}

/// A list of thousands would take longer to fill than a key press may.
void CommandPalette::listRuns(const QString& words) {
  for (int row = list_->topLevelItemCount() - 1; row >= 0; --row)
    if (list_->topLevelItem(row)->data(Name, kRunRole).isValid())
      delete list_->takeTopLevelItem(row);
  if (words.trimmed().isEmpty()) return;
  int listed = 0;
  for (int run = 0; run < runs_.size() && listed < kMostRuns; ++run) {
    const QString name = tr("Go to run: %1").arg(runs_[run]);
    if (!hasAllWords(name, words)) continue;
    auto* item = new QTreeWidgetItem(list_, {name, QString()});
    item->setData(Name, kRunRole, run);
    ++listed;
  }
}

/// Leaves those with every word, and goes to the first that can be triggered: one with the words in
/// its name if there is one.
void CommandPalette::filter(const QString& words) {
  listRuns(words);
  QTreeWidgetItem *first = nullptr, *firstByName = nullptr;
  bool isAnyShown = false;
  for (int row = 0; row < list_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = list_->topLevelItem(row);
    const QString name = item->text(Name);
    const QString keywords = item->data(Name, kKeywordsRole).toString();
    const bool isShown = hasAllWords(name + u' ' + keywords, words);
    item->setHidden(!isShown);
    isAnyShown = isAnyShown || isShown;
    if (!isShown || item->isDisabled()) continue;
    if (!first) first = item;
    if (!firstByName && hasAllWords(name, words)) firstByName = item;
  }
  if (firstByName) first = firstByName;
  nothing_->setVisible(!isAnyShown);
  list_->setCurrentItem(first);
  if (first) list_->scrollToItem(first);
}

void CommandPalette::move(int rows) {
  QTreeWidgetItem* item = list_->currentItem();
  const auto next = [&](QTreeWidgetItem* from) {
    do {
      from = rows > 0 ? list_->itemBelow(from) : list_->itemAbove(from);
    } while (from && from->isDisabled());
    return from;
  };
  for (int i = 0; item && i < std::abs(rows); ++i) {
    QTreeWidgetItem* to = next(item);
    if (!to) break;
    list_->setCurrentItem(item = to);
  }
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == words_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int rows = key == Qt::Key_Up         ? -1
                     : key == Qt::Key_Down     ? 1
                     : key == Qt::Key_PageUp   ? -kRows
                     : key == Qt::Key_PageDown ? kRows
                                               : 0;
    if (rows != 0) {
      move(rows);
      return true;
    }
  }
  return QFrame::eventFilter(watched, event);
}

void CommandPalette::trigger() {
  const QTreeWidgetItem* item = list_->currentItem();
  if (!item || item->isHidden() || item->isDisabled()) return;
  const QVariant run = item->data(Name, kRunRole);
  const auto action = item->data(Name, kActionRole).value<QPointer<QAction>>();
  close();
  if (run.isValid()) return goToRun_(run.toInt());
  if (!action) return;
  goTo_(action);
  if (!action->objectName().isEmpty()) Q_EMIT triggered(action->objectName());
  action->trigger();
}

}  // namespace lockstep::app
