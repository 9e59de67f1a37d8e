#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/config/padded_sizes.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using base::ImageSize;

namespace {

config::AugmentConfig augmentOf(std::vector<int> minSize, int maxSize) {
  config::AugmentConfig augment;
  augment.minSize = std::move(minSize);
  augment.maxSize = maxSize;
  return augment;
}

const std::vector<config::AugmentConfig>& augments() {
  static const std::vector<config::AugmentConfig> all{
      augmentOf({800}, 1333),     augmentOf({640, 672, 704, 736, 768, 800}, 1333),
      augmentOf({64, 80}, 96),    augmentOf({100, 37, 100}, 40),
      augmentOf({512, 256}, 512), augmentOf({300}, 300),
      augmentOf({1, 33}, 70)};
  return all;
}

int roundedUp(int side) {
  while (side % 32 != 0) ++side;
  return side;
}

/// An image at a scale, as the loader resizes it.
ImageSize resized(int height, int width, int scale, int maxSize) {
  const double factor =
      std::min(1.0 * scale / std::min(height, width), 1.0 * maxSize / std::max(height, width));
  return {std::max(1, static_cast<int>(height * factor)),
          std::max(1, static_cast<int>(width * factor))};
}

/// The padded size that fits every image whose aspect ratio is at most that of max_size to the
/// largest min_size, found by trying all of them.
ImageSize fittingAll(int scale, const config::AugmentConfig& augment, bool isTall) {
  const int largest = std::min(std::ranges::max(augment.minSize), augment.maxSize);
  ImageSize fitting;
  for (int shorter = 1; shorter <= 300; ++shorter) {
    for (int longer = shorter; longer * largest <= shorter * augment.maxSize; ++longer) {
      const ImageSize size = isTall ? resized(longer, shorter, scale, augment.maxSize)
                                    : resized(shorter, longer, scale, augment.maxSize);
      fitting = {std::max(fitting.height, size.height), std::max(fitting.width, size.width)};
    }
  }
  return {roundedUp(fitting.height), roundedUp(fitting.width)};
}

}  // namespace

class TstPaddedSizes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theDefaultSizes() {
    const std::vector<ImageSize> expected{{800, 1344}, {1344, 800}, {1344, 1344}};
    QVERIFY(config::canonicalSizes(augmentOf({800}, 1333)) == expected);
    // 1333 : 800 at 640 is 1066.
    const ImageSize wide{640, 1088}, tall{1088, 640};
    const auto sizes = config::canonicalSizes(augmentOf({800, 640}, 1333));
    QCOMPARE(sizes.size(), std::size_t{5});
    QVERIFY(sizes[0] == wide && sizes[1] == tall);
  }

  void sizesCoverTheImagesOfAScale() {
    for (const config::AugmentConfig& augment : augments()) {
      std::vector<ImageSize> expected{{roundedUp(augment.maxSize), roundedUp(augment.maxSize)}};
      for (const int scale : augment.minSize) {
        for (const bool isTall : {false, true}) {
          const ImageSize size = fittingAll(scale, augment, isTall);
          if (std::ranges::count(expected, size) == 0) expected.push_back(size);
        }
      }
      const std::vector<ImageSize> sizes = config::canonicalSizes(augment);
      QVERIFY(std::ranges::is_permutation(sizes, expected));
      QVERIFY(sizes.size() <= 2 * augment.minSize.size() + 1);
    }
  }

  void aBatchUsesTheSmallestSizeThatFits() {
    for (const config::AugmentConfig& augment : augments()) {
      const auto area = [](const ImageSize& size) { return size.height * size.width; };
      for (int height = 1; height <= augment.maxSize; height += 13) {
        for (int width = 1; width <= augment.maxSize; width += 11) {
          const ImageSize taken = config::canonicalSize(augment, {height, width});
          QVERIFY(taken.height >= height && taken.width >= width);
          for (const ImageSize& other : config::canonicalSizes(augment))
            QVERIFY(other.height < height || other.width < width || area(other) >= area(taken));
        }
      }
      const ImageSize whole = config::canonicalSize(augment, {augment.maxSize, augment.maxSize});
      QCOMPARE(whole.height, roundedUp(augment.maxSize));
      QCOMPARE(whole.width, whole.height);
    }
  }
};

LOCKSTEP_TEST(TstPaddedSizes)
#include "tst_padded_sizes.moc"
