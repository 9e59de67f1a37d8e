#pragma once

#include <QWidget>
#include <memory>

#include "app/controllers/document_controller.h"
#include "app/controllers/image_counter.h"

namespace lockstep::widgets {
class ConfigEditor;
}

namespace lockstep::app {

/// The Configure page: the editor of one experiment with the document behind it.
class ConfigurePage : public QWidget {
  Q_OBJECT

 public:
  /// `draftFolder`: where unsaved edits are kept; empty: nowhere. `questions` nullptr: dialogs.
  explicit ConfigurePage(const QString& draftFolder = {},
                         std::unique_ptr<DocumentQuestions> questions = nullptr,
                         QWidget* parent = nullptr);
  ~ConfigurePage() override;

  /// Opening asks about unsaved edits first; false: the document stays.
  bool open(const QString& path);
  /// Asks for a file to open.
  void openWithDialog();
  /// A run's configuration as a new experiment that has no file yet; saving asks where.
  bool openCopyOfRun(const QString& runFolder);
  bool openDraft(const QString& id);
  /// False when it was not saved (no file chosen, or refused).
  bool save();
  bool saveAs();
  /// The file that holds what is shown, saved or copied as the person wants it; empty: not now.
  QString fileToTrain();
  /// Whether the document may be left: saved, given up on purpose, or never edited.
  bool closeDocument();
  /// The session ends: keeps unsaved edits for the next start.
  void keepDraft();

  bool hasDocument() const;
  bool isUnsaved() const { return document_.isUnsaved(); }
  /// "droplets.yaml"; empty: no document.
  QString documentName() const;
  /// Empty: Train can be pressed. Else why not.
  QString trainingBlockedBy() const;
  bool isReady() const;
  widgets::ConfigEditor* editor() const { return editor_; }
  DocumentController* document() { return &document_; }

 Q_SIGNALS:
  void readyChanged();
  /// Another file, another name, other faults or a change: what the window says of it may differ.
  void documentChanged();
  void failed(const QString& title, const QString& detail);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void connectEditor();
  void connectDocument();
  void countImages();

  widgets::ConfigEditor* editor_ = nullptr;
  std::unique_ptr<DocumentQuestions> questions_;
  DocumentController document_;
  ImageCounter images_;
};

}  // namespace lockstep::app
