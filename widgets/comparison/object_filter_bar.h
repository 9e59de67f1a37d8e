#pragma once

#include <QVariantMap>
#include <QWidget>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "widgets/comparison/object_filter.h"

class QDoubleSpinBox;

namespace lockstep::widgets {

class ClassBox;
class SizeBox;

/// Which objects are listed: class, size and least score.
class ObjectFilterBar : public QWidget {
  Q_OBJECT

 public:
  explicit ObjectFilterBar(QWidget* parent = nullptr);

  /// A class that is chosen stays, by its name, also where these do not have it.
  void setClasses(const std::vector<coco::Category>& classes);
  ObjectFilter filter() const;
  void setFilter(const ObjectFilter& filter);
  /// What is chosen, for a later start.
  QVariantMap viewState() const;
  void restoreViewState(const QVariantMap& state);

 Q_SIGNALS:
  void changed();

 private:
  void buildUi();

  ClassBox* class_ = nullptr;
  SizeBox* size_ = nullptr;
  QDoubleSpinBox* score_ = nullptr;
};

}  // namespace lockstep::widgets
