#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/base/counter_hash.h"
#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_images.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/scene_difference.h"
#include "widgets/theme.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

/// An image of 300 x 200 px with 60 objects of three classes over one another, each with a
/// detection beside it, of any score.
class MadeScenes {
 public:
  MadeScenes() {
    const coco::Image image{ImageId{1}, "one.png", 300, 200};
    std::vector<coco::Annotation> objects;
    std::vector<coco::Detection> detections;
    for (std::uint64_t i = 0; i < 60; ++i) {
      const auto at = [&](std::uint64_t what, double most) {
        return std::floor(most * base::counterUniform({i, what}));
      };
      const std::array<double, 4> box{at(0, 250), at(1, 150), 10 + at(2, 40), 10 + at(3, 40)};
      const auto category = static_cast<std::int64_t>(1 + i % 3);
      objects.push_back(tests::boxAnnotation(static_cast<std::int64_t>(i) + 1, 1, category, box));
      detections.push_back(tests::boxDetection(image, category, at(4, 100) / 100,
                                               {box[0] + at(5, 6), box[1], box[2], box[3]}));
    }
    const std::vector<coco::Category> categories{
        {CategoryId{1}, "a"}, {CategoryId{2}, "b"}, {CategoryId{3}, "c"}};
    request_.dataset = std::make_shared<const coco::Dataset>(
        coco::Dataset::fromParts({image}, categories, std::move(objects), "made"));
    request_.detections =
        std::make_shared<const std::vector<coco::Detection>>(std::move(detections));
    request_.theme = &lightTheme();
    QImage picture(300, 200, QImage::Format_RGB32);
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 0; x < picture.width(); ++x)
        picture.setPixel(x, y, qRgb(x % 256, y, (x + y) % 256));
    auto decoded = std::make_shared<DecodedImage>();
    decoded->levels = ImageLevels(picture);
    image_ = decoded;
  }

  /// With what `change` makes of the request.
  std::shared_ptr<const CanvasScene> scene(const std::function<void(SceneRequest&)>& change) const {
    SceneRequest request = request_;
    change(request);
    return buildScene(request).scene;
  }
  const std::shared_ptr<const DecodedImage>& image() const { return image_; }

 private:
  SceneRequest request_;
  std::shared_ptr<const DecodedImage> image_;
};

using RequestChange = std::function<void(SceneRequest&)>;

void nothing(SceneRequest&) {}

QImage grabbed(ImageCanvas& canvas) { return canvas.grab().toImage(); }

/// The largest difference of a colour of a pixel.
int difference(const QImage& one, const QImage& other) {
  int largest = 0;
  for (int y = 0; y < one.height(); ++y)
    for (int x = 0; x < one.width(); ++x) {
      const QRgb a = one.pixel(x, y), b = other.pixel(x, y);
      largest = std::max({largest, std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)),
                          std::abs(qBlue(a) - qBlue(b))});
    }
  return largest;
}

}  // namespace

Q_DECLARE_METATYPE(RequestChange)

class TstSceneDifference : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aChangedSceneIsDrawnAsAnew_data() {
    QTest::addColumn<RequestChange>("change");
    QTest::newRow("score, a tick")
        << RequestChange([](SceneRequest& r) { r.thresholds.score = 0.55; });
    QTest::newRow("score") << RequestChange([](SceneRequest& r) { r.thresholds.score = 0.8; });
    QTest::newRow("IoU") << RequestChange([](SceneRequest& r) { r.thresholds.iou = 0.8; });
    QTest::newRow("hidden class") << RequestChange(
        [](SceneRequest& r) { r.hidden = {CategoryId{2}}; });
    QTest::newRow("chosen object") << RequestChange([](SceneRequest& r) { r.chosenObjects = {7}; });
    QTest::newRow("colours") << RequestChange([](SceneRequest& r) {
      r.colourBy = r.colourBy == ColourBy::Class ? ColourBy::Verdict : ColourBy::Class;
    });
    QTest::newRow("no detections") << RequestChange([](SceneRequest& r) { r.detections = {}; });
  }
  void aChangedSceneIsDrawnAsAnew() {
    QFETCH(RequestChange, change);
    compare(made_.scene(nothing), made_.scene(change));
    // Whose colours do not tell their verdicts.
    const auto inClassColours = [](SceneRequest& request) { request.colourBy = ColourBy::Class; };
    compare(made_.scene(inClassColours), made_.scene([&](SceneRequest& request) {
      inClassColours(request);
      change(request);
    }));
  }

  void theSameSceneDiffersNowhere() {
    QVERIFY(changedParts(*made_.scene(nothing), *made_.scene(nothing)).empty());
  }

  void onlyWhatChangesIsAPart() {
    const auto before = made_.scene(nothing);
    const auto now = made_.scene([](SceneRequest& r) { r.thresholds.score = 0.55; });
    const std::vector<QRectF> parts = changedParts(*before, *now);
    QVERIFY(!parts.empty());
    QVERIFY2(parts.size() < 20, qPrintable(QString::number(parts.size())));
  }

 private:
  void compare(const std::shared_ptr<const CanvasScene>& before,
               const std::shared_ptr<const CanvasScene>& now) {
    for (const double zoom : {0.5, 1.0, 2.3}) {
      ImageCanvas changed, anew;
      for (ImageCanvas* canvas : {&changed, &anew}) {
        canvas->resize(500, 400);
        canvas->setImage(made_.image());
        canvas->setScene(canvas == &changed ? before : now);
        canvas->zoomToActualSize();
        canvas->zoomBy(zoom);
      }
      const QImage drawnBefore = grabbed(changed);
      changed.setScene(now);
      QVERIFY(difference(drawnBefore, grabbed(anew)) > 20);
      QVERIFY2(difference(grabbed(changed), grabbed(anew)) <= 3, qPrintable(QString::number(zoom)));
    }
  }

  MadeScenes made_;
};

LOCKSTEP_TEST(TstSceneDifference)
#include "tst_scene_difference.moc"
