#include "app/frame/keys_dialog.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/text/word_match.h"
#include "widgets/named_action.h"
#include "widgets/role.h"
#include "widgets/theme.h"

namespace lockstep::app {
namespace {

constexpr int kKeyActionRole = Qt::UserRole;
constexpr int kRowPx = 24;
enum KeyColumn { PlaceColumn, NameColumn, KeysColumn, kKeyColumns };
const QString kSettings = QStringLiteral("keys");

QString textOf(const QList<QKeySequence>& keys) {
  return QKeySequence::listToString(keys, QKeySequence::NativeText);
}

}  // namespace

void restoreChosenKeys() {
  QSettings settings;
  settings.beginGroup(kSettings);
  QHash<QString, QList<QKeySequence>> chosen;
  for (const QString& id : settings.childKeys())
    chosen[id] = QKeySequence::listFromString(settings.value(id).toString());
  widgets::setChosenKeys(chosen);
}

KeysDialog::KeysDialog(QWidget* window, bool keeps)
    : QDialog(window), window_(window), keeps_(keeps) {
  setWindowTitle(tr("Change keys"));
  setObjectName(QStringLiteral("keysDialog"));
  widgets::setRole(this, "panel");
  resize(620, 560);
  buildUi();
  connectSignals();
  fill();
  showCurrent();
}

void KeysDialog::buildUi() {
  words_ = new QLineEdit;
  words_->setPlaceholderText(tr("Filter actions"));
  words_->setClearButtonEnabled(true);
  list_ = new QTreeWidget;
  list_->setColumnCount(kKeyColumns);
  list_->setHeaderLabels({tr("where"), tr("action"), tr("keys")});
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setAccessibleName(tr("Actions and their keys"));
  list_->header()->setStretchLastSection(false);
  list_->header()->setSectionResizeMode(NameColumn, QHeaderView::Stretch);
  for (const int column : {PlaceColumn, KeysColumn})
    list_->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  edit_ = new QKeySequenceEdit;
  edit_->setAccessibleName(tr("New keys"));
  set_ = new QPushButton(tr("Set keys"));
  set_->setAutoDefault(false);
  reset_ = new QPushButton(tr("Reset to the default"));
  reset_->setAutoDefault(false);
  note_ = new QLabel;
  note_->setObjectName(QStringLiteral("keysNote"));
  note_->setWordWrap(true);
  widgets::setRole(note_, "muted");
  auto* close = new QPushButton(tr("Close"));
  close->setAutoDefault(false);
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  auto* row = new QHBoxLayout;
  row->addWidget(edit_, 1);
  row->addWidget(set_);
  row->addWidget(reset_);
  auto* last = new QHBoxLayout;
  last->addWidget(note_, 1);
  last->addWidget(close);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 14, 16, 14);
  column->setSpacing(8);
  column->addWidget(words_);
  column->addWidget(list_, 1);
  column->addLayout(row);
  column->addLayout(last);
}

void KeysDialog::connectSignals() {
  connect(words_, &QLineEdit::textChanged, this, &KeysDialog::filter);
  connect(list_, &QTreeWidget::currentItemChanged, this, &KeysDialog::showCurrent);
  connect(edit_, &QKeySequenceEdit::keySequenceChanged, this, [this](const QKeySequence& keys) {
    const QAction* own = current();
    QStringList names;
    if (own && keys != own->shortcut())
      for (const QAction* other : othersWith(keys))
        names << QStringLiteral("“%1”").arg(widgets::listedText(other));
    note_->setText(names.isEmpty() ? QString()
                                   : tr("%1 is used by %2 and would be reassigned")
                                         .arg(keys.toString(QKeySequence::NativeText),
                                              names.join(QStringLiteral(", "))));
  });
  connect(set_, &QPushButton::clicked, this, &KeysDialog::apply);
  connect(reset_, &QPushButton::clicked, this, &KeysDialog::reset);
}

void KeysDialog::fill() {
  for (QAction* action : widgets::namedActions(window_)) {
    if (!action->isVisible()) continue;  // a recent file that there is not
    auto* item =
        new QTreeWidgetItem(list_, {placeName(widgets::placeOf(action)),
                                    widgets::listedText(action), textOf(action->shortcuts())});
    item->setSizeHint(PlaceColumn, {0, widgets::scaledPx(kRowPx)});
    item->setData(PlaceColumn, kKeyActionRole, QVariant::fromValue<QObject*>(action));
  }
  list_->setCurrentItem(list_->topLevelItem(0));
}

void KeysDialog::filter(const QString& words) {
  for (int row = 0; row < list_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = list_->topLevelItem(row);
    const QStringList texts{item->text(PlaceColumn), item->text(NameColumn),
                            item->text(KeysColumn)};
    item->setHidden(!hasAllWords(texts.join(QLatin1Char(' ')), words));
  }
  // The keys are those of a row that is seen.
  QTreeWidgetItem* now = list_->currentItem();
  if (now && !now->isHidden()) return;
  QTreeWidgetItem* first = nullptr;
  for (int row = 0; row < list_->topLevelItemCount() && !first; ++row)
    if (!list_->topLevelItem(row)->isHidden()) first = list_->topLevelItem(row);
  list_->setCurrentItem(first);
}

QAction* KeysDialog::current() const {
  const QTreeWidgetItem* item = list_->currentItem();
  return item ? qobject_cast<QAction*>(item->data(PlaceColumn, kKeyActionRole).value<QObject*>())
              : nullptr;
}

/// Other actions that these keys would mean too.
QList<QAction*> KeysDialog::othersWith(const QKeySequence& keys) const {
  const QAction* own = current();
  QList<QAction*> others;
  if (keys.isEmpty() || !own) return others;
  for (QAction* action : widgets::namedActions(window_)) {
    if (action != own && widgets::shareKeys(widgets::placeOf(own), widgets::placeOf(action)) &&
        action->shortcuts().contains(keys))
      others << action;
  }
  return others;
}

void KeysDialog::showCurrent() {
  const QAction* action = current();
  edit_->setKeySequence(action ? action->shortcut() : QKeySequence());
  set_->setEnabled(action);
  reset_->setEnabled(action && action->shortcuts() != widgets::defaultKeysOf(action));
  note_->clear();
}

void KeysDialog::apply() {
  QAction* action = current();
  const QKeySequence keys = edit_->keySequence();
  if (keys == action->shortcut()) return;  // it may have a second one
  give(action, keys.isEmpty() ? QList<QKeySequence>() : QList<QKeySequence>{keys});
}

void KeysDialog::reset() { give(current(), widgets::defaultKeysOf(current())); }

/// Takes them from the others.
void KeysDialog::give(QAction* action, const QList<QKeySequence>& keys) {
  for (const QKeySequence& each : keys) {
    for (QAction* other : othersWith(each)) {
      QList<QKeySequence> left = other->shortcuts();
      left.removeAll(each);
      setKeys(other, left);
    }
  }
  setKeys(action, keys);
}

void KeysDialog::setKeys(QAction* action, const QList<QKeySequence>& keys) {
  action->setShortcuts(keys);
  if (keeps_) {
    QSettings settings;
    settings.beginGroup(kSettings);
    if (keys == widgets::defaultKeysOf(action)) {
      settings.remove(action->objectName());
    } else {
      settings.setValue(action->objectName(), QKeySequence::listToString(keys));
    }
  }
  for (int row = 0; row < list_->topLevelItemCount(); ++row) {
    QTreeWidgetItem* item = list_->topLevelItem(row);
    if (item->data(PlaceColumn, kKeyActionRole).value<QObject*>() == action)
      item->setText(KeysColumn, textOf(keys));
  }
  showCurrent();
}

}  // namespace lockstep::app
