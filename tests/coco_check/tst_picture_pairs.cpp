#include <QTest>
#include <bit>
#include <random>

#include "engine/coco/check/picture_pairs.h"
#include "tests/coco_check/made_check.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
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

/// What is found of the last of some pictures; the first `train` are of the training part.
PictureMatches matchesOfLast(const std::vector<Thumbnail>& pictures, std::size_t train) {
  PicturePairs pairs(pictures.size(), [](std::size_t) { return nullptr; });
  for (std::size_t i = 0; i < pictures.size(); ++i)
    pairs.set(i, i < train ? Part::Train : Part::Val, std::make_unique<Thumbnail>(pictures[i]));
  pairs.index();
  return pairs.matchesOf(pictures.size() - 1);
}

}  // namespace

class TstPicturePairs : public QObject {
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

  void copiesInAnotherQualityAreProposedAndTheSame() {
    for (unsigned seed = 0; seed < 200; ++seed) {
      const Thumbnail picture = madeThumbnail(seed), copy = noisy(picture, 3, seed);
      QVERIFY(std::popcount(perceptualHash(picture) ^ perceptualHash(copy)) <= 6);
      const PictureMatches matches = matchesOfLast({picture, madeThumbnail(seed + 1000), copy}, 3);
      QCOMPARE(matches.sameInPart, std::optional<std::size_t>(0));
      QVERIFY(!matches.sameInOtherPart && !matches.similar);
    }
  }

  void otherPicturesAreNeitherTheSameNorSimilar() {
    std::vector<Thumbnail> pictures;
    for (unsigned seed = 0; seed < 300; ++seed) {
      pictures.push_back(madeThumbnail(seed));
      const PictureMatches matches = matchesOfLast(pictures, 100);
      QVERIFY(!matches.sameInPart && !matches.sameInOtherPart && !matches.similar);
    }
  }

  void aFrameInWhichAnObjectMovedIsSimilar() {
    const Thumbnail picture = madeThumbnail(5), moved = withObject(picture);
    QVERIFY(differenceOf(picture, moved).mean <= PictureDifference::kMostMean);
    const PictureMatches matches = matchesOfLast({picture, moved}, 2);
    QVERIFY(!matches.sameInPart);
    QCOMPARE(matches.similar, std::optional<std::size_t>(0));
    QCOMPARE(matches.similarMean, differenceOf(picture, moved).mean);
  }

  void theFirstOfEachPartIsNamed() {
    const Thumbnail picture = madeThumbnail(1);
    const PictureMatches matches =
        matchesOfLast({madeThumbnail(2), picture, picture, madeThumbnail(3), picture, picture}, 3);
    QCOMPARE(matches.sameInOtherPart, std::optional<std::size_t>(1));
    QCOMPARE(matches.sameInPart, std::optional<std::size_t>(4));
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
    QCOMPARE(matchesOfLast(pictures, pictures.size()).sameInPart, std::optional<std::size_t>(0));
  }

  void aThumbnailThatWasNotKeptIsReadAgain() {
    constexpr std::size_t kFar = 60'000;
    const Thumbnail picture = madeThumbnail(1);
    std::size_t reads = 0;
    PicturePairs pairs(kFar + 1, [&](std::size_t index) {
      ++reads;
      return index == kFar ? std::make_unique<Thumbnail>(picture) : nullptr;
    });
    pairs.set(0, Part::Train, std::make_unique<Thumbnail>(picture));
    pairs.set(kFar, Part::Train, std::make_unique<Thumbnail>(picture));
    pairs.index();
    QCOMPARE(pairs.matchesOf(kFar).sameInPart, std::optional<std::size_t>(0));
    QCOMPARE(reads, 1u);
    QVERIFY(!pairs.matchesOf(7).sameInPart);  // it has no picture
  }
};

LOCKSTEP_TEST(TstPicturePairs)
#include "tst_picture_pairs.moc"
