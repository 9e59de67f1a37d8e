#pragma once

#include <QObject>
#include <QString>

#include "app/engines/engine_command.h"

namespace lockstep::app {

/// What `dataset check` says of an experiment's data.
struct DatasetFindings {
  bool isUsable = false;
  int faults = 0, notes = 0;
  int importErrors = 0, importWarnings = 0;  ///< counts of the import before the check
  QString text;                              ///< output of the import and of the check
};

/// Makes an experiment with its data: imports a folder of data or makes scenes, then checks the
/// result. One at a time; destroying it ends it. No method blocks.
class DatasetPreparation : public QObject {
  Q_OBJECT

 public:
  /// `program` empty: lockstep-engine beside this program.
  explicit DatasetPreparation(const QString& program = {}, QObject* parent = nullptr);

  bool isRunning() const { return stage_ != Stage::None; }
  /// `dataset import`; `format` empty: it is found out. `out`: a new folder.
  void import(const QString& source, const QString& out, const QString& format = {});
  /// `dataset shapes`.
  void makeScenes(const QString& out, int train, int val);
  /// `dataset check --fix`: an experiment in the new folder `out` without the faults of this one.
  void clean(const QString& experimentFile, const QString& out);
  /// cancelled() follows, and neither finished() nor failed().
  void cancel();

 Q_SIGNALS:
  /// What is being done, and how far it is.
  void progressed(const QString& stage, const QString& line);
  void finished(const QString& experimentFile, const lockstep::app::DatasetFindings& findings);
  void failed(const QString& reason);
  void cancelled();

 private:
  enum class Stage { None, Making, Checking };
  void start(const QString& title, const QStringList& arguments, const QString& out);
  void handleFinish(int exitStatus, const QString& output, const QString& messages);

  EngineCommand command_;
  Stage stage_ = Stage::None;
  bool isCancelled_ = false;
  QString title_, experiment_, made_;
  int importErrors_ = 0, importWarnings_ = 0;
};

/// From the text that `dataset check` prints.
DatasetFindings findingsOf(const QString& checkText);

}  // namespace lockstep::app
