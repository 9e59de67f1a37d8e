#include "tests/coco/made_set.h"

#include "tests/support/box_annotation.h"

namespace lockstep::tests {

void addMatches(coco::ImageMatches& image, std::int64_t category,
                const std::vector<MadeOutcome>& detections, std::uint32_t objects) {
  std::vector<double> scores;
  for (const MadeOutcome& detection : detections) scores.push_back(detection.score);
  image.add({category}, scores, 0);
  image.gtCount(0) = image.gtCount(3) = objects;
  for (std::size_t d = 0; d < detections.size(); ++d) {
    const std::uint16_t all = 0x3ff;
    image.outcome(d, 0) = image.outcome(d, 3) =
        detections[d].isRight ? coco::Outcome{all, 0} : coco::Outcome{0, all};
  }
}

coco::ImageMatches madeMatches(std::int64_t category, const std::vector<MadeOutcome>& detections) {
  coco::ImageMatches image(coco::Params().areas.size());
  addMatches(image, category, detections);
  return image;
}

coco::Dataset madeDataset(const std::vector<MadeBox>& objects) {
  std::vector<coco::Annotation> annotations;
  for (const MadeBox& object : objects) {
    annotations.push_back(boxAnnotation(static_cast<std::int64_t>(annotations.size()) + 1,
                                        object.image, object.category, object.xywh,
                                        object.isCrowd));
  }
  return coco::Dataset::fromParts({kMadeImage, {{2}, "b.png", 100, 100}},
                                  {{{1}, "cell"}, {{2}, "drop"}, {{3}, "dust"}}, annotations,
                                  "made");
}

std::vector<coco::Detection> madeDetections(const std::vector<MadeBox>& detections) {
  std::vector<coco::Detection> made;
  for (const MadeBox& one : detections) {
    made.push_back({{one.image}, {one.category}, one.score, one.xywh, {}});
  }
  return made;
}

coco::OverlapSet madeSet(const std::vector<MadeBox>& objects,
                         const std::vector<MadeBox>& detections) {
  return {madeDataset(objects), madeDetections(detections), coco::IouType::Box};
}

}  // namespace lockstep::tests
