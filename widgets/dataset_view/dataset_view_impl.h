#pragma once

#include <QStackedLayout>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/dataset_view/dataset_view.h"
#include "widgets/image_view/prediction_session.h"
#include "widgets/image_view/thumbnail_strip.h"
#include "widgets/jobs/latest_job.h"

class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QSplitter;
class QTabBar;
class QToolButton;

namespace lockstep::widgets {

class Banner;
class EmptyState;
class FactCharts;
class FindingsPanel;
class ImageCanvas;
class ImageStage;

/// Of what stands beside the images.
enum DatasetTab { Charts, Findings, Batches };

/// The widgets of the page, and which images of the part are shown.
struct DatasetView::Impl {
  PredictionSession session;  ///< without predictions
  std::shared_ptr<const dataset_check::CountedPart> part;
  std::vector<std::size_t> order;                          ///< images of the strip
  std::map<std::size_t, std::vector<std::size_t>> chosen;  ///< objects that stand out, by image
  std::optional<QRectF> boxToShow;                         ///< once its image is there
  QString findingText;                                     ///< of the shown image; empty: none
  bool wasReady = true;
  /// The images that a bar counts, with what the strip shows of them.
  struct CountedImages {
    std::vector<dataset_check::CountedImage> images;
    std::vector<ThumbnailStrip::Item> items;
  };
  jobs::LatestJob<CountedImages> countedJob{
      [this](const CountedImages& counted) { showCounted(counted); }};
  /// Of all images, of which there may be very many.
  jobs::LatestJob<std::vector<ThumbnailStrip::Item>> itemsJob{
      [this](const std::vector<ThumbnailStrip::Item>& items) { showItems(items); }};

  QStackedLayout* stack = nullptr;
  EmptyState* empty = nullptr;
  QSplitter* page = nullptr;
  Banner* banner = nullptr;
  QLabel* name = nullptr;
  QLabel* facts = nullptr;
  ImageStage* stage = nullptr;
  QToolButton* filter = nullptr;  ///< what the images are chosen by; ends the choice
  QLabel* place = nullptr;
  ThumbnailStrip* strip = nullptr;
  QComboBox* sources = nullptr;
  QPushButton* open = nullptr;
  QLabel* summary = nullptr;
  QTabBar* tabs = nullptr;
  QStackedLayout* panels = nullptr;
  QScrollArea* chartScroll = nullptr;
  FactCharts* charts = nullptr;
  FindingsPanel* findings = nullptr;
  QStackedLayout* sides = nullptr;  ///< images, or sheets of batches
  BatchSheets* batches = nullptr;

  QWidget* buildImageSide();
  QWidget* buildPanel();
  bool hasImages() const { return part && part->facts.images > 0; }
  void showPart();
  void showOrder(std::vector<std::size_t> images, std::vector<ThumbnailStrip::Item> items);
  void showAll();
  void listAll();
  void showItems(const std::vector<ThumbnailStrip::Item>& items);
  void showImageAt(int place);
  void moveImage(int by);
  void showBar(const std::optional<dataset_check::FactBar>& bar, const QString& title);
  void showCounted(const CountedImages& counted);
  void showTab(int tab);
  ImageCanvas* canvas() const;
  void showFinding(const dataset_check::Finding& finding);
  void showObject(std::size_t image, std::size_t object);
  void showDecoded();
  void showFacts();
  void showFindingCount();
  void reloadImages();
};

}  // namespace lockstep::widgets
