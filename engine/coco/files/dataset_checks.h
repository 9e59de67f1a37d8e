#pragma once

#include <string>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/error_list.h"

/// Validates datasets. Used only in this folder.
namespace lockstep::coco {

/// An annotation and which of its fields were missing.
struct AnnotationDraft {
  Annotation annotation;
  bool hasArea = true, hasBox = true, hasId = true;
  std::size_t byte = 0;  ///< position in the file, from 1; 0: not from a file
};

struct DatasetParts {
  std::vector<Image> images;
  std::vector<Category> categories;
  std::vector<AnnotationDraft> annotations;
};

/// "annotation 7 (image 3)".
std::string describe(const AnnotationDraft& draft);

/// Sorts images and categories by id, merges identical duplicates, and reports duplicate ids of
/// different entries and images without a valid size.
void sortAndCheck(DatasetParts& parts, ErrorList& errors);

/// What is invalid in the numbers or the segmentation of an annotation of this image; empty if
/// valid.
std::string annotationError(const AnnotationDraft& draft, const Image& image);

/// Fills missing fields: the segmentation of a crowd, the box, the area. The draft must be valid.
void complete(AnnotationDraft& draft, const Image& image);

}  // namespace lockstep::coco
