#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/files/results.h"
#include "engine/data/image_file.h"
#include "engine/worker/font_list.h"
#include "engine/worker/label_text.h"

namespace lockstep::worker {

/// Draws detections over pictures: masks (tinted, outlined), boxes and thin labels `name score`,
/// the best on top. A class keeps its colour; one whose name no font can show is called by its id.
/// Time goes by the objects, not by the picture. Keeps fonts and words. One thread.
class OverlayPainter {
 public:
  /// Names in the order of the categories; may be empty.
  OverlayPainter(std::vector<CategoryId> categories, std::vector<std::string> names);

  /// Detections in falling order of score.
  void draw(data::RgbImage& image, const std::vector<coco::Detection>& detections);

 private:
  /// Words of one height.
  struct Words {
    Words(const FontList& fonts, int heightPx) : height(heightPx), text(fonts, heightPx) {}
    int height;
    LabelText text;
    std::map<CategoryId, Ink> classes;
    std::map<std::string, Ink> scores;
  };
  struct Label;

  std::size_t classOf(CategoryId category) const;
  Words& wordsFor(const data::RgbImage& image);
  const Ink& className(Words& words, CategoryId category);
  const Ink& score(Words& words, double score);
  std::vector<Label> labelsOf(Words& words, const std::vector<coco::Detection>& detections);

  FontList fonts_;
  std::vector<CategoryId> categories_;
  std::vector<std::string> names_;
  std::map<int, Words> words_;  ///< by height
};

}  // namespace lockstep::worker
