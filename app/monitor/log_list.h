#pragma once

#include <QListView>

class QLabel;

namespace lockstep::app {

/// Lines of a LogModel, or of a filter over one. It stays at the end while lines come, unless a
/// person scrolls up; a line's level is its colour and its sign.
class LogList : public QListView {
  Q_OBJECT

 public:
  enum class Lines {
    Elided,  ///< one row each; a tooltip has all of a long one
    Wrapped
  };
  LogList(Lines lines, QAbstractItemModel* shown, QWidget* parent = nullptr);

  /// Shown while there is no line; the detail follows the text if it fits.
  void setEmptyText(const QString& text, const QString& detail = {});
  /// The selected lines.
  void copy() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void connectSignals();
  void updateEmptyText();

  QString emptyText_, emptyDetail_;
  QLabel* empty_ = nullptr;
  bool followsEnd_ = true;
};

}  // namespace lockstep::app
