#pragma once

#include <QAbstractScrollArea>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "widgets/image_view/instance_crops.h"
#include "widgets/jobs/keyed_loader.h"
#include "widgets/spoken_value.h"

namespace lockstep::widgets {

/// Instances of many images as crops, each with its class, score and verdict. Only those in view
/// and a row beside them are decoded; what is in memory is limited. The arrow keys go through them,
/// Return or a click chooses one.
class CropGrid : public QAbstractScrollArea, public SpokenValue {
  Q_OBJECT

 public:
  /// What is needed to crop the instances of an image: all but these.
  using SourceOf = std::function<CropRequest(std::size_t image)>;

  explicit CropGrid(QWidget* parent = nullptr);

  /// Brings image files to the disk before they are read; null: they are there.
  void setBring(const jobs::KeyedLoader<Crops>::Bring& bring);
  /// The current one stays so if it is still among them.
  void setInstances(std::vector<ListedInstance> instances,
                    std::shared_ptr<const coco::Dataset> dataset, const SourceOf& sourceOf);
  int count() const { return static_cast<int>(instances_.size()); }
  const ListedInstance& at(int index) const { return instances_[static_cast<std::size_t>(index)]; }
  /// Of all of them.
  std::set<Verdict> verdicts() const;
  int current() const { return current_; }
  void setCurrent(int index);
  void moveBy(int instances);
  void moveRows(int rows) { moveBy(rows * columns()); }
  /// Those in view whose files have changed, or could not be shown.
  void reload();
  /// Every crop in view is loaded.
  bool isReady() const;
  /// Of an instance in the viewport.
  QRect itemRect(int index) const;
  /// "dog 0.62"
  QString captionOf(int index) const;
  /// With its image and what it is.
  QString toolTipOf(int index) const;
  QAccessible::Role spokenRole() const override { return QAccessible::List; }
  QString spokenValue() const override;

 Q_SIGNALS:
  void chosen(int index);
  void ready();

 protected:
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  /// Instances that follow each other on one image, and are cropped together.
  struct Batch {
    int first = 0, count = 0;
    QString key;
  };
  int columns() const;
  QSize cellSize() const;
  /// The longest side of a picture, in pixels of the screen.
  int decodedPx() const;
  int itemAt(QPoint viewportPoint) const;
  std::pair<int, int> visibleRange(int rowsBeside) const;
  void buildBatches();
  const Batch& batchOf(int index) const;
  void updateScrollBar();
  void loadVisible();
  void paintItem(QPainter& painter, int index) const;
  void paintPicture(QPainter& painter, const QRect& place, int index) const;

  std::vector<ListedInstance> instances_;
  std::vector<Batch> batches_;
  std::shared_ptr<const coco::Dataset> dataset_;
  SourceOf sourceOf_;
  int current_ = -1;
  jobs::KeyedLoader<Crops> crops_;
};

}  // namespace lockstep::widgets
