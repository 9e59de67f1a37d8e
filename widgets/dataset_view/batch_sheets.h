#pragma once

#include <QStringList>
#include <QWidget>
#include <memory>

#include "widgets/image_view/decoded_image.h"
#include "widgets/jobs/keyed_loader.h"

class QLabel;
class QPushButton;
class QStackedLayout;
class QDoubleSpinBox;

namespace lockstep::widgets {

class EmptyState;
class ImageCanvas;
class ImageStage;
class ThumbnailStrip;

/// Training batches as the model gets them: the sheets, and in a panel of their own what they are
/// and the buttons that draw them.
///
/// Setters pass data in, signals pass requests out. No method blocks.
class BatchSheets : public QWidget {
  Q_OBJECT

 public:
  explicit BatchSheets(QWidget* parent = nullptr);

  /// What stands beside the sheets; the caller takes it.
  QWidget* panel() const { return panel_; }
  ImageCanvas* canvas() const;
  /// The seed that training has; its sheets are drawn first. Drops those that are shown.
  void setTrainingSeed(qint64 seed);
  /// Files of pictures, in the order of the steps.
  void setSheets(const QStringList& files);
  const QStringList& files() const { return files_; }
  /// Why there are none.
  void setFailure(const QString& reason);
  /// How far the drawing is; empty: none is going on.
  void setProgress(const QString& text);
  /// Asks for the sheets of the chosen seed.
  void draw();
  /// Asks for those of the next seed.
  void drawNextSeed();
  void moveBy(int sheets);
  /// The shown sheet and the thumbnails in view are loaded.
  bool isReady() const;

 Q_SIGNALS:
  void drawRequested(qint64 seed);
  void cancelRequested();

 private:
  void buildUi();
  void buildPanel();
  void connectSignals();
  void showSheet(int place);
  void showDecoded();
  void showState();
  void drawOrCancel();
  QString stateText() const;

  jobs::KeyedLoader<DecodedImage> pictures_;
  std::shared_ptr<const DecodedImage> shown_;  ///< stays when pictures_ drops it for others
  QStringList files_;
  QString progress_, failure_;
  qint64 trainingSeed_ = 0;
  qint64 drawnSeed_ = 0;  ///< of files_, or what is being drawn
  QWidget* panel_ = nullptr;
  QLabel* name_ = nullptr;
  QLabel* place_ = nullptr;
  QStackedLayout* pages_ = nullptr;  ///< of the sheets, or what is in their place
  EmptyState* empty_ = nullptr;
  ImageStage* stage_ = nullptr;
  ThumbnailStrip* strip_ = nullptr;
  QLabel* state_ = nullptr;
  QDoubleSpinBox* seed_ = nullptr;
  QPushButton* draw_ = nullptr;
  QPushButton* next_ = nullptr;
};

}  // namespace lockstep::widgets
