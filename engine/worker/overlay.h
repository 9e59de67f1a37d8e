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

enum class LabelContent { NameAndScore, Name };

/// Draws detections on images: masks (tinted, outlined), boxes and small labels `name score`, the
/// highest score on top. Each class has a fixed colour; a name with glyphs that no font has is
/// replaced by the category id. The cost depends on the objects, not on the image size. Caches
/// fonts and rendered text. One thread only.
class OverlayPainter {
 public:
  /// `names` in the order of `categories`; may be empty.
  OverlayPainter(std::vector<CategoryId> categories, std::vector<std::string> names);

  /// `detections` by descending score.
  void draw(data::RgbImage& image, const std::vector<coco::Detection>& detections,
            LabelContent content = LabelContent::NameAndScore);

 private:
  /// Rendered text of one height.
  struct TextCache {
    TextCache(const FontList& fonts, int heightPx) : height(heightPx), text(fonts, heightPx) {}
    int height;
    LabelText text;
    std::map<CategoryId, Ink> classes;
    std::map<std::string, Ink> scores;
  };
  struct Label;

  std::size_t classOf(CategoryId category) const;
  TextCache& textFor(const data::RgbImage& image);
  const Ink& className(TextCache& cache, CategoryId category);
  const Ink& score(TextCache& cache, double score);
  std::vector<Label> labelsOf(TextCache& cache, const std::vector<coco::Detection>& detections,
                              LabelContent content);

  FontList fonts_;
  std::vector<CategoryId> categories_;
  std::vector<std::string> names_;
  std::map<int, TextCache> text_;  ///< by height
};

}  // namespace lockstep::worker
