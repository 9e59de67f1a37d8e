#pragma once

#include <QString>
#include <QTimer>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "widgets/config_editor/config_editor.h"
#include "widgets/experiment/checked_document.h"
#include "widgets/experiment/derived_facts.h"
#include "widgets/jobs/latest_job.h"

class QStackedLayout;
class QTabBar;
class QToolButton;

namespace lockstep::widgets {

class Banner;
class ConfigForm;
class DifferenceTable;
class EditorHeader;
class EmptyState;
class FactsPanel;
class IssueList;
class YamlText;

/// The widgets of the editor and the document that they show.
struct ConfigEditor::Impl {
  using Checked = std::shared_ptr<const DocumentState>;
  explicit Impl(std::function<void(const Checked&)> onChecked);

  QString filePath;
  bool hasDocument = false;
  bool isOpening = false;  ///< the text changes because a document is opened
  bool wasReady = true;
  bool isDataPending = false;
  QString key;  ///< that was last focused in the form, or that the cursor of the text was last in
  ImageCounts images;
  QList<std::pair<QString, QString>> survey;
  KnownObjects objects;
  QString comparisonName;
  config::Experiment comparison;
  CheckedDocument document;
  std::map<QString, CheckedDocument> earlier;  ///< of the open documents, by path, when last shown
  jobs::LatestJob<Checked> check;
  QTimer pause;
  QTimer overdue;  ///< runs while a check does

  QStackedLayout* stack = nullptr;
  EmptyState* empty = nullptr;
  QWidget* page = nullptr;
  EditorHeader* header = nullptr;
  Banner* banner = nullptr;
  ConfigForm* form = nullptr;
  YamlText* text = nullptr;
  IssueList* issues = nullptr;
  QTabBar* lowerTabs = nullptr;
  QToolButton* endComparison = nullptr;
  QStackedLayout* lower = nullptr;
  FactsPanel* facts = nullptr;
  DifferenceTable* difference = nullptr;

  void buildPage();
  QWidget* buildTextSide();
  QWidget* buildLowerSide();
  std::string fileForLoader() const;
  /// With the last valid values of a document that was shown before.
  void open(const QString& path, const QString& wholeText);
  void forgetAllBut(const std::set<QString>& paths);
  void checkNow();
  void reset();
  void showOverdue();
  /// A check has ended.
  void handleAnswer();
  void show(const Checked& checked);
  void showFacts();
  void showDifference(const std::vector<config::ConfigDifference>& differences);
  /// One undoable change of the text; a failure is shown in the banner.
  void change(const std::function<std::string(const std::string&)>& edit);
  void applyFix(int issue);
  /// Removes the key that was last worked on from the text.
  void resetKey();
  void goToIssue(std::size_t issue);
  void useBetterAnchors();
  void updateUndo();
  QString tipAt(std::size_t byte) const;
};

}  // namespace lockstep::widgets
