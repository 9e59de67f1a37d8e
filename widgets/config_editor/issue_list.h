#pragma once

#include <QTreeWidget>
#include <vector>

#include "widgets/experiment/document_check.h"

namespace lockstep::widgets {

/// Every issue of the document with its position. A click goes there; a button applies the
/// suggested fix.
class IssueList : public QTreeWidget {
  Q_OBJECT

 public:
  explicit IssueList(QWidget* parent = nullptr);

  /// Hides the list if there are none.
  void setIssues(const std::vector<DocumentIssue>& issues);

 Q_SIGNALS:
  void issueChosen(int issue);
  void fixRequested(int issue);
  /// The list had the focus, and has no row left.
  void emptied();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void colorRows();
  void fitHeight();

  std::vector<DocumentIssue> issues_;
};

}  // namespace lockstep::widgets
