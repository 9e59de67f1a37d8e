#pragma once

#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/coco/files/dataset.h"
#include "engine/coco/files/error_list.h"

/// Validates datasets. Used only in this folder.
namespace lockstep::coco {

class JsonFile;

/// An annotation and which of its fields were missing.
struct AnnotationDraft {
  Annotation annotation;
  bool hasArea = true, hasBox = true, hasId = true;
  bool hasOtherId = false;     ///< its id is not an integer
  bool isMaskSkipped = false;  ///< its segmentation is not read
  std::size_t byte = 0;        ///< position in the file, from 1; 0: not from a file
  std::size_t image = 0;       ///< index of its image, once it is checked
};

struct ImageDraft {
  Image entry;
  std::size_t byte = 0;
};

struct CategoryDraft {
  Category entry;
  std::size_t byte = 0;
};

struct DatasetParts {
  std::vector<ImageDraft> images;
  std::vector<CategoryDraft> categories;
  std::vector<AnnotationDraft> annotations;
};

/// A list for each image with room for its annotations, which must be checked: growing lists of
/// many small ones would take up to twice their memory.
template <typename Entry>
std::vector<std::vector<Entry>> perImage(const DatasetParts& parts) {
  std::vector<std::size_t> counts(parts.images.size());
  for (const AnnotationDraft& draft : parts.annotations) ++counts[draft.image];
  std::vector<std::vector<Entry>> lists(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) lists[i].reserve(counts[i]);
  return lists;
}

/// Sorts images and categories by id, merges identical duplicates, and reports duplicate ids of
/// different entries, of which the first is kept, and images without a valid size, which are left
/// out.
void sortAndCheck(DatasetParts& parts, ErrorList& errors);

/// Reports annotations of unknown images and categories, and those with invalid numbers or an
/// invalid segmentation, and leaves them out. Fills missing fields of the others: the segmentation
/// of a crowd, the box, the area. Images and categories must be checked.
void checkAnnotations(DatasetParts& parts, ErrorList& errors);

/// Thrown for valid JSON without the tables of an instances file.
class NotInstances : public Error {
 public:
  using Error::Error;
};

/// Reads the tables of a COCO instances file; images and categories are checked, annotations are
/// not. Without masks, segmentations are skipped. Throws NotInstances, or Error for damaged tables.
DatasetParts readParts(const JsonFile& file, ErrorList& errors, bool withMasks = true);

}  // namespace lockstep::coco
