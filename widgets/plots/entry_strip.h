#pragma once

#include <QRect>
#include <QString>
#include <QWidget>
#include <vector>

namespace lockstep::widgets {

/// Entries of a legend that are hidden and shown: by a click, or with the arrow keys and Space.
/// Those without a place are in a menu, behind their number.
class EntryStrip : public QWidget {
  Q_OBJECT

 public:
  explicit EntryStrip(QWidget* parent = nullptr);

 Q_SIGNALS:
  /// A person hid or showed it.
  void toggled(int entry);

 protected:
  struct Named {
    QString name;
    bool isHidden = false;  ///< what it stands for is; it is dimmed
  };
  /// Takes the focus while there are any.
  void setEntries(std::vector<Named> entries, const QString& title);
  const Named& named(std::size_t entry) const { return named_[entry]; }
  /// Places of the first entries, for a widget of this width, and of the number of the others.
  struct Places {
    std::vector<QRect> entries;
    QRect more;
  };
  virtual Places placesIn(int width) const = 0;
  /// Around the entry that keys would switch.
  void paintFocus(QPainter* painter) const;

  bool event(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  /// Index of an entry, kMore, or kNone.
  int entryAt(const QPoint& position) const;
  void toggle(int entry);
  void openMenu();

  static constexpr int kNone = -1, kMore = -2;
  std::vector<Named> named_;
  int current_ = 0, pressed_ = kNone;
};

}  // namespace lockstep::widgets
