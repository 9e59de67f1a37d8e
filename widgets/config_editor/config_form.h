#pragma once

#include <QWidget>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "widgets/experiment/document_check.h"

class QLabel;
class QLayout;
class QLineEdit;
class QScrollArea;
class QToolButton;

namespace lockstep::widgets {

class FieldRow;
class FoldButton;
class SectionList;

/// A form of every key of the experiment, generated from the field table. It shows a checked
/// document and emits the edits. Each section begins with its common keys; the others are folded
/// until they are asked for, searched for, set in the document or wrong.
class ConfigForm : public QWidget {
  Q_OBJECT

 public:
  explicit ConfigForm(QWidget* parent = nullptr);

  /// `file`: path of the document; a value with another origin is inherited.
  void setState(const DocumentState& state, const QString& file);
  /// Disables the values and shows the reason; empty: enables them.
  void setUnreadable(const QString& reason);
  /// Shows at each of these keys what the experiment `name` has instead (its `right`); the others
  /// do not differ.
  void setDifference(const QString& name, const std::vector<config::ConfigDifference>& differences);
  /// Another document will be shown: folds what only the last one had a reason to show.
  void reset();
  /// Commits a value that is still being typed.
  void finishTyping();
  /// Scrolls to a key and focuses its editor.
  void showKey(const QString& key);
  /// Scrolls to a key, without focus.
  void reveal(const std::string& key);
  /// Shows the help of a key in the help strip, without scrolling.
  void explain(const std::string& key);
  FieldRow* row(const std::string& key) const;
  void focusRows();
  void focusSearch();
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// `yaml`: the value as it is to be written in the text.
  void valueEdited(const QString& key, const QString& yaml);
  void valueRemoved(const QString& key);
  /// This key's editor got the keyboard focus.
  void keyFocused(const QString& key);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Group {
    std::string section;
    QWidget* box = nullptr;
    FoldButton* more = nullptr;  ///< nullptr: all of its keys are common
    std::vector<FieldRow*> rows;
  };
  void buildUi();
  QLayout* buildTop();
  QWidget* buildHelp();
  void buildGroups();
  bool isTabStop(const QWidget* widget) const;
  void chainTabs();
  bool focusFirstRow();
  Group buildGroup(const std::string& section, QWidget* content);
  QLayout* buildHead(Group& group, int folded);
  FieldRow* buildRow(const config::Field& field, QWidget* box);
  void connectSignals();
  void applyFilter();
  void unfoldAll(bool isOpen);
  void noteReasons();
  bool isShown(const Group& group, const FieldRow& row, const QStringList& words) const;
  void showSection(const std::string& section);
  void followScroll();

  QString file_;
  std::vector<Group> groups_;
  std::map<std::string, FieldRow*> rows_;
  QLineEdit* search_ = nullptr;
  QToolButton *allKeys_ = nullptr, *onlyGiven_ = nullptr;
  /// Keys that were set to another value, or wrong, in this document: they stay, so that no row
  /// vanishes while it is edited.
  std::set<std::string> kept_;
  std::map<std::string, std::string> others_;  ///< values of the experiment that is compared
  SectionList* sections_ = nullptr;
  QScrollArea* scroll_ = nullptr;
  QLabel* nothingFound_ = nullptr;
  QLabel* unreadable_ = nullptr;
  QWidget* helpStrip_ = nullptr;
  QLabel* helpKey_ = nullptr;
  QLabel* helpFacts_ = nullptr;
  QLabel* helpText_ = nullptr;
  bool isJumping_ = false;  ///< scrolling because a section was chosen
};

}  // namespace lockstep::widgets
