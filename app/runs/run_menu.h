#pragma once

#include <QMenu>
#include <QPersistentModelIndex>

namespace lockstep::app {

class RunsPanel;

/// What can be done with the chosen runs of the list. Requests are the panel's signals.
class RunMenu : public QMenu {
  Q_OBJECT

 public:
  /// The list may change while the menu or one of its dialogs is open.
  using Runs = QList<QPersistentModelIndex>;
  /// `runs`: of column 0; the clicked one first.
  RunMenu(RunsPanel* panel, const Runs& runs);

  /// What no named action does, and can be done now.
  QList<QAction*> unnamedActions() const;
  /// Also for the keyboard.
  static void askForTags(RunsPanel* panel, const Runs& runs);

 private:
  void addQueueActions();
  void addRunActions();
  void addNotesActions();
  void addFolderActions();
  void addColors(QMenu* menu);
  void askForNote();
  void addVanishedActions();
  /// The text of an entry that a named action does too.
  QString withKeys(const QString& text, const char* action);
  bool isOne() const { return runs_.size() == 1; }

  RunsPanel* panel_;
  Runs runs_;
  QStringList folders_;
  QStringList named_;  ///< texts of withKeys()
};

}  // namespace lockstep::app
