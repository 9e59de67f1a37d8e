#pragma once

#include <QWidget>
#include <map>
#include <string>
#include <vector>

#include "engine/config/fields.h"
#include "widgets/experiment/document_check.h"

class QLabel;
class QLineEdit;
class QScrollArea;
class QToolButton;

namespace lockstep::widgets {

class FieldRow;
class SectionList;

/// Every key of the experiment as a form, made from the field table. Shows a checked document;
/// edits go out as signals.
class ConfigForm : public QWidget {
  Q_OBJECT

 public:
  explicit ConfigForm(QWidget* parent = nullptr);

  /// `file`: the document's own, to tell inherited values by.
  void setState(const DocumentState& state, const QString& file);
  /// Greys the values and says why they cannot be edited; empty: they can.
  void setUnreadable(const QString& why);
  /// Takes over what is being typed in a row.
  void finishTyping();
  /// Scrolls to a key and focuses its editor.
  void showKey(const QString& key);
  /// Scrolls to a key, without focus.
  void reveal(const std::string& key);
  /// Tells in the help strip what a key is, without moving.
  void explain(const std::string& key);
  FieldRow* row(const std::string& key) const;
  void focusSearch();
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// `yaml`: the value as it shall stand in the text.
  void valueEdited(const QString& key, const QString& yaml);
  void valueRemoved(const QString& key);
  /// The person went to this key's editor.
  void keyFocused(const QString& key);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Group {
    std::string section;
    QWidget* box = nullptr;
    std::vector<FieldRow*> rows;
  };
  void buildUi();
  QWidget* buildHelp();
  void buildGroups();
  Group buildGroup(const std::string& section, QWidget* content);
  FieldRow* buildRow(const config::Field& field, QWidget* box);
  void connectSignals();
  void applyFilter();
  void showSection(const std::string& section);
  void followScroll();

  QString file_;
  std::vector<Group> groups_;
  std::map<std::string, FieldRow*> rows_;
  QLineEdit* search_ = nullptr;
  QToolButton* onlyGiven_ = nullptr;
  SectionList* sections_ = nullptr;
  QScrollArea* scroll_ = nullptr;
  QLabel* nothingFound_ = nullptr;
  QLabel* unreadable_ = nullptr;
  QLabel* helpKey_ = nullptr;
  QLabel* helpFacts_ = nullptr;
  QLabel* helpText_ = nullptr;
  bool isJumping_ = false;  ///< the scroll position changes because a section was chosen
};

}  // namespace lockstep::widgets
