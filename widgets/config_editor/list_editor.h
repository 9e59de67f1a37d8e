#pragma once

#include "widgets/config_editor/line_editor.h"
#include "widgets/experiment/list_items.h"

class QToolButton;

namespace lockstep::widgets {

/// A line with the items of a list. Buttons add an item after that at the cursor and remove it, and
/// the arrow keys change it if it is a number.
class ListEditor : public LineEditor {
  Q_OBJECT

 public:
  ListEditor(const config::Field& field, QWidget* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QToolButton* addButton(const QString& sign, const char* name, const QString& tip);
  /// The list that applies, with the cursor of the line; empty in the place of a word (`auto`).
  TypedList list() const;
  void show(const TypedList& list);
  /// Selects the item at the cursor.
  void selectItemAt(const TypedList& list);
  void showWhatIsPossible();

  QToolButton *add_ = nullptr, *remove_ = nullptr;  ///< nullptr: the number of items is fixed
};

}  // namespace lockstep::widgets
