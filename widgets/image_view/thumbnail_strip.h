#pragma once

#include <QAbstractScrollArea>
#include <QSize>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/image_view/decoded_image.h"
#include "widgets/instances/instance_match.h"
#include "widgets/jobs/keyed_loader.h"
#include "widgets/spoken_value.h"

namespace lockstep::widgets {

/// A row of thumbnails. Only those in view and a few beside them are decoded and painted.
class ThumbnailStrip : public QAbstractScrollArea, public SpokenValue {
  Q_OBJECT

 public:
  struct Item {
    QString path;
    QSize annotatedSize;
    QString name;
  };
  /// The errors of an image at the current thresholds.
  struct Mark {
    bool isPredicted = false;
    coco::Counts counts;
    bool isJudged = true;  ///< false: its objects are not known
    /// What the images are in the order of: "0.43", and with its name: "mean IoU 0.430". Empty:
    /// the order needs no figure.
    QString figure{}, namedFigure{};
  };

  explicit ThumbnailStrip(QWidget* parent = nullptr);

  /// Brings image files to the disk before they are read; null: they are there.
  void setBring(jobs::KeyedLoader<Thumbnail>::Bring bring) {
    thumbnails_.setBring(std::move(bring));
  }
  /// Smaller ones, for where height is short.
  void setCompact(bool isCompact);
  void setItems(std::vector<Item> items);
  void setMarks(std::vector<Mark> marks);
  /// Those in view whose files have changed, or could not be shown.
  void reload();
  void setCurrent(int index);
  int current() const { return current_; }
  int count() const { return static_cast<int>(items_.size()); }
  /// The image's name and its errors.
  QString toolTipOf(int index) const;
  /// Every thumbnail in view is loaded.
  bool isReady() const;
  QAccessible::Role spokenRole() const override { return QAccessible::List; }
  /// The chosen image, its place and its errors.
  QString spokenValue() const override;
  QSize sizeHint() const override;
  /// Rectangle of an item in the viewport.
  QRect itemRect(int index) const;

 Q_SIGNALS:
  void chosen(int index);
  void ready();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  void updateScrollBar();
  int heightPx() const;
  int widthPx() const;
  int pitchPx() const;
  void loadVisible();
  int itemAt(QPoint viewportPoint) const;
  std::pair<int, int> visibleRange() const;
  void paintItem(QPainter& painter, int index);
  void paintMark(QPainter& painter, const QRect& rect, const Mark& mark);
  void paintFigure(QPainter& painter, const QRect& rect, const QString& figure);

  std::vector<Item> items_;
  std::vector<Mark> marks_;
  int current_ = -1, hovered_ = -1;
  bool isCompact_ = false;
  jobs::KeyedLoader<Thumbnail> thumbnails_;
};

}  // namespace lockstep::widgets
