#pragma once

#include <QObject>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "widgets/instances/matched_pair.h"
#include "widgets/instances/results_pair.h"
#include "widgets/jobs/latest_job.h"

namespace lockstep::app {

/// What is compared: two results of one dataset, and how both are matched.
struct ComparedResults {
  std::shared_ptr<const coco::Dataset> dataset;
  std::array<widgets::PredictionStore::ByImage, 2> predictions;
  widgets::MatchRules rules;

  bool operator==(const ComparedResults&) const = default;
};

/// What is computed of A and B, off the GUI thread: figures, objects, confusions, errors, curves.
/// GUI thread only; no method blocks.
class Comparison : public QObject {
  Q_OBJECT

 public:
  using Objects = std::shared_ptr<const std::vector<widgets::PairedObject>>;
  using Find = std::function<std::vector<widgets::PairedObject>(const widgets::MatchedPair&)>;

  explicit Comparison(QObject* parent = nullptr);

  /// Drops what is known, and computes all of these.
  void start(ComparedResults results, double scoreThreshold);
  void clear();
  /// Objects and confusions anew.
  void setScoreThreshold(double scoreThreshold);
  /// listed() follows; nothing before matched() is known.
  void list(const QString& title, Find find);
  bool isIdle() const;

  /// nullptr: nothing is compared.
  const std::shared_ptr<const ComparedResults>& compared() const { return compared_; }
  /// std::nullopt or nullptr: not known yet.
  const std::optional<widgets::ResultsPair>& figures() const { return figures_; }
  const std::shared_ptr<const widgets::MatchedPair>& matched() const { return matched_; }
  /// Why they cannot be compared; empty: they can.
  QString failure() const { return failure_; }

 Q_SIGNALS:
  void figuresFound();
  void objectsFound(const lockstep::app::Comparison::Objects& objects);
  void matchedFound();
  void confusionsFound(const lockstep::widgets::MatchedPair::Confusions& both,
                       double scoreThreshold);
  void listed(const QString& title, const lockstep::app::Comparison::Objects& objects);

 private:
  template <typename Value>
  struct Outcome {
    Value value{};
    QString failure{};
  };
  using Figures = std::optional<widgets::ResultsPair>;
  using Matched = std::shared_ptr<const widgets::MatchedPair>;
  struct Confused {
    widgets::MatchedPair::Confusions both;
    double score = 0;
  };
  struct Listed {
    QString title;
    Objects objects;
  };

  void findObjects();
  void confuse();
  bool isWell(const QString& failure);

  std::shared_ptr<const ComparedResults> compared_;
  double scoreThreshold_ = 0;
  Figures figures_;
  Matched matched_;
  QString failure_;
  std::stop_source stop_;  ///< of the figures that are being computed
  jobs::LatestJob<Outcome<Figures>> figuresJob_;
  jobs::LatestJob<Objects> objectsJob_;
  jobs::LatestJob<Outcome<Matched>> matchedJob_;
  jobs::LatestJob<Confused> confusionJob_;
  jobs::LatestJob<Listed> listJob_;
};

}  // namespace lockstep::app
