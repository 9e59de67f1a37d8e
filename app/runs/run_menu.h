#pragma once

#include <QMenu>
#include <QModelIndexList>

namespace lockstep::app {

class RunsPanel;

/// What can be done with the chosen runs of the list. Requests are the panel's signals.
class RunMenu : public QMenu {
  Q_OBJECT

 public:
  /// `runs`: of column 0; the clicked one first.
  RunMenu(RunsPanel* panel, const QModelIndexList& runs);

  /// Also for the keyboard.
  static void askForTags(RunsPanel* panel, const QModelIndexList& runs);

 private:
  void addQueueActions();
  void addRunActions();
  void addNotesActions();
  void addFolderActions();
  void addColors(QMenu* menu);
  void askForNote();
  void addVanishedActions();
  bool isOne() const { return runs_.size() == 1; }

  RunsPanel* panel_;
  QModelIndexList runs_;
  QStringList folders_;
};

}  // namespace lockstep::app
