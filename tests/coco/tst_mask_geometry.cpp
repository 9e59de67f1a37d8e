#include <QTest>
#include <cmath>
#include <functional>

#include "engine/base/counter_hash.h"
#include "engine/coco/masks/mask_geometry.h"
#include "engine/coco/masks/runs.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using base::ImageSize;

namespace {

/// A whole mask, a byte each: the plain version of everything.
struct Plain {
  ImageSize size;
  std::vector<std::uint8_t> pixels;

  explicit Plain(const ImageSize& of)
      : size(of), pixels(static_cast<std::size_t>(of.height * of.width)) {}
  std::uint8_t& at(std::int64_t x, std::int64_t y) {
    return pixels[static_cast<std::size_t>(y * size.width + x)];
  }
  std::uint8_t at(std::int64_t x, std::int64_t y) const {
    return pixels[static_cast<std::size_t>(y * size.width + x)];
  }
  coco::Rle rle() const {
    return coco::encodeMask(pixels.data(), static_cast<int>(size.height),
                            static_cast<int>(size.width), size.width);
  }
};

/// Blobs and noise; some touch the borders, and number 0 is empty.
Plain madeMask(const ImageSize& size, std::uint64_t number) {
  Plain mask(size);
  const auto drawn = [&](std::uint64_t index) { return base::counterUniform({number, index}); };
  const double x0 = drawn(0) * static_cast<double>(size.width),
               y0 = drawn(1) * static_cast<double>(size.height), radius = 2 + 9 * drawn(2);
  for (std::int64_t y = 0; y < size.height; ++y) {
    for (std::int64_t x = 0; x < size.width; ++x) {
      const double distance = std::hypot(static_cast<double>(x) - x0, static_cast<double>(y) - y0);
      const auto index = static_cast<std::uint64_t>(3 + y * size.width + x);
      mask.at(x, y) = number > 0 && distance < radius && drawn(index) < 0.9;
    }
  }
  return mask;
}

/// A mask in which each pixel comes from a place of another, or is 0 outside of it.
Plain mapped(const Plain& from, const ImageSize& size,
             const std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t x,
                                                                       std::int64_t y)>& source) {
  Plain mask(size);
  for (std::int64_t y = 0; y < size.height; ++y) {
    for (std::int64_t x = 0; x < size.width; ++x) {
      const auto [sx, sy] = source(x, y);
      const bool isInside = sx >= 0 && sy >= 0 && sx < from.size.width && sy < from.size.height;
      mask.at(x, y) = isInside ? from.at(sx, sy) : 0;
    }
  }
  return mask;
}

constexpr ImageSize kSize{23, 31};
constexpr std::uint64_t kMasks = 40;

}  // namespace

class TstMaskGeometry : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void boxesAreClippedToTheirImage() {
    using Box = std::array<double, 4>;
    const ImageSize size{.height = 30, .width = 40};
    const Box inside{0.1, 0.2, 39.9, 29.8};  // 0.1 + 39.9 - 0.1 is not 39.9
    QCOMPARE(coco::clippedBox(inside, size), inside);
    QCOMPARE(coco::clippedBox({-5, -6, 20, 50}, size), (Box{0, 0, 15, 30}));
    QCOMPARE(coco::clippedBox({33, 10, 10, 10}, size), (Box{33, 10, 7, 10}));
    QCOMPARE(coco::clippedBox({50, -20, 10, 10}, size), (Box{40, 0, 0, 0}));
  }

  void placedCropsAreShiftedAndCutMasks() {
    for (std::uint64_t number = 0; number < kMasks; ++number) {
      const Plain mask = madeMask(kSize, number);
      for (const auto& [dx, dy] : {std::pair(0, 0), {5, -7}, {-9, 3}, {40, 0}, {-20, -20}}) {
        coco::MaskCrop crop = coco::crop(mask.rle());
        crop.x += dx;
        crop.y += dy;
        const ImageSize into{17, 20};
        const Plain expected = mapped(
            mask, into, [&](std::int64_t x, std::int64_t y) { return std::pair(x - dx, y - dy); });
        QCOMPARE(coco::placed(crop, into).counts, expected.rle().counts);
      }
    }
  }

  void quarterTurnsAreClockwise() {
    const auto [height, width] = kSize;
    for (std::uint64_t number = 0; number < kMasks; ++number) {
      const Plain mask = madeMask(kSize, number);
      const auto turned = [&](int turns, const ImageSize& size) {
        return coco::placed(coco::turned(coco::crop(mask.rle()), kSize, turns), size).counts;
      };
      using Place = std::pair<std::int64_t, std::int64_t>;
      const Plain quarter =
          mapped(mask, {width, height}, [&](auto x, auto y) { return Place(y, height - 1 - x); });
      const Plain half =
          mapped(mask, kSize, [&](auto x, auto y) { return Place(width - 1 - x, height - 1 - y); });
      const Plain back =
          mapped(mask, {width, height}, [&](auto x, auto y) { return Place(width - 1 - y, x); });
      QCOMPARE(turned(0, kSize), mask.rle().counts);
      QCOMPARE(turned(1, quarter.size), quarter.rle().counts);
      QCOMPARE(turned(2, kSize), half.rle().counts);
      QCOMPARE(turned(3, back.size), back.rle().counts);
    }
  }

  void flipsMirrorTheImage() {
    const auto [height, width] = kSize;
    for (std::uint64_t number = 0; number < kMasks; ++number) {
      const Plain mask = madeMask(kSize, number);
      for (const auto& [across, down] : {std::pair(true, false), {false, true}, {true, true}}) {
        const Plain expected = mapped(mask, kSize, [&](std::int64_t x, std::int64_t y) {
          return std::pair(across ? width - 1 - x : x, down ? height - 1 - y : y);
        });
        const coco::MaskCrop flipped = coco::flipped(coco::crop(mask.rle()), kSize, across, down);
        QCOMPARE(coco::placed(flipped, kSize).counts, expected.rle().counts);
      }
    }
  }

  void resizedMasksTakeTheNearestPixel() {
    for (std::uint64_t number = 0; number < kMasks; ++number) {
      const Plain mask = madeMask(kSize, number);
      for (const ImageSize& to : {ImageSize{23, 31}, {50, 40}, {7, 9}, {1, 1}}) {
        const coco::PixelWindow part{2, 1, 20, 30};
        const Plain whole = mapped(mask, to, [&](std::int64_t x, std::int64_t y) {
          const auto nearest = [](std::int64_t pixel, std::int64_t from, std::int64_t onto) {
            return static_cast<std::int64_t>(
                std::floor((static_cast<double>(pixel) + 0.5) * static_cast<double>(from) /
                           static_cast<double>(onto)));
          };
          return std::pair(nearest(x, kSize.width, to.width), nearest(y, kSize.height, to.height));
        });
        const Plain visible = mapped(whole, to, [&](std::int64_t x, std::int64_t y) {
          const bool isSeen =
              x >= part.x && y >= part.y && x < part.x + part.width && y < part.y + part.height;
          return isSeen ? std::pair(x, y) : std::pair<std::int64_t, std::int64_t>(-1, -1);
        });
        const coco::PixelWindow all{0, 0, static_cast<int>(to.width), static_cast<int>(to.height)};
        const coco::MaskCrop crop = coco::crop(mask.rle());
        QCOMPARE(coco::placed(coco::resized(crop, kSize, to, all), to).counts, whole.rle().counts);
        QCOMPARE(coco::placed(coco::resized(crop, kSize, to, part), to).counts,
                 visible.rle().counts);
      }
    }
  }
};

LOCKSTEP_TEST(TstMaskGeometry)
#include "tst_mask_geometry.moc"
