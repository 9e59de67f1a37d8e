#include "engine/worker/batch_sheet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <ranges>

#include "engine/base/utf8.h"
#include "engine/coco/masks/mask_geometry.h"
#include "engine/structures/image_row.h"

namespace lockstep::worker {
namespace {

constexpr int kGapPx = 8, kCaptionPx = 20, kTextPx = 13;
constexpr std::uint8_t kSheetGrey = 40, kPaddingGrey = 0, kTextGrey = 235;

std::vector<CategoryId> idsOf(const std::vector<coco::Category>& categories) {
  std::vector<CategoryId> ids;
  for (const coco::Category& category : categories) ids.push_back(category.id);
  return ids;
}

std::vector<std::string> namesOf(const std::vector<coco::Category>& categories) {
  std::vector<std::string> names;
  for (const coco::Category& category : categories) names.push_back(category.name);
  return names;
}

/// Image n of the batch, without its padding, as pixels again.
data::RgbImage imageOf(const data::Batch& batch, std::int64_t n) {
  const base::ImageSize size = batch.sizes[static_cast<std::size_t>(n)];
  data::RgbImage image(static_cast<int>(size.width), static_cast<int>(size.height));
  const std::int64_t plane = batch.padded.height * batch.padded.width;
  const float* values = batch.images.const_data_ptr<float>() + n * batch.images.size(1) * plane;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      for (std::size_t channel = 0; channel < data::RgbImage::kChannels; ++channel) {
        const float value =
            values[static_cast<std::int64_t>(channel) * plane + y * batch.padded.width + x];
        const float level =
            255 * (value * structures::kImageStd[channel] + structures::kImageMean[channel]);
        image.pixelAt(x, y)[channel] =
            static_cast<std::uint8_t>(std::clamp(std::lround(level), 0L, 255L));
      }
    }
  }
  return image;
}

/// The mask of object g of image n; without one, none.
coco::Rle maskOf(const structures::GtMasks& masks, std::int64_t n, std::int64_t g,
                 const base::ImageSize& size) {
  structures::MaskWindow window;
  std::memcpy(static_cast<void*>(&window),
              masks.windows.const_data_ptr<std::int64_t>() +
                  (n * masks.mostObjects() + g) * structures::kMaskWindowFields,
              sizeof window);
  if (window.firstByte == structures::MaskWindow::kNoMask) return {};
  const std::uint8_t* first = masks.pixels.const_data_ptr<std::uint8_t>() + window.firstByte;
  return coco::placed({static_cast<int>(window.left),
                       static_cast<int>(window.top),
                       static_cast<int>(window.width),
                       static_cast<int>(window.height),
                       {first, first + window.width * window.height}},
                      size);
}

/// For machines without a font for a letter of the text.
std::string withoutOtherScripts(std::string text) {
  std::ranges::replace_if(
      text, [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  return text;
}

std::vector<std::size_t> startsOfCharacters(const std::string& text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!base::isUtf8Continuation(text[i])) starts.push_back(i);
  return starts;
}

void fill(data::RgbImage& sheet, int left, int top, int width, int height, std::uint8_t grey) {
  for (int y = top; y < top + height; ++y)
    std::memset(sheet.pixelAt(left, y), grey,
                data::RgbImage::kChannels * static_cast<std::size_t>(width));
}

void copyInto(data::RgbImage& sheet, const data::RgbImage& image, int left, int top) {
  for (int y = 0; y < image.height; ++y)
    std::memcpy(sheet.pixelAt(left, top + y), image.pixelAt(0, y),
                data::RgbImage::kChannels * static_cast<std::size_t>(image.width));
}

}  // namespace

BatchSheetPainter::BatchSheetPainter(const std::vector<coco::Category>& categories)
    : categories_(idsOf(categories)),
      overlay_(categories_, namesOf(categories)),
      text_(fonts_, kTextPx) {}

data::RgbImage BatchSheetPainter::draw(const data::Batch& batch,
                                       const std::vector<BatchCaption>& captions) {
  const auto count = static_cast<int>(batch.count());
  const int columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count))));
  const int rows = (count + columns - 1) / columns;
  const int width = static_cast<int>(batch.padded.width),
            height = static_cast<int>(batch.padded.height);
  data::RgbImage sheet(columns * (width + kGapPx) + kGapPx,
                       rows * (height + kCaptionPx + kGapPx) + kGapPx);
  std::memset(sheet.pixels.get(), kSheetGrey, sheet.valueCount());
  for (int n = 0; n < count; ++n) {
    const int left = kGapPx + n % columns * (width + kGapPx);
    const int top = kGapPx + n / columns * (height + kCaptionPx + kGapPx);
    data::RgbImage image = imageOf(batch, n);
    overlay_.draw(image, objectsOf(batch, n), LabelContent::Name);
    fill(sheet, left, top, width, height, kPaddingGrey);
    copyInto(sheet, image, left, top);
    drawCaption(sheet, captions[static_cast<std::size_t>(n)], left, top + height, width);
  }
  return sheet;
}

std::vector<coco::Detection> BatchSheetPainter::objectsOf(const data::Batch& batch,
                                                          std::int64_t n) const {
  const base::ImageSize size = batch.sizes[static_cast<std::size_t>(n)];
  const structures::GtBatch& gts = batch.gts;
  const float* boxes = gts.boxesXyxy.const_data_ptr<float>();
  std::vector<coco::Detection> objects;
  for (std::int64_t g = 0; g < gts.counts[n].item<std::int64_t>(); ++g) {
    const float* box = boxes + 4 * (n * gts.masks.mostObjects() + g);
    const auto classIndex = static_cast<std::size_t>(gts.classes[n][g].item<std::int64_t>());
    objects.push_back({batch.ids[static_cast<std::size_t>(n)],
                       categories_[classIndex - 1],
                       1,
                       {box[0], box[1], box[2] - box[0], box[3] - box[1]},
                       maskOf(gts.masks, n, g, size)});
  }
  return objects;
}

std::optional<Ink> BatchSheetPainter::drawFitting(const BatchCaption& caption, int width) {
  const std::string &name = caption.name, &rest = caption.rest;
  std::optional<Ink> whole = text_.draw(name + rest);
  if (!whole || whole->width <= width) return whole;
  const std::vector<std::size_t> starts = startsOfCharacters(name);
  const std::size_t count = starts.size();
  const auto shortened = [&](std::size_t kept) {
    const std::size_t head = (kept + 1) / 2, tail = kept / 2;
    const std::string last = tail > 0 ? name.substr(starts[count - tail]) : std::string();
    return text_.draw(name.substr(0, starts[head]) + "…" + last + rest);
  };
  const auto keepable = std::views::iota(0, static_cast<int>(count));
  const auto tooMany = std::ranges::partition_point(keepable, [&](int kept) {
    const std::optional<Ink> ink = shortened(static_cast<std::size_t>(kept));
    return ink && ink->width <= width;
  });
  const auto fitting = tooMany - keepable.begin();
  if (fitting > 0) return shortened(static_cast<std::size_t>(fitting - 1));
  return drawBeginning((name.empty() ? "" : "…") + rest, width);
}

std::optional<Ink> BatchSheetPainter::drawBeginning(const std::string& text, int width) {
  std::optional<Ink> whole = text_.draw(text);
  if (!whole || whole->width <= width) return whole;
  const std::vector<std::size_t> lengths = startsOfCharacters(text);
  const auto shortened = [&](std::size_t length) {
    return text_.draw(text.substr(0, length) + "…");
  };
  const auto tooLong = std::ranges::partition_point(lengths, [&](std::size_t length) {
    const std::optional<Ink> ink = shortened(length);
    return ink && ink->width <= width;
  });
  return tooLong == lengths.begin() ? std::nullopt : shortened(*(tooLong - 1));
}

void BatchSheetPainter::drawCaption(data::RgbImage& sheet, const BatchCaption& caption, int left,
                                    int top, int width) {
  std::optional<Ink> ink = drawFitting(caption, width);
  if (!ink)
    ink =
        drawFitting({withoutOtherScripts(caption.name), withoutOtherScripts(caption.rest)}, width);
  if (!ink) return;
  for (int y = 0; y < std::min(ink->height, kCaptionPx); ++y) {
    for (int x = 0; x < ink->width; ++x) {
      const int covered = ink->coverage[static_cast<std::size_t>(y * ink->width + x)];
      std::uint8_t* pixel = sheet.pixelAt(left + x, top + y + 2);
      std::fill_n(
          pixel, data::RgbImage::kChannels,
          static_cast<std::uint8_t>((*pixel * (255 - covered) + kTextGrey * covered) / 255));
    }
  }
}

}  // namespace lockstep::worker
