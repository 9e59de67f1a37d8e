#include "engine/dataset_check/kind_texts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lockstep::dataset_check {
namespace {

constexpr const char* kImageLeftOut = "the image and its annotations are removed";
constexpr const char* kAnnotationLeftOut = "the annotation is removed";

constexpr auto kTexts = [] {
  using enum FindingKind;
  return std::to_array<std::pair<FindingKind, KindText>>(
      {{InvalidFile, {"annotation files that are not valid", ""}},
       {InvalidEntry,
        {"invalid entries",
         "the entry is removed, an image or a class with its annotations; an area is taken from "
         "the mask"}},
       {ImageMissing, {"images that are missing", kImageLeftOut}},
       {ImageUnreadable, {"images that cannot be decoded", kImageLeftOut}},
       {ImageTruncated, {"images that are truncated", kImageLeftOut}},
       {ImageSize, {"images that do not have the annotated size", kImageLeftOut}},
       {ImageRotated,
        {"images that have the annotated size only with their EXIF orientation applied",
         "size, annotations and keypoints are rotated to the stored pixels"}},
       {BoxOutside,
        {"boxes that extend beyond their image by more than 2 px",
         "the box is taken from the mask, or clipped if there is none"}},
       {BoxEmpty,
        {"boxes that have no area or are not [x, y, width, height]",
         "the box is taken from the mask; without a mask the annotation is removed"}},
       {BoxNotMask,
        {"boxes that differ from their mask by more than 2 px", "the box is taken from the mask"}},
       {PolygonEmpty,
        {"polygons that have no area or are not written as [[x, y, …], …]",
         "the polygon is removed or written as such; without another polygon only the box is "
         "kept"}},
       {PolygonCrossing,
        {"self-intersecting polygons",
         "the polygon is replaced by an RLE mask of the same pixels"}},
       {MaskInvalid, {"invalid RLE masks", kAnnotationLeftOut}},
       {MaskEmpty, {"empty masks", kAnnotationLeftOut}},
       {DoubledObject,
        {"duplicate annotations of an object (same class, mask IoU over 0.6; box IoU from 0.95 "
         "without masks)",
         "the smaller annotation is removed"}},
       {DuplicateId,
        {"duplicate ids",
         "an annotation gets a new id; of identical images or classes one is kept; different ones "
         "are removed with their annotations"}},
       {MissingId, {"annotations without an integer id", "the annotation gets an id"}},
       {UnknownClass, {"annotations of a class that does not exist", kAnnotationLeftOut}},
       {UnknownImage, {"annotations of an image that does not exist", kAnnotationLeftOut}},
       {PictureTwice, {"duplicate images", "the later image and its annotations are removed"}},
       {PictureInBothParts,
        {"images that are in both splits", "the training image and its annotations are removed"}},
       {UnusualArea, {"objects whose area is unusual for their class", ""}},
       {UnusualAspect, {"objects whose height / width is unusual for their class", ""}},
       {EmptyImage, {"images without annotations", ""}},
       {ExifIgnored,
        {"images whose EXIF orientation is not applied: annotations refer to the stored pixels",
         ""}},
       {StarvedClass,
        {"rare classes: in fewer than 10 training images, or in no validation image", ""}},
       {SimilarPicture, {"similar images", ""}}});
}();
static_assert(kTexts.size() == base::kEnumTexts<FindingKind>.size());

}  // namespace

KindText textOf(FindingKind kind) {
  return std::ranges::find(kTexts, kind, &std::pair<FindingKind, KindText>::first)->second;
}

}  // namespace lockstep::dataset_check
