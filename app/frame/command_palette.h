#pragma once

#include <QFrame>
#include <functional>

class QAction;
class QLabel;
class QLineEdit;
class QTreeWidget;

namespace lockstep::app {

/// A popup that finds an action by words of its name or its keywords, and triggers it. Deletes
/// itself.
class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  /// `goTo` makes an action of another page one that can be triggered.
  CommandPalette(QWidget* window, std::function<void(const QAction*)> goTo);

  /// Actions that are no named ones, as `GROUP: text`, for as long as this palette is there.
  void addActions(const QString& group, const QList<QAction*>& actions);
  /// Runs to go to, by name; those whose names have the words are listed once there are some.
  void addRuns(const QStringList& names, std::function<void(int run)> goToRun);
  /// `lastUsed`: ids, the latest first; these are listed first.
  void popUp(const QStringList& lastUsed);

 Q_SIGNALS:
  void triggered(const QString& id);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildUi();
  void fill(const QStringList& lastUsed);
  void addRow(const QString& name, QAction* action);
  void listRuns(const QString& words);
  void filter(const QString& words);
  void move(int rows);
  void trigger();

  QWidget* window_;
  std::function<void(const QAction*)> goTo_;
  QList<std::pair<QString, QAction*>> others_;  ///< beside the named ones, with their names
  QStringList runs_;
  std::function<void(int)> goToRun_;
  QLineEdit* words_ = nullptr;
  QTreeWidget* list_ = nullptr;
  QLabel* nothing_ = nullptr;
};

}  // namespace lockstep::app
