#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
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

/// The classes of a model that a request asks for.
class AskedClasses {
 public:
  explicit AskedClasses(const ServedModel& model);
  /// One by its name, or else its id. Throws HttpError if there is none.
  void add(std::string_view nameOrId);
  void add(std::int64_t id);
  /// Each once, in their order.
  std::vector<std::int64_t> ids() const { return {asked_.begin(), asked_.end()}; }

 private:
  void insert(std::int64_t id);

  std::map<std::string_view, std::int64_t> idsByName_;  ///< of the model
  std::set<std::int64_t> known_, asked_;                ///< no known ones: all are
};

}  // namespace lockstep::serve
