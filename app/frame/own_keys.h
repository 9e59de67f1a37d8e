#pragma once

#include <QKeyCombination>
#include <QObject>

class QMainWindow;

namespace lockstep::app {

/// Keeps the keys of a window's actions and shortcuts from its editors, such as Ctrl+D, with which
/// a text editor doubles its line.
class OwnKeys : public QObject {
  Q_OBJECT

 public:
  explicit OwnKeys(QMainWindow* window);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool isOwn(QKeyCombination keys) const;

  QMainWindow* window_;
};

}  // namespace lockstep::app
