#pragma once

#include <QWidget>

class QLabel;
class QPushButton;
class QToolButton;

namespace lockstep::widgets {

/// File name, modified mark, number of issues, and the buttons undo, redo and save.
class EditorHeader : public QWidget {
  Q_OBJECT

 public:
  explicit EditorHeader(QWidget* parent = nullptr);

  void setFile(const QString& filePath);
  void setModified(bool modified);
  /// The text is in no file, whether or not it was edited here.
  void setUnsaved(bool unsaved);
  void setIssues(int errors, int warnings);
  void setUndo(bool canUndo, bool canRedo);

 Q_SIGNALS:
  void undoRequested();
  void redoRequested();
  void saveRequested();
  void issuesClicked();

 private:
  void buildUi();
  void showMark();

  QLabel* name_ = nullptr;
  QLabel* edited_ = nullptr;
  QLabel* folder_ = nullptr;
  QPushButton* issues_ = nullptr;
  QToolButton* undo_ = nullptr;
  QToolButton* redo_ = nullptr;
  QPushButton* save_ = nullptr;
  bool modified_ = false, unsaved_ = false;
};

}  // namespace lockstep::widgets
