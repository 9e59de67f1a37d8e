#pragma once

#include <QFrame>
#include <functional>

class QAction;
class QLabel;
class QLineEdit;
class QTreeWidget;

namespace lockstep::app {

/// A popup that finds an action by words of its name, and triggers it. Deletes itself.
class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  /// `goTo` makes an action of another page one that can be triggered.
  CommandPalette(QWidget* window, std::function<void(const QAction*)> goTo);

  /// `lastUsed`: ids, the latest first; these are listed first.
  void popUp(const QStringList& lastUsed);

 Q_SIGNALS:
  void triggered(const QString& id);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildUi();
  void fill(const QStringList& lastUsed);
  void filter(const QString& words);
  void move(int rows);
  void trigger();

  QWidget* window_;
  std::function<void(const QAction*)> goTo_;
  QLineEdit* words_ = nullptr;
  QTreeWidget* list_ = nullptr;
  QLabel* nothing_ = nullptr;
};

}  // namespace lockstep::app
