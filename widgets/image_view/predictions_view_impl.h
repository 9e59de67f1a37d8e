#pragma once

#include <QString>
#include <QTimer>
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "widgets/image_view/image_filter_bar.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/prediction_session.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/instances/listed_instances.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QSplitter;
class QStackedLayout;
class QTabWidget;
class QToolButton;
class QVBoxLayout;

namespace lockstep::widgets {

class Banner;
class CanvasLegend;
class CropGrid;
class EmptyState;
class ExplainPanel;
class ImageCanvas;
class LayerButtons;
class PredictionsPanel;

/// The widgets of the Predictions page and the session that they show.
struct PredictionsView::Impl {
  PredictionSession session;
  std::vector<std::size_t> order;  ///< images of the strip
  jobs::LatestJob<std::vector<std::size_t>> orderJob{[this](const std::vector<std::size_t>& found) {
    showOrder(found);
    announceReady();
  }};
  jobs::LatestJob<std::vector<std::size_t>> errorJob{
      [this](const std::vector<std::size_t>& images) {
        goToErrorOf(images);
        announceReady();
      }};
  int errorsBy = 0;  ///< where errorJob is to go
  ErrorFigures errorFigures;
  std::optional<ImageOrder> figuresAsked;  ///< with which errorFigures are, or will be, counted
  jobs::LatestJob<ErrorFigures> errorFiguresJob{
      [this](const ErrorFigures& found) { showErrorFigures(found); }};
  /// Indices are of the detections that were matched; the store may have others by now.
  struct ListedCrops {
    std::vector<ListedInstance> instances{};
    std::shared_ptr<const CheckpointOverlaps> of{};  ///< nullptr: there are no instances
  };
  jobs::LatestJob<ListedCrops> cropsJob{[this](const ListedCrops& found) {
    showCrops(found);
    announceReady();
  }};
  std::optional<ListedInstance> firstCrop;  ///< at which the crops begin, once they are there
  QTimer errorFiguresTimer;                 ///< runs while the sliders move
  bool goesToFirstError = false;            ///< as soon as the images that are asked for are there
  QString resultsName;                      ///< of what is shown instead of checkpoints
  std::optional<qint64> vanished;           ///< the checkpoint of this step is gone
  std::function<void()> noticeAction = [] {};
  std::function<void()> announceReady = [] {};   ///< if everything is shown
  std::function<QString(const QString&)> named;  ///< of a message about a copy; null: as it is
  bool canPredict = true;
  QString unavailableReason;
  /// Images that are done, of how many, of each step that all are being predicted of.
  std::map<qint64, std::pair<qint64, qint64>> allImages;
  std::map<qint64, std::shared_ptr<const ImageLosses>> losses;  ///< of the images, by step
  bool wasReady = true;
  /// By which error of the shown image to begin when it is there: 1 the first, -1 the last, 0:
  /// none.
  int chooseErrorFrom = 0;
  struct AskedInstance {
    coco::Image image;
    qint64 step = 0;
    WantedInstance instance;
  };
  std::optional<AskedInstance> askedInstance;  ///< until it is there, or another image is chosen

  QStackedLayout* stack = nullptr;
  EmptyState* empty = nullptr;
  QSplitter* page = nullptr;
  Banner* banner = nullptr;
  QLabel* name = nullptr;
  QLabel* facts = nullptr;
  QVBoxLayout* imageSide = nullptr;
  QGridLayout* header = nullptr;
  LayerButtons* layers = nullptr;
  QStackedLayout* stages = nullptr;  ///< of the image, the crops, and that there are none
  ImageStage* stage = nullptr;
  CropGrid* crops = nullptr;
  EmptyState* noCrops = nullptr;
  QToolButton* cropsShown = nullptr;
  QComboBox* colourBy = nullptr;
  CanvasLegend* legend = nullptr;
  QLabel* pixel = nullptr;
  ImageFilterBar* filters = nullptr;
  ThumbnailStrip* strip = nullptr;
  QWidget* noMatch = nullptr;  ///< in place of the strip: the filters leave no image
  QLabel* noMatchText = nullptr;
  PredictionsPanel* panel = nullptr;
  QTabWidget* sideTabs = nullptr;  ///< of the panel and the explanation
  ExplainPanel* explain = nullptr;
  bool isMaximized = false;  ///< only the image is shown
  bool isStepDrawn = false;  ///< of the explanation, instead of the instances

  ImageCanvas* canvas() const { return stage->canvas(); }
  bool hasImages() const { return session.dataset() && !session.dataset()->images().empty(); }
  int placeOf(std::size_t index) const {
    const auto found = std::find(order.begin(), order.end(), index);
    return found == order.end() ? -1 : static_cast<int>(found - order.begin());
  }

  QWidget* buildImageSide(PredictionsView* view);
  QGridLayout* buildHeader(PredictionsView* view);
  QWidget* buildNoMatch();
  QWidget* buildStages(PredictionsView* view);
  QWidget* buildKey();
  QWidget* buildSideTabs(PredictionsView* view);
  void showLayers();
  void showLegend();
  void showSubject();
  void showChosenExplained();
  void toggleExplanation();
  QString whyNotPredicted() const;
  void showPage();
  void showImageAt(int place);
  void moveImage(int by);
  void showDecoded();
  void showScene();
  void showFacts();
  void fitHeader(int widthPx);
  void fitHeight(int heightPx);
  void showStrip();
  void showNotice();
  void offerStep(const QString& text, std::optional<qint64> step);
  void showCounts();
  void showMarks();
  void showAp();
  void showHistory();
  bool isInOrderOfLosses() const;
  std::shared_ptr<const ImageLosses> shownLosses() const;
  void showAllImages();
  ImageOrder shownOrder() const;
  void rebuildOrder();
  void addFigure(ThumbnailStrip::Mark& mark, std::size_t index, const ImageLosses* ofImages) const;
  void showOrder(std::vector<std::size_t> newOrder);
  void showImages(std::vector<std::size_t> newOrder);
  void choose(int instance);
  void moveInstance(int by);
  void moveError(int by);
  void moveErrorToImage(int by);
  void chooseWaitingError();
  void chooseAsked();
  std::vector<int> errorsOfScene() const;
  std::vector<std::size_t> imagesWithErrors() const;
  void goToErrorOf(const std::vector<std::size_t>& images);
  bool areCropsShown() const;
  std::optional<ListedInstance> chosenAsListed() const;
  void showStage();
  void findCrops();
  void dropCrops();
  bool awaitsMatches() const;
  void describeNoCrops();
  void showCrops(const ListedCrops& listed);
  void goToInstance(const ListedInstance& instance);
  void showCropFacts();
  void showErrorsOf(CategoryId category, bool areMissed);
  void forgetErrors();
  void awaitErrorFigures();
  void awaitOtherErrorFigures();
  void findErrorFigures();
  void showErrorFigures(const ErrorFigures& found);
  void showPixel(std::optional<QPoint> pixel);
  void reloadImages();
  void setStep(qint64 step);
  void showPredictions(qint64 step);
  void goToNearestPredicted();
  std::function<void(qint64)> goTo;  ///< as the slider does
  std::function<void()> predict;     ///< the shown image
  void chooseStep();
  void toggleMaximized();
};

}  // namespace lockstep::widgets
