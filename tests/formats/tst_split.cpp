#include <QTest>
#include <cmath>
#include <map>

#include "engine/base/counter_hash.h"
#include "engine/formats/split.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using formats::Part;
using formats::SourceImage;

class TstSplit : public QObject {
  Q_OBJECT

 private:
  static std::vector<SourceImage> made(std::size_t count, int classes) {
    std::vector<SourceImage> images(count);
    for (std::size_t i = 0; i < count; ++i) {
      images[i].file =
          "/set/video" + std::to_string(i / 10) + "/frame" + std::to_string(i) + ".png";
      const std::uint64_t objects = base::counterHash({i}) % 6;
      for (std::uint64_t k = 0; k < objects; ++k) {
        // Class c is twice as rare as class c - 1.
        const double draw = base::counterUniform({i, k});
        const int category = std::min(classes - 1, static_cast<int>(-std::log2(draw + 1e-9)));
        images[i].objects.push_back({"class " + std::to_string(category)});
      }
    }
    return images;
  }
  static void split(std::vector<SourceImage>& images, const formats::SplitOptions& options) {
    std::vector<SourceImage*> pointers;
    for (SourceImage& image : images) pointers.push_back(&image);
    formats::splitAnew(pointers, "/set", options);
  }

 private Q_SLOTS:
  void everyClassHasItsShare() {
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      std::vector<SourceImage> images = made(1000, 7);
      split(images, {.valShare = .2, .seed = seed});
      std::map<std::string, std::pair<double, double>> counts;
      double held = 0;
      for (const SourceImage& image : images) {
        held += image.part == Part::Val;
        for (const auto& object : image.objects) {
          counts[object.category].first += image.part == Part::Val;
          ++counts[object.category].second;
        }
      }
      QVERIFY2(std::abs(held / 1000 - .2) < .02, std::to_string(held).c_str());
      QCOMPARE(counts.size(), 7U);
      for (const auto& [name, count] : counts) {
        QVERIFY2(std::abs(count.first - .2 * count.second) <= 1 + .02 * count.second,
                 (name + ": " + std::to_string(count.first) + " of " + std::to_string(count.second))
                     .c_str());
      }
    }
  }

  void groupsStayTogether() {
    std::vector<SourceImage> images = made(300, 4);
    split(images, {.valShare = .3, .groupPattern = "video(\\d+)"});
    std::map<std::string, Part> partOf;
    std::size_t held = 0;
    for (const SourceImage& image : images) {
      const std::string video = image.file.parent_path().string();
      QCOMPARE(partOf.try_emplace(video, *image.part).first->second, *image.part);
      held += image.part == Part::Val;
    }
    QVERIFY(held >= 60 && held <= 120);
  }

  void theOrderOfTheImagesDoesNotMatter() {
    std::vector<SourceImage> images = made(100, 4), turned = images;
    std::reverse(turned.begin(), turned.end());
    split(images, {});
    split(turned, {});
    for (std::size_t i = 0; i < images.size(); ++i) QVERIFY(images[i].part == turned[99 - i].part);
  }

  void bothPartsHaveAnImage() {
    for (const double share : {.01, .99}) {
      std::vector<SourceImage> images = made(2, 2);
      split(images, {.valShare = share});
      QVERIFY(images[0].part != images[1].part);
    }
    std::vector<SourceImage> one = made(1, 1);
    split(one, {.valShare = .9});
    QVERIFY2(one[0].part == Part::Train, "training cannot do without");
    std::vector<SourceImage> group = made(10, 2);
    split(group, {.valShare = .9, .groupPattern = "video"});
    for (const SourceImage& image : group) QVERIFY(image.part == Part::Train);
    std::vector<SourceImage> ungrouped = made(10, 2);
    split(ungrouped, {.valShare = .5, .groupPattern = "x*"});  // matches nothing, everywhere
    QVERIFY(std::ranges::any_of(ungrouped,
                                [](const SourceImage& image) { return image.part == Part::Val; }));
    std::vector<SourceImage> none;
    split(none, {});
  }
};

LOCKSTEP_TEST(TstSplit)
#include "tst_split.moc"
