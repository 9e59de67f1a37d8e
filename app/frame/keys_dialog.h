#pragma once

#include <QDialog>

class QAction;
class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace lockstep::app {

/// Reads the keys that were chosen in KeysDialog, for the actions that are created from now on.
void restoreChosenKeys();

/// Changes the keys of a window's named actions, at once, and keeps them in QSettings.
class KeysDialog : public QDialog {
  Q_OBJECT

 public:
  explicit KeysDialog(QWidget* window);

 private:
  void buildUi();
  void connectSignals();
  void fill();
  void filter(const QString& words);
  void showCurrent();
  void apply();
  void reset();
  QAction* current() const;
  QAction* otherWith(const QKeySequence& keys) const;
  void setKeys(QAction* action, const QList<QKeySequence>& keys);

  QWidget* window_;
  QLineEdit* words_ = nullptr;
  QTreeWidget* list_ = nullptr;
  QKeySequenceEdit* edit_ = nullptr;
  QLabel* note_ = nullptr;
  QPushButton* set_ = nullptr;
  QPushButton* reset_ = nullptr;
};

}  // namespace lockstep::app
