#include <QTest>
#include <bit>
#include <random>

#include "engine/dataset_check/near_duplicates.h"
#include "tests/dataset_check/made_check.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::dataset_check;
using tests::madeThumbnail;

namespace {

/// Every value is up to `most` off.
Thumbnail noisy(Thumbnail thumbnail, int most, unsigned seed) {
  std::mt19937 random(seed);
  for (std::uint8_t& value : thumbnail) {
    const int noise = static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most;
    value = static_cast<std::uint8_t>(std::clamp(value + noise, 0, 255));
  }
  return thumbnail;
}

/// With an object of 6 x 6 px that is not in it.
Thumbnail withObject(Thumbnail thumbnail) {
  for (std::size_t y = 20; y < 26; ++y)
    for (std::size_t x = 30; x < 36; ++x)
      thumbnail[y * kThumbnailSide + x] =
          static_cast<std::uint8_t>(thumbnail[y * kThumbnailSide + x] > 128 ? 20 : 230);
  return thumbnail;
}

constexpr base::ImageSize kSize{.height = 64, .width = 64};

std::vector<std::uint8_t> blocksOf(const Thumbnail& picture, base::ImageSize scaled) {
  return blockMeansOf(GreyPixels<std::uint8_t>{picture.data(), 64, 64, 64}, scaled);
}

void onThisThread(const std::string&, std::size_t count,
                  const std::function<void(std::size_t)>& work) {
  for (std::size_t i = 0; i < count; ++i) work(i);
}

/// What is found of pictures that are as large as their thumbnails.
std::vector<PictureMatch> matchesOf(
    const std::vector<Thumbnail>& pictures,
    std::size_t mostBytesInMemory = NearDuplicates::kMostBytesInMemory,
    std::size_t* reads = nullptr) {
  NearDuplicates duplicates(pictures.size(), mostBytesInMemory);
  for (std::size_t i = 0; i < pictures.size(); ++i)
    duplicates.set(i, PictureView::Only, pictures[i], kSize);
  return duplicates.find(onThisThread, [&](std::size_t i, base::ImageSize, base::ImageSize scaled) {
    if (reads != nullptr) ++*reads;
    return blocksOf(pictures[i], scaled);
  });
}

PictureMatch matchOfLast(const std::vector<Thumbnail>& pictures) {
  return matchesOf(pictures).back();
}

}  // namespace

class TstNearDuplicates : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aThumbnailHasTheMeansOfWhatItsPixelsCover() {
    // Width 96: a pixel covers 1.5; height 64: one row.
    std::vector<std::uint8_t> values(96 * 64);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i % 96);
    const Thumbnail thumbnail = thumbnailOf(GreyPixels<std::uint8_t>{values.data(), 96, 64, 96});
    for (std::size_t x = 0; x < 64; ++x) {
      // Even: 2/3 of the first and 1/3 of the second; odd: 1/3 and 2/3.
      const double first = std::floor(1.5 * static_cast<double>(x));
      const double mean = x % 2 == 0 ? first + 1. / 3 : first + 2. / 3;
      QCOMPARE(thumbnail[x], static_cast<std::uint8_t>(mean + 0.5));
      QCOMPARE(thumbnail[64 * 63 + x], thumbnail[x]);
    }
  }

  void ofSmallImagesPixelsAreRepeated() {
    const std::vector<std::uint8_t> values{10, 200};
    const Thumbnail thumbnail = thumbnailOf(GreyPixels<std::uint8_t>{values.data(), 2, 1, 2});
    QCOMPARE(thumbnail[31], std::uint8_t{10});
    QCOMPARE(thumbnail[32], std::uint8_t{200});
    QCOMPARE(thumbnail.back(), std::uint8_t{200});
  }

  void ofSixteenBitsTheBrightestBecomesWhite() {
    const std::vector<std::uint16_t> values{0, 1000, 2000, 4000};
    const Thumbnail thumbnail = thumbnailOf(GreyPixels<std::uint16_t>{values.data(), 4, 1, 4});
    QCOMPARE(thumbnail[0], std::uint8_t{0});
    QCOMPARE(thumbnail[16], std::uint8_t{64});
    QCOMPARE(thumbnail[63], std::uint8_t{255});
  }

  void blocksHaveTheMeansOfWhatTheyCover() {
    // 20 x 9 px: columns from 0, 8 and 12, rows from 0 and 1; a value is 10 x + y.
    std::vector<std::uint8_t> values(20 * 9);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::uint8_t>(10 * (i % 20) + i / 20);
    const GreyPixels<std::uint8_t> pixels{values.data(), 20, 9, 20};
    QCOMPARE(blockMeansOf(pixels, {.height = 9, .width = 20}),
             (std::vector<std::uint8_t>{39, 119, 159, 40, 120, 160}));
    // Half as large: columns from 0 and 2, that is 0 and 4, and one row of all.
    QCOMPARE(blockMeansOf(pixels, {.height = 5, .width = 10}),
             (std::vector<std::uint8_t>{79, 119}));
    const std::vector<std::uint16_t> deep{0, 1000, 2000, 4000};
    QCOMPARE(
        blockMeansOf(GreyPixels<std::uint16_t>{deep.data(), 2, 2, 2}, {.height = 2, .width = 2}),
        std::vector<std::uint8_t>{112});
  }

  void copiesInAnotherQualityAreProposedAndTheSame() {
    for (unsigned seed = 0; seed < 200; ++seed) {
      const Thumbnail picture = madeThumbnail(seed), copy = noisy(picture, 3, seed);
      QVERIFY(std::popcount(perceptualHash(picture) ^ perceptualHash(copy)) <= 6);
      const PictureMatch match = matchOfLast({picture, madeThumbnail(seed + 1000), copy});
      QCOMPARE(match.same, std::optional<std::size_t>(0));
      QVERIFY(!match.similar);
    }
  }

  void otherPicturesAreNeitherTheSameNorSimilar() {
    std::vector<Thumbnail> pictures;
    for (unsigned seed = 0; seed < 300; ++seed) pictures.push_back(madeThumbnail(seed));
    for (const PictureMatch& match : matchesOf(pictures)) QVERIFY(!match.same && !match.similar);
  }

  void aFrameInWhichAnObjectMovedIsSimilar() {
    const Thumbnail picture = madeThumbnail(5), moved = withObject(picture);
    QVERIFY(differenceOf(picture, moved).mean <= PictureDifference::kMostMean);
    const PictureMatch match = matchOfLast({picture, moved});
    QVERIFY(!match.same);
    QCOMPARE(match.similar, std::optional<std::size_t>(0));
    QCOMPARE(match.similarMean, differenceOf(picture, moved).mean);
  }

  void smallObjectsInOtherPlacesAreNotOfOnePicture_data() {
    QTest::addColumn<int>("brighter");
    QTest::addColumn<bool>("isSame");
    QTest::newRow("still") << 0 << true;
    QTest::newRow("faint") << 5 << true;
    QTest::newRow("objects") << 60 << false;
  }
  void smallObjectsInOtherPlacesAreNotOfOnePicture() {
    QFETCH(int, brighter);
    QFETCH(bool, isSame);
    constexpr std::size_t kWidth = 1920, kHeight = 1080;
    std::mt19937 random(3);
    const Thumbnail background = madeThumbnail(6);
    // Frames of a fixed camera with noise, and 12 objects of 10 x 8 px.
    const auto frame = [&] {
      std::vector<std::uint8_t> values(kWidth * kHeight);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::uint8_t>(
            background[i / kWidth * 64 / kHeight * 64 + i % kWidth * 64 / kWidth] / 2 +
            random() % 5);
      for (int object = 0; object < 12; ++object) {
        const std::size_t left = random() % (kWidth - 10), top = random() % (kHeight - 8);
        for (std::size_t y = top; y < top + 8; ++y)
          for (std::size_t x = left; x < left + 10; ++x)
            values[y * kWidth + x] = static_cast<std::uint8_t>(values[y * kWidth + x] + brighter);
      }
      return values;
    };
    const std::array frames{frame(), frame()};
    const auto pixels = [&](std::size_t i) {
      return GreyPixels<std::uint8_t>{frames[i].data(), kWidth, kHeight, kWidth};
    };
    const base::ImageSize size{.height = kHeight, .width = kWidth};
    NearDuplicates duplicates(2);
    for (std::size_t i : {0, 1}) duplicates.set(i, PictureView::Only, thumbnailOf(pixels(i)), size);
    QVERIFY(differenceOf(thumbnailOf(pixels(0)), thumbnailOf(pixels(1))).mayBeOfOnePicture());
    const PictureMatch match =
        duplicates
            .find(onThisThread,
                  [&](std::size_t i, base::ImageSize, base::ImageSize scaled) {
                    return blockMeansOf(pixels(i), scaled);
                  })
            .back();
    QCOMPARE(match.same.has_value(), isSame);
    QCOMPARE(match.similar.has_value(), !isSame);
  }

  void ofDifferentSizesTheSmallerIsCompared() {
    const Thumbnail picture = madeThumbnail(8);
    NearDuplicates duplicates(2);
    duplicates.set(0, PictureView::Only, picture, {.height = 100, .width = 300});
    duplicates.set(1, PictureView::Only, picture, {.height = 50, .width = 150});
    std::vector<base::ImageSize> sizes;
    const auto matches = duplicates.find(
        onThisThread, [&](std::size_t, base::ImageSize size, base::ImageSize scaled) {
          sizes.insert(sizes.end(), {size, scaled});
          return blocksOf(picture, scaled);
        });
    QCOMPARE(matches[1].same, std::optional<std::size_t>(0));
    const base::ImageSize large{.height = 100, .width = 300}, small{.height = 50, .width = 150};
    QCOMPARE(sizes, (std::vector<base::ImageSize>{large, small, small, small}));
  }

  void whatCannotBeReadAgainIsNotTheSame() {
    NearDuplicates duplicates(2);
    for (std::size_t i : {0, 1}) duplicates.set(i, PictureView::Only, madeThumbnail(1), kSize);
    const auto matches = duplicates.find(
        onThisThread,
        [](std::size_t, base::ImageSize, base::ImageSize) { return std::vector<std::uint8_t>(); });
    QVERIFY(!matches[1].same && matches[1].similar);
  }

  void aTurnedPictureIsTheSameInEitherOrientation() {
    const Thumbnail displayed = madeThumbnail(1), stored = tests::transposed(displayed);
    NearDuplicates duplicates(4);
    const std::array views{displayed, stored, displayed, stored};
    duplicates.set(0, PictureView::Displayed, displayed, kSize);
    duplicates.set(0, PictureView::Stored, stored, kSize);
    duplicates.set(1, PictureView::Only, stored, kSize);
    duplicates.set(2, PictureView::Only, displayed, kSize);
    // Neither before cleaning nor after it.
    duplicates.set(3, PictureView::Displayed, stored, kSize);
    duplicates.set(3, PictureView::Stored, madeThumbnail(3), kSize);
    const auto matches =
        duplicates.find(onThisThread, [&](std::size_t i, base::ImageSize, base::ImageSize scaled) {
          return std::vector<std::uint8_t>(blocksOf(views[i], scaled).size(), 7);
        });
    QCOMPARE(matches[1].same, std::optional<std::size_t>(0));
    QCOMPARE(matches[2].same, std::optional<std::size_t>(0));
    QVERIFY(!matches[0].same && !matches[3].same);
  }

  void whatRemainsOfADriftHasNoPictureTwice_data() {
    QTest::addColumn<std::size_t>("mostBytesInMemory");
    QTest::newRow("in memory") << NearDuplicates::kMostBytesInMemory;
    QTest::newRow("in a file") << std::size_t{5000};
  }
  void whatRemainsOfADriftHasNoPictureTwice() {
    QFETCH(std::size_t, mostBytesInMemory);
    // 2600 pictures of one hash, more than are looked at: what is near is far away in the list.
    std::mt19937 random(1);
    std::vector<Thumbnail> pictures;
    for (int i = 0; i < 2600; ++i) {
      Thumbnail picture = madeThumbnail(9);
      const int brightness = static_cast<int>(random() % 40);
      for (std::uint8_t& value : picture) value = static_cast<std::uint8_t>(value / 2 + brightness);
      const std::size_t at = random() % 20, row = random() % 30;
      for (std::size_t y = row; y < row + 3; ++y)
        for (std::size_t x = at; x < at + 3; ++x)
          picture[y * kThumbnailSide + x] = static_cast<std::uint8_t>(200 + random() % 16);
      pictures.push_back(picture);
    }
    std::size_t before = 0;
    std::vector<Thumbnail> left;
    const auto matches = matchesOf(pictures, mostBytesInMemory);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      if (matches[i].same) {
        QVERIFY(!matches[*matches[i].same].same);  // that one is left
        ++before;
      } else {
        left.push_back(pictures[i]);
      }
    }
    QVERIFY2(before > 100 && left.size() > 1100,
             qPrintable(QStringLiteral("%1 %2").arg(before).arg(left.size())));
    for (const PictureMatch& match : matchesOf(left, mostBytesInMemory)) QVERIFY(!match.same);
  }

  void theFirstOfThoseThatAreLeftIsNamed() {
    const Thumbnail picture = madeThumbnail(1);
    const auto matches = matchesOf({madeThumbnail(2), picture, picture, madeThumbnail(3), picture});
    QCOMPARE(matches[2].same, std::optional<std::size_t>(1));
    QCOMPARE(matches[4].same, std::optional<std::size_t>(1));
  }

  void equalPicturesAreFoundAmongManyOfOneHash() {
    // All have the hash of the first, whose bucket is not searched as far back.
    std::vector<Thumbnail> pictures;
    const Thumbnail flat = madeThumbnail(9);
    for (unsigned seed = 0; seed < 3000; ++seed) {
      Thumbnail other = withObject(flat);
      other[seed] = static_cast<std::uint8_t>(other[seed] ^ 64);
      pictures.push_back(other);
    }
    pictures.push_back(pictures[0]);
    QCOMPARE(matchOfLast(pictures).same, std::optional<std::size_t>(0));
  }

  void picturesAreReadAgainOnlyIfTheirThumbnailsCannotDecide() {
    std::vector<Thumbnail> pictures;
    for (unsigned seed = 0; seed < 50; ++seed) pictures.push_back(madeThumbnail(seed));
    for (unsigned seed = 0; seed < 5; ++seed) pictures.push_back(withObject(madeThumbnail(seed)));
    std::size_t reads = 0;
    const auto kept = matchesOf(pictures, 20'000, &reads);  // four of them in memory
    QCOMPARE(reads, 0u);
    for (std::size_t i = 0; i < 5; ++i) QCOMPARE(kept[50 + i].similar, std::optional(i));
    for (int copy = 0; copy < 10; ++copy) pictures.push_back(madeThumbnail(7));
    const auto matches = matchesOf(pictures, 20'000, &reads);
    QCOMPARE(reads, 11u);  // each once
    QCOMPARE(matches.back().same, std::optional<std::size_t>(7));
  }
};

LOCKSTEP_TEST(TstNearDuplicates)
#include "tst_near_duplicates.moc"
