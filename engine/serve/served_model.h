#pragma once

#include <string>
#include <vector>

#include "engine/coco/files/dataset.h"

namespace lockstep::serve {

/// What is served, for answers and their checks.
struct ServedModel {
  std::string name;
  std::vector<coco::Category> categories;  ///< empty: the weights do not name them
  bool hasMasks = true;

  /// `cat,7`: names or ids; each once, in the order of ids. Throws HttpError for one that is
  /// neither.
  std::vector<std::int64_t> categoryIds(std::string_view classes) const;
  /// Its name, else its id.
  std::string categoryName(std::int64_t id) const;
  /// {"1": "cat", …}
  std::string classesJson() const;
};

}  // namespace lockstep::serve
