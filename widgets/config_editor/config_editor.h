#pragma once

#include <QList>
#include <QString>
#include <QWidget>
#include <cstdint>
#include <memory>
#include <utility>

#include "engine/config/load.h"
#include "widgets/experiment/derived_facts.h"

namespace lockstep::widgets {

struct DocumentState;
struct OpenFile;

/// The Configure page: a form and the YAML text of one experiment, kept in sync.
///
/// The text is the document. A form edit changes the characters of that one value in the text. An
/// edit of the text is parsed again (150 ms after the last key, off the GUI thread) and updates the
/// form, the issues and the derived facts. There is one undo history, of the text. Nothing here
/// reads or writes the file itself; the loader reads `base:` files.
class ConfigEditor : public QWidget {
  Q_OBJECT

 public:
  explicit ConfigEditor(QWidget* parent = nullptr);
  ~ConfigEditor() override;

  /// Shows a document as saved at `filePath` (paths in it are relative to that folder). Clears the
  /// undo history.
  void setDocument(const QString& text, const QString& filePath);
  /// Shows the empty state again.
  void clear();
  /// Call this after writing text() to `filePath`: the text counts as unmodified, and `filePath`
  /// becomes its path.
  void setSaved(const QString& filePath);

  /// Replaces the text; one undo restores the old one.
  void changeText(const QString& text);
  /// `unsaved`: no file has this text, edited here or not. The header shows that and enables Save.
  void setUnsaved(bool unsaved);
  /// The file on the disk has another text, also if it was not edited here. Likewise.
  void setDiffersFromFile(bool differs);
  /// Lists the open files in the header, of which one is shown.
  void setOpenFiles(const QList<OpenFile>& files, int shown);
  /// Sets a dotted key, as one undoable change of the text, and shows its row.
  void setValue(const QString& key, const QString& yaml);
  /// Commits a value that is still being typed in the form. Call this before the text is saved or
  /// closed.
  void finishTyping();

  QString text() const;
  QString filePath() const;
  bool isModified() const;
  bool hasDocument() const;
  /// Number of errors (without warnings) of the last check, missing data included.
  int errorCount() const;
  /// The first error in one line; empty: no errors.
  QString firstError() const;
  /// The experiment parsed from the last text that is valid YAML, and its issues.
  const config::LoadedExperiment& loaded() const;
  /// Whether form, issues and facts are up to date with the text (for screenshots and tests).
  bool isReady() const;

  /// Marks images and annotations as still being made: missing ones are no errors, and no range
  /// test can start. Returns false if nothing changes.
  bool setDataPending(bool isPending);
  /// For steps ↔ epochs and the facts; 0: not known.
  void setImageCounts(std::int64_t drawsPerEpoch, std::int64_t valImages);
  /// Facts about data and earlier runs, as name and value, among those of the experiment, and the
  /// boxes of the data.
  void setSurvey(const QList<std::pair<QString, QString>>& facts, const KnownObjects& objects);
  /// Shows what the engine said of the text, as of its data and weights, among the issues until it
  /// is edited. Training is not blocked by it: the fault may be mended on the disk.
  void setFound(const QString& messages);
  /// Lists the differences to another run's experiment. An empty name removes the comparison.
  void setComparison(const QString& name, const config::Experiment& experiment);

 public Q_SLOTS:
  /// Puts the cursor on a line (from 1) of the text and shows it.
  void goToLine(int line, int column = 1);
  /// Scrolls to the form row of a dotted key and focuses it.
  void goToKey(const QString& key);
  /// Selects the first error in the text, or shows its form row if no line has it.
  void goToFirstError();
  void undo();
  void redo();
  /// None of its values: only its keys work.
  void focusForm();
  /// A file that the text inherits from has changed.
  void recheck();
  void focusSearch();

 Q_SIGNALS:
  /// The text was changed, by typing or through the form.
  void textEdited();
  void modifiedChanged(bool modified);
  void saveRequested();
  /// After every check.
  void issuesChanged(int errors);
  /// isReady() became true.
  void ready();
  /// The buttons of the empty state were clicked.
  void openRequested();
  void newRequested();
  /// Show another one of the open files; close the shown one.
  void fileChosen(int index);
  void closeRequested();
  /// Find a learning rate with a range test.
  void rangeTestRequested();
  /// Choose a run or a file to compare with.
  void comparisonRequested();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Impl;
  void buildUi();
  void connectSignals();
  void connectText();
  void handleCheck(const std::shared_ptr<const DocumentState>& checked);

  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::widgets
