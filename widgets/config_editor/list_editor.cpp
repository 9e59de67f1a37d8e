#include "widgets/config_editor/list_editor.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>
#include <algorithm>

#include "widgets/experiment/field_words.h"
#include "widgets/role.h"

namespace lockstep::widgets {

ListEditor::ListEditor(const config::Field& field, QWidget* parent) : LineEditor(field, parent) {
  if (field.listSize >= 0) return;
  remove_ = addButton(QStringLiteral("−"), "removeItem", tr("Remove the item at the cursor"));
  add_ = addButton(QStringLiteral("+"), "addItem", tr("Add an item after that at the cursor"));
  connect(remove_, &QToolButton::clicked, this, [this] { show(withItemRemoved(list())); });
  connect(add_, &QToolButton::clicked, this, [this] {
    const TypedList added = withItemAdded(this->field(), list());
    show(added);
    line()->setFocus();
    selectItemAt(added);  // what is typed next replaces it
  });
  connect(line(), &QLineEdit::textChanged, this, &ListEditor::showWhatIsPossible);
}

QToolButton* ListEditor::addButton(const QString& sign, const char* name, const QString& tip) {
  auto* button = new QToolButton(this);
  button->setText(sign);
  button->setObjectName(QLatin1String(name));
  button->setToolTip(tip);
  button->setAccessibleName(tr("%1 of %2").arg(tip, QString::fromStdString(field().key)));
  button->setFocusPolicy(Qt::StrongFocus);
  setRole(button, "icon");
  static_cast<QBoxLayout*>(layout())->addWidget(button);
  return button;
}

TypedList ListEditor::list() const {
  const QString text = effectiveText();
  if (isWordOf(field(), text.toStdString())) return {};
  return {text, line()->text().isEmpty() ? text.size() : line()->cursorPosition()};
}

void ListEditor::show(const TypedList& list) {
  type(list.text);
  line()->setCursorPosition(static_cast<int>(list.cursor));
}

void ListEditor::selectItemAt(const TypedList& list) {
  const auto isEnd = [](QChar sign) { return sign == u',' || sign == u']'; };
  const auto from = list.text.begin() + list.cursor;
  const auto length = std::find_if(from, list.text.end(), isEnd) - from;
  line()->setCursorPosition(static_cast<int>(list.cursor));
  // Backwards: the cursor stays at the item's begin.
  line()->setSelection(static_cast<int>(list.cursor + length), -static_cast<int>(length));
}

/// A list may be empty for a few keys only.
void ListEditor::showWhatIsPossible() {
  add_->setEnabled(!isTooLong());
  remove_->setEnabled(!isTooLong() && list().items().size() > (field().mayBeEmpty ? 0 : 1));
}

bool ListEditor::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Up || key == Qt::Key_Down) {
      show(withItemStepped(field(), list(), key == Qt::Key_Up ? 1 : -1));
      return true;
    }
  }
  return LineEditor::eventFilter(watched, event);
}

}  // namespace lockstep::widgets
