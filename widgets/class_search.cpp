#include "widgets/class_search.h"

namespace lockstep::widgets {
namespace {

constexpr std::size_t kSearchedFrom = 9;  // classes, more than a table shows without scrolling

}  // namespace

ClassSearch::ClassSearch(QWidget* parent) : QLineEdit(parent) {
  setPlaceholderText(tr("Filter classes"));
  setAccessibleName(placeholderText());
  setClearButtonEnabled(true);
}

void ClassSearch::showFor(std::size_t classes) { setVisible(classes >= kSearchedFrom); }

}  // namespace lockstep::widgets
