#pragma once

#include <string>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/fault_list.h"

/// What makes a data set whole. Used by this folder alone.
namespace lockstep::coco {

/// An annotation and what its source left out.
struct AnnotationDraft {
  Annotation annotation;
  bool hasArea = true, hasBox = true, hasId = true;
  std::size_t byte = 0;  ///< where it begins in its file, from 1; 0: in no file
};

struct DatasetParts {
  std::vector<Image> images;
  std::vector<Category> categories;
  std::vector<AnnotationDraft> annotations;
};

/// "annotation 7 (image 3)".
std::string describe(const AnnotationDraft& draft);

/// Sorts images and categories by id, keeps one of those that are the same twice, and reports ids
/// of two different ones and images without a size.
void sortAndCheck(DatasetParts& parts, FaultList& faults);

/// What is wrong with the numbers and the segmentation of an annotation of this image; empty when
/// nothing is.
std::string annotationFault(const AnnotationDraft& draft, const Image& image);

/// Fills what the source left out: the segmentation of a crowd, the box, the area. The draft has no
/// fault.
void complete(AnnotationDraft& draft, const Image& image);

}  // namespace lockstep::coco
