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

/// Changes the keys of a window's named actions, at once.
class KeysDialog : public QDialog {
  Q_OBJECT

 public:
  /// `keeps`: in QSettings, for the next window.
  KeysDialog(QWidget* window, bool keeps);

 private:
  void buildUi();
  void connectSignals();
  void fill();
  void filter(const QString& words);
  void showCurrent();
  void apply();
  void reset();
  QAction* current() const;
  QList<QAction*> othersWith(const QKeySequence& keys) const;
  void give(QAction* action, const QList<QKeySequence>& keys);
  void setKeys(QAction* action, const QList<QKeySequence>& keys);

  QWidget* window_;
  bool keeps_;
  QLineEdit* words_ = nullptr;
  QTreeWidget* list_ = nullptr;
  QKeySequenceEdit* edit_ = nullptr;
  QLabel* note_ = nullptr;
  QPushButton* set_ = nullptr;
  QPushButton* reset_ = nullptr;
};

}  // namespace lockstep::app
