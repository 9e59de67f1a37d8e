#pragma once

#include <QVariantMap>
#include <QWidget>
#include <functional>
#include <vector>

#include "widgets/instances/image_order.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace lockstep::widgets {

class ClassBox;
class SizeBox;

/// Which images the strip below it shows: the part of the dataset, what is on them, and their
/// order.
class ImageFilterBar : public QWidget {
  Q_OBJECT

 public:
  using ErrorCounts = decltype(ErrorFigures::counts);

  explicit ImageFilterBar(QWidget* parent = nullptr);

  /// `current`: place in the names. One name or none: there is no choice.
  void setParts(const QStringList& names, int current, bool canClose = false);
  void setClasses(const std::vector<coco::Category>& classes);
  /// Without score threshold and hidden classes.
  ImageOrder order() const;
  /// Images of one class, or of all.
  void setClass(std::optional<CategoryId> category);
  /// Images with false positives of the class, or with missed objects of it.
  void setClassErrors(CategoryId category, bool areMissed);
  /// Shown beside the types; std::nullopt: not known.
  void setErrorCounts(const std::optional<ErrorCounts>& counts);
  /// Whether images can be sorted by their loss, which runs alone have.
  void setHasLosses(bool hasLosses);
  /// What leaves images out: "errors of type missed · car".
  QString filtersText() const;
  /// What is chosen, but not the part.
  QVariantMap viewState() const;
  /// A class may come with a later dataset. Emits orderChanged().
  void restoreViewState(const QVariantMap& state);
  /// Leaves no image out.
  void showAll();
  /// The text at the end: the place of the shown image among the others.
  void setPlace(const QString& text);
  QString place() const;

 Q_SIGNALS:
  void orderChanged();
  void partChosen(int place);
  void partCloseClicked();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// Class, size and order have a row of their own where one row is too narrow.
  void wrap();
  void buildEnd();
  void showClear();
  void fillFilter();
  void change(const std::function<void()>& combos);
  void fillSort();

  QHBoxLayout *first_ = nullptr, *second_ = nullptr;
  QComboBox* part_ = nullptr;
  QToolButton* closePart_ = nullptr;
  QComboBox* filter_ = nullptr;  ///< data: Filter, or kFirstError + ErrorType
  ClassBox* class_ = nullptr;
  SizeBox* size_ = nullptr;
  QComboBox* sort_ = nullptr;  ///< data: Sort
  QLabel* place_ = nullptr;
  QToolButton* clear_ = nullptr;  ///< while images are left out
};

}  // namespace lockstep::widgets
