#pragma once

#include <QString>
#include <QWidget>
#include <cstdint>
#include <memory>

#include "engine/config/load.h"

namespace lockstep::widgets {

struct DocumentState;

/// The Configure page: a form and the YAML text of one experiment, always in step.
///
/// The text is the truth. A form edit changes the characters of that one value in the text; an edit
/// of the text is loaded again (150 ms after the last key, off the GUI thread) and refreshes form,
/// faults and derived facts. Undo and redo are the text's. Nothing here reads or writes the file
/// itself; `base:` files are read by the loader.
class ConfigEditor : public QWidget {
  Q_OBJECT

 public:
  explicit ConfigEditor(QWidget* parent = nullptr);
  ~ConfigEditor() override;

  /// Shows a document as saved at `filePath` (paths in it are relative to that folder). Undo
  /// history starts anew.
  void setDocument(const QString& text, const QString& filePath);
  /// Shows the empty state again.
  void clear();
  /// To be called once text() was written: the text is no longer modified and stands at `filePath`
  /// from now on.
  void setSaved(const QString& filePath);

  /// Makes the text equal to `text` as one change that undo takes back.
  void changeText(const QString& text);
  /// The text stands in no file, edited here or not: the header says so and offers to save it.
  void setUnsaved(bool unsaved);
  /// Takes over what is being typed in a row of the form. To be called before the text is saved or
  /// left.
  void finishTyping();

  QString text() const;
  QString filePath() const;
  bool isModified() const;
  bool hasDocument() const;
  /// Errors (not warnings) found by the last check; missing data are some.
  int errorCount() const;
  /// The first of them in one line; empty: there is none.
  QString firstError() const;
  /// The typed experiment of the last text that is YAML, and its faults.
  const config::LoadedExperiment& loaded() const;
  /// Whether form, faults and facts show the present text (for screenshots and tests).
  bool isReady() const;

  /// Usable training images and held-out images, for steps ↔ epochs and the facts; 0: not known.
  void setImageCounts(std::int64_t trainImages, std::int64_t valImages);
  /// A finished or running experiment to be compared with: its differences are listed. An empty
  /// name takes it away.
  void setComparison(const QString& name, const config::Experiment& experiment);

 public Q_SLOTS:
  /// Puts the cursor on a line (from 1) of the text and shows it.
  void goToLine(int line, int column = 1);
  /// Shows and focuses the form row of a dotted key.
  void goToKey(const QString& key);
  /// Marks the first error in the text, or shows its form row where no line has it.
  void goToFirstError();
  void undo();
  void redo();
  void focusSearch();

 Q_SIGNALS:
  /// The text was changed, by typing or through the form.
  void textEdited();
  void modifiedChanged(bool modified);
  void saveRequested();
  /// After every check.
  void faultsChanged(int errors);
  /// isReady() became true.
  void ready();
  /// The empty state's action.
  void openRequested();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Parts;
  void buildUi();
  void connectSignals();
  void connectText();
  void takeCheck(const std::shared_ptr<const DocumentState>& checked);

  std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep::widgets
