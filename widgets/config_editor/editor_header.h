#pragma once

#include <QWidget>

class QLabel;
class QPushButton;
class QToolButton;

namespace lockstep::widgets {

/// File name, whether it is edited, its faults, and what can be done: undo, redo, save, train.
class EditorHeader : public QWidget {
  Q_OBJECT

 public:
  explicit EditorHeader(QWidget* parent = nullptr);

  void setFile(const QString& filePath);
  void setModified(bool modified);
  void setFaults(int errors, int warnings);
  void setUndo(bool canUndo, bool canRedo);
  /// Empty: training can be started, unless there are errors.
  void setTrainingBlocked(const QString& reason);

 Q_SIGNALS:
  void undoRequested();
  void redoRequested();
  void saveRequested();
  void trainRequested();
  void faultsClicked();

 private:
  void buildUi();
  void updateTrain();

  QLabel* name_ = nullptr;
  QLabel* edited_ = nullptr;
  QLabel* folder_ = nullptr;
  QPushButton* faults_ = nullptr;
  QToolButton* undo_ = nullptr;
  QToolButton* redo_ = nullptr;
  QPushButton* save_ = nullptr;
  QPushButton* train_ = nullptr;
  int errors_ = 0;
  QString blocked_;
};

}  // namespace lockstep::widgets
