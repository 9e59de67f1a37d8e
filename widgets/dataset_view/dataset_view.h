#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <memory>
#include <vector>

#include "engine/dataset_check/fact_bars.h"
#include "widgets/image_view/prediction_session.h"

namespace lockstep::widgets {

class BatchSheets;

/// The Data page: what a part of a dataset consists of as charts whose bars lead to their images,
/// and what a check has found, a click from its place.
///
/// Setters pass data in, signals pass requests out. Use it on the GUI thread only; no method
/// blocks.
class DatasetView : public QWidget {
  Q_OBJECT

 public:
  explicit DatasetView(QWidget* parent = nullptr);
  ~DatasetView() override;

  /// What can be shown, and which of it is; -1: none.
  void setSources(const QStringList& names, int shown);
  /// nullptr: none, such as while it is being read. Drops the findings.
  void setPart(std::shared_ptr<const dataset_check::CountedPart> part);
  /// Of both parts of the data; those of the shown part are listed.
  void setFindings(const std::vector<dataset_check::Finding>& findings);
  /// How far the check is; empty: none is going on.
  void setProgress(const QString& text);
  /// Training batches of the shown experiment as the model gets them; ask for them with
  /// batchesRequested().
  BatchSheets* batches() const;
  /// Texts and button of what is shown without a part.
  void setEmptyText(const QString& title, const QString& cause, const QString& action);
  /// An inline message on the page; empty: none.
  void setMessage(const QString& message);

  /// Image and thumbnails in view are loaded (for screenshots).
  bool isReady() const;

 Q_SIGNALS:
  void ready();
  void sourceChosen(int index);
  void checkRequested();
  void checkCanceled();
  /// Whatever is going on is to end.
  void stopRequested();
  void batchesRequested(qint64 seed);
  void batchesCanceled();
  /// What has changed on the disk is to be read again.
  void rereadRequested();
  void cleaningRequested();
  /// A file of annotations is to be chosen.
  void fileRequested();
  void emptyActionTriggered();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  struct Impl;
  void buildUi();
  void connectSignals();
  void addNamedActions();
  void emitReady();

  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::widgets
