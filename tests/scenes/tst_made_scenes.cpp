#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <set>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/config/load.h"
#include "engine/scenes/made_scenes.h"
#include "tests/support/test_main.h"

using namespace lockstep;

namespace {

bool samePixels(const data::RgbImage& a, const data::RgbImage& b) {
  return a.width == b.width && a.height == b.height &&
         std::memcmp(a.pixels.get(), b.pixels.get(),
                     static_cast<std::size_t>(a.width) * a.height * 3) == 0;
}

const coco::Rle& runsOf(const coco::Annotation& annotation) {
  return std::get<coco::Rle>(annotation.segmentation);
}

/// Relative path and content of every file below a folder.
std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[std::filesystem::relative(entry.path(), folder).string()] =
          base::readFile(entry.path());
    }
  }
  return files;
}

}  // namespace

class TstMadeScenes : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }

 private Q_SLOTS:
  void scenesAreAFunctionOfSeedAndNumber() {
    const scenes::MadeScene scene = scenes::makeScene(3, 5), again = scenes::makeScene(3, 5);
    QVERIFY(samePixels(scene.image, again.image));
    QCOMPARE(scene.annotations.size(), again.annotations.size());
    for (std::size_t i = 0; i < scene.annotations.size(); ++i) {
      QVERIFY(runsOf(scene.annotations[i]) == runsOf(again.annotations[i]));
    }
    QVERIFY(!samePixels(scene.image, scenes::makeScene(3, 6).image));
    QVERIFY(!samePixels(scene.image, scenes::makeScene(4, 5).image));
  }

  void masksAreTheVisiblePixels() {
    std::set<std::int64_t> categories;
    std::size_t objects = 0;
    for (std::uint64_t number = 0; number < 20; ++number) {
      const scenes::MadeScene scene = scenes::makeScene(1, number);
      std::vector<int> owners(static_cast<std::size_t>(scene.image.width) * scene.image.height);
      for (const coco::Annotation& annotation : scene.annotations) {
        const auto mask = coco::decodeMask(runsOf(annotation));
        QCOMPARE(mask.size(), owners.size());
        for (std::size_t i = 0; i < mask.size(); ++i) owners[i] += mask[i];
        QVERIFY(annotation.boxXywh == coco::boundingBoxXywh(runsOf(annotation)));
        QCOMPARE(annotation.area, static_cast<double>(coco::areaPx(runsOf(annotation))));
        QVERIFY(annotation.area >= 80 && annotation.isUsable());
        categories.insert(annotation.categoryId.value);
        ++objects;
      }
      QVERIFY(*std::max_element(owners.begin(), owners.end()) <=
              1);  // a pixel belongs to one object
    }
    QVERIFY((categories == std::set<std::int64_t>{1, 2, 3, 4}));
    QVERIFY(objects >= 60);
  }

  void objectsDifferFromTheirSurroundings() {
    // The mean colour of an object differs from that of a 3 px border around it, which is
    // background, shadow or another object.
    int clear = 0, all = 0;
    for (std::uint64_t number = 0; number < 12; ++number) {
      const scenes::MadeScene scene = scenes::makeScene(2, number);
      const int width = scene.image.width, height = scene.image.height;
      for (const coco::Annotation& annotation : scene.annotations) {
        const auto mask = coco::decodeMask(runsOf(annotation));
        double inside[3] = {}, around[3] = {}, insideCount = 0, aroundCount = 0;
        for (int y = 3; y < height - 3; ++y) {
          for (int x = 3; x < width - 3; ++x) {
            const bool own = mask[y * width + x];
            const bool near = mask[(y - 3) * width + x] || mask[(y + 3) * width + x] ||
                              mask[y * width + x - 3] || mask[y * width + x + 3];
            if (!own && !near) continue;
            for (int c = 0; c < 3; ++c)
              (own ? inside : around)[c] += scene.image.pixels[(y * width + x) * 3 + c];
            ++(own ? insideCount : aroundCount);
          }
        }
        double distance = 0;
        for (int c = 0; c < 3; ++c)
          distance += std::pow(inside[c] / insideCount - around[c] / aroundCount, 2);
        clear += std::sqrt(distance) > 20;
        ++all;
      }
    }
    QVERIFY2(clear > 0.85 * all, qPrintable(QStringLiteral("%1 of %2").arg(clear).arg(all)));
  }

  void theDataSetIsCompleteAndReadable() {
    int lastDone = 0;
    scenes::writeMadeScenes({path("shapes"), 6, 3, 11}, [&](int done, int all) {
      QCOMPARE(done, ++lastDone);
      QCOMPARE(all, 9);
    });
    QCOMPARE(lastDone, 9);
    std::set<std::int64_t> ids;
    for (const auto& [part, count] : {std::pair{"train", 6}, {"val", 3}}) {
      const coco::Dataset dataset = coco::Dataset::load(
          path("shapes") / "annotations" / ("instances_" + std::string(part) + ".json"));
      QCOMPARE(dataset.images().size(), static_cast<std::size_t>(count));
      QCOMPARE(dataset.categories().size(), std::size_t{4});
      QVERIFY(dataset.usableImageCount() > 0);
      for (const coco::Image& image : dataset.images()) {
        QVERIFY(ids.insert(image.id.value).second);
        const data::RgbImage picture = data::readAnnotatedImage(
            path("shapes") / part / image.fileName, {image.height, image.width});
        QCOMPARE(picture.width, image.width);
      }
    }
  }

  void theExperimentIsValid() {
    scenes::writeMadeScenes({path("ready"), 2, 1, 1});
    const config::LoadedExperiment loaded = config::loadExperiment(path("ready/experiment.yaml"));
    for (const config::ConfigIssue& issue : loaded.issues) qWarning("%s", issue.format().c_str());
    QVERIFY(loaded.issues.empty());
    QCOMPARE(loaded.experiment.dataset.train.images, path("ready/train").string());
    QCOMPARE(loaded.experiment.solver.batchSize, 2);
  }

  void theSameSeedGivesTheSameBytes() {
    scenes::writeMadeScenes({path("one"), 2, 1, 5});
    scenes::writeMadeScenes({path("two"), 2, 1, 5});
    scenes::writeMadeScenes({path("other"), 2, 1, 6});
    QVERIFY(contents(path("one")) == contents(path("two")));
    QVERIFY(contents(path("one")) != contents(path("other")));
  }

  void aNonEmptyFolderIsRefused() {
    std::filesystem::create_directories(path("full"));
    base::writeFileAtomically(path("full/mine.txt"), "1");
    try {
      scenes::writeMadeScenes({path("full"), 1, 1, 1});
      QFAIL("was accepted");
    } catch (const Error& error) {
      QCOMPARE(error.status(), ExitStatus::UserError);
      QVERIFY(QByteArray(error.what()).contains("full: already exists"));
    }
    QCOMPARE(contents(path("full")).size(), std::size_t{1});
    std::filesystem::create_directories(path("empty"));
    scenes::writeMadeScenes({path("empty/"), 1, 1, 1});
    QCOMPARE(contents(path("empty")).size(), std::size_t{5});
  }

  void noFilesRemainAfterAFailure() {
    const QTemporaryDir own;
    const std::filesystem::path target = std::filesystem::path(own.path().toStdString()) / "x";
    QVERIFY_EXCEPTION_THROWN(scenes::writeMadeScenes({target, 3, 1, 1},
                                                     [](int done, int) {
                                                       if (done == 2) throw Error("disk full");
                                                     }),
                             Error);
    QVERIFY(std::filesystem::is_empty(own.path().toStdString()));
    QVERIFY_EXCEPTION_THROWN(scenes::writeMadeScenes({target, 0, 1, 1}), Error);
  }
};

LOCKSTEP_TEST(TstMadeScenes)
#include "tst_made_scenes.moc"
