#pragma once

#include <QList>
#include <QString>
#include <QWidget>

class QLabel;
class QPushButton;
class QToolButton;

namespace lockstep::widgets {

/// One of the files that are open.
struct OpenFile {
  QString path;
  QString name;  ///< tells it from the others
  bool isUnsaved = false;
};

/// File name, modified mark, the other open files, number of issues, and the buttons undo, redo and
/// save.
class EditorHeader : public QWidget {
  Q_OBJECT

 public:
  explicit EditorHeader(QWidget* parent = nullptr);

  void setFile(const QString& filePath);
  /// Those that are open, of which one is shown. The button that lists them appears with the
  /// second.
  void setOpenFiles(const QList<OpenFile>& files, int shown);
  void setModified(bool modified);
  /// The text is in no file, whether or not it was edited here.
  void setUnsaved(bool unsaved);
  /// The file on the disk has another text, whoever wrote it.
  void setDiffersFromFile(bool differs);
  void setIssues(int errors, int warnings);
  void setUndo(bool canUndo, bool canRedo);

 Q_SIGNALS:
  void undoRequested();
  void redoRequested();
  void saveRequested();
  void issuesClicked();
  void comparisonRequested();
  /// Show another one of the open files; close the shown one.
  void fileChosen(int index);
  void closeRequested();

 private:
  void buildUi();
  void showMark();

  QLabel* name_ = nullptr;
  QToolButton* files_ = nullptr;
  QLabel* edited_ = nullptr;
  QLabel* folder_ = nullptr;
  QPushButton* issues_ = nullptr;
  QPushButton* compare_ = nullptr;
  QToolButton* undo_ = nullptr;
  QToolButton* redo_ = nullptr;
  QPushButton* save_ = nullptr;
  bool modified_ = false, unsaved_ = false, differs_ = false;
};

}  // namespace lockstep::widgets
