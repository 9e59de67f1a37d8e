#include "engine/dataset_check/kind_texts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lockstep::dataset_check {
namespace {

constexpr const char* kImageLeftOut = "the image is left out, with its annotations";
constexpr const char* kAnnotationLeftOut = "the annotation is left out";

constexpr auto kTexts = [] {
  using enum FindingKind;
  return std::to_array<std::pair<FindingKind, KindText>>(
      {{InvalidFile, {"annotation files that cannot be read", ""}},
       {InvalidEntry,
        {"entries that cannot be read",
         "the entry is left out; of an image or a class with its annotations; an area is taken "
         "from the mask"}},
       {ImageMissing, {"images that are missing", kImageLeftOut}},
       {ImageUnreadable, {"images that cannot be decoded", kImageLeftOut}},
       {ImageTruncated, {"images that are truncated", kImageLeftOut}},
       {ImageSize, {"images that do not have the annotated size", kImageLeftOut}},
       {ImageRotated,
        {"images that have the annotated size only by their EXIF orientation",
         "size and annotations are turned to the image as stored, with their keypoints"}},
       {BoxOutside,
        {"boxes that extend beyond their image by more than 2 px",
         "the box is taken from the mask, or clipped if there is none"}},
       {BoxEmpty,
        {"boxes without area, or not [x, y, width, height]",
         "the box is taken from the mask; without one the annotation is left out"}},
       {BoxNotMask,
        {"boxes that are more than 2 px off their mask", "the box is taken from the mask"}},
       {PolygonEmpty,
        {"polygons without area, or not written as [[x, y, …], …]",
         "the polygon is left out, or written so; without another one only the box is kept"}},
       {PolygonCrossing,
        {"polygons that cross themselves", "the mask is kept as it is drawn, as RLE"}},
       {MaskInvalid, {"invalid RLE masks", kAnnotationLeftOut}},
       {MaskEmpty, {"masks without a pixel", kAnnotationLeftOut}},
       {DoubledObject,
        {"objects that are annotated twice (one class, mask IoU over 0.6; of boxes alone 0.95)",
         "the smaller annotation is left out"}},
       {DuplicateId,
        {"ids that are used twice",
         "the annotation gets a new id; of the same image or class twice one is kept; different "
         "ones "
         "are left out, with their annotations"}},
       {MissingId, {"annotations without an id that is an integer", "the annotation gets an id"}},
       {UnknownClass, {"annotations of a class that does not exist", kAnnotationLeftOut}},
       {UnknownImage, {"annotations of an image that does not exist", kAnnotationLeftOut}},
       {PictureTwice,
        {"pictures that are there twice", "the later image is left out, with its annotations"}},
       {PictureInBothParts,
        {"pictures that are in both parts",
         "the training image is left out, with its annotations"}},
       {UnusualArea, {"objects of unusual area in their class", ""}},
       {UnusualAspect, {"objects of unusual height / width in their class", ""}},
       {EmptyImage, {"images without annotations", ""}},
       {ExifIgnored,
        {"images that programs which apply EXIF show turned: annotations are of the stored pixels",
         ""}},
       {StarvedClass, {"classes in fewer than 10 training images, or in no held-out image", ""}},
       {SimilarPicture, {"pictures that are similar to others", ""}}});
}();
static_assert(kTexts.size() == base::kEnumTexts<FindingKind>.size());

}  // namespace

KindText textOf(FindingKind kind) {
  return std::ranges::find(kTexts, kind, &std::pair<FindingKind, KindText>::first)->second;
}

}  // namespace lockstep::dataset_check
