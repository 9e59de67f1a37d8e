#pragma once

#include <QMenu>
#include <QModelIndex>
#include <functional>

namespace lockstep::app {

class RunsPanel;

/// Context menu of the chosen runs. Requests are the panel's signals. The runs may change while the
/// menu or one of its dialogs is open: entries follow their state.
class RunMenu : public QMenu {
  Q_OBJECT

 public:
  /// `folders`: the clicked run first.
  RunMenu(RunsPanel* panel, const QStringList& folders);

  /// What no named action does, and can be done now.
  QList<QAction*> unnamedActions() const;
  /// Also for the keyboard.
  static void askForTags(RunsPanel* panel, const QStringList& folders);

 private:
  /// Adds an entry that is enabled while `blockedBy` returns nothing; called when a run changes.
  QAction* addWhile(const std::function<QString()>& blockedBy, const QString& text,
                    const std::function<void()>& act);
  void addQueueActions();
  void addRunActions();
  void addNotesActions();
  void addFolderActions();
  void addColors(QMenu* menu);
  void askForNote();
  void addVanishedActions();
  /// The text of an entry that a named action does too.
  QString withKeys(const QString& text, const char* action);
  bool isOne() const { return folders_.size() == 1; }
  /// Index in the list of runs; invalid: it is no longer listed.
  QModelIndex run(qsizetype i = 0) const;
  bool all(int role) const;
  /// Returns true if none is on another machine.
  bool areHere() const;

  RunsPanel* panel_;
  QStringList folders_;
  QStringList named_;  ///< texts of withKeys()
};

}  // namespace lockstep::app
