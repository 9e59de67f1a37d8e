#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "engine/base/ids.h"
#include "engine/coco/files/dataset.h"
#include "widgets/image_view/explanation_facts.h"
#include "widgets/jobs/latest_job.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QListWidget;
class QScrollArea;
class QStackedLayout;

namespace lockstep::widgets {

class EmptyState;

/// How the predictions of the shown image came about, step by step: what the chosen step and the
/// layers draw over the image, and the facts of the chosen object. It asks for the explanation of
/// an image when it is wanted(): while the panel is shown, or a layer is. GUI thread; no method
/// blocks.
class ExplainPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ExplainPanel(QWidget* parent = nullptr);

  using Explanation = std::shared_ptr<const explanation::Explanation>;
  /// What is to be explained.
  struct Subject {
    ImageId image;
    qint64 step = 0;      ///< of the checkpoint
    QString blockedBy{};  ///< why no engine can be asked; empty: one can
    bool operator==(const Subject&) const = default;
  };
  /// nullopt: no image is shown. Another image or checkpoint drops the explanation, and cancels the
  /// request for it.
  void setSubject(const std::optional<Subject>& subject);
  void setClasses(const std::vector<coco::Category>& classes);
  /// The panel is shown.
  void setActive(bool active);
  void setLayers(bool anchors, bool proposals);
  /// Of the page; detections below it are not drawn.
  void setScoreThreshold(double threshold);
  /// nullopt: none.
  void setChosen(const std::optional<InstanceFacts>& instance);
  /// Both ignore what is not of the subject.
  void setExplanation(ImageId image, qint64 step, Explanation explanation);
  void setFailed(ImageId image, qint64 step, const QString& error);
  /// The colours have changed.
  void refresh();
  /// The list of steps.
  QListWidget* steps() const { return steps_; }
  QComboBox* levels() const { return levels_; }

  bool isWanted() const { return isActive_ || choice_.anchors || choice_.proposals; }
  /// Nothing is asked for or being drawn.
  bool isIdle() const { return state_ != State::Waiting && sceneJob_.isIdle(); }

 Q_SIGNALS:
  void requested(lockstep::ImageId image, qint64 step);
  void canceled(lockstep::ImageId image, qint64 step);
  /// What is to be drawn over the image; nullptr: nothing.
  void sceneChanged(const std::shared_ptr<const lockstep::widgets::ExplanationScene>& scene);

 private:
  enum class State { None, Waiting, Failed, There, Canceled };
  void buildUi();
  QWidget* buildSteps();
  void ask();
  void askIfWanted();
  void cancel();
  void handleButton();
  bool isOf(ImageId image, qint64 step) const;
  std::optional<MissedReason> missed() const { return chosen_ ? chosen_->missed : std::nullopt; }
  void showState();
  void showSteps();
  void showFacts();
  void draw();

  std::optional<Subject> subject_;
  State state_ = State::None;
  QString failure_;
  Explanation explanation_;
  ExplanationChoice choice_;
  ExplainStep step_ = ExplainStep::Anchors;  ///< of the list
  std::optional<InstanceFacts> chosen_;
  ClassNames classNames_;
  bool isActive_ = false;
  jobs::LatestJob<std::shared_ptr<const ExplanationScene>> sceneJob_;

  QStackedLayout* stack_ = nullptr;
  EmptyState* message_ = nullptr;
  QScrollArea* content_ = nullptr;
  QListWidget* steps_ = nullptr;
  QLabel* help_ = nullptr;
  QComboBox* levels_ = nullptr;
  QLabel* title_ = nullptr;
  QLabel* verdict_ = nullptr;
  QGridLayout* facts_ = nullptr;
};

}  // namespace lockstep::widgets
