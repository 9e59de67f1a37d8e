#pragma once

#include <QWidget>

#include "app/controllers/config_controller.h"

namespace lockstep::widgets {
class ConfigEditor;
}

namespace lockstep::app {

/// The Configure page: the editor of one experiment with the file behind it.
class ConfigurePage : public QWidget {
  Q_OBJECT

 public:
  explicit ConfigurePage(QWidget* parent = nullptr);

  bool open(const QString& path);
  /// Asks for a file to open.
  void openWithDialog();
  /// A run's configuration as a new experiment that has no file yet; saving asks where.
  void openCopyOfRun(const QString& runFolder);
  /// False when it was not saved (no file chosen, or refused).
  bool save();
  /// Saves what is edited; the file then, or empty when it cannot be trained from.
  QString saveForTraining();
  bool hasDocument() const;
  QString experimentName() const;
  QString filePath() const;
  /// Empty: Train can be pressed. Else why not.
  QString trainingBlockedBy() const;
  bool isReady() const;
  widgets::ConfigEditor* editor() const { return editor_; }

 Q_SIGNALS:
  void readyChanged();
  /// Another file, another name, other faults or a change: what the window says of it may differ.
  void documentChanged();
  void failed(const QString& title, const QString& detail);

 private:
  void connectSignals();
  void countImages();

  widgets::ConfigEditor* editor_ = nullptr;
  ConfigController controller_;
  bool isCopy_ = false;  ///< of a run: it must not be saved over the run's own record
};

}  // namespace lockstep::app
