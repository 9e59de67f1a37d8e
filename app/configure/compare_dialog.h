#pragma once

#include <QDialog>
#include <QList>

#include "app/configure/run_choice.h"

class QLineEdit;
class QListWidget;
class QPushButton;

namespace lockstep::app {

/// Asks for a run or an experiment file to compare the open experiment with.
class CompareDialog : public QDialog {
  Q_OBJECT

 public:
  explicit CompareDialog(const QList<RunChoice>& runs, QWidget* parent = nullptr);
  /// Folder in which the file dialog starts.
  void setFolder(const QString& folder) { folder_ = folder; }

 Q_SIGNALS:
  /// A run folder or a file.
  void chosen(const QString& name, const QString& path);

 private:
  void buildUi(const QList<RunChoice>& runs);
  void connectSignals();
  void filter(const QString& words);
  void chooseRun();
  void chooseFile();

  QString folder_;
  QLineEdit* search_ = nullptr;
  QListWidget* runs_ = nullptr;
  QPushButton* file_ = nullptr;
  QPushButton* compare_ = nullptr;
};

}  // namespace lockstep::app
