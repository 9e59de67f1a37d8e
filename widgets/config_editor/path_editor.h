#pragma once

#include <QStringList>
#include <functional>

#include "widgets/config_editor/line_editor.h"
#include "widgets/jobs/latest_job.h"

class QCompleter;
class QStringListModel;
class QToolButton;

namespace lockstep::widgets {

/// A path, with a button to choose one and completion from the disk while it is typed, which
/// nothing waits for. `folder` returns the folder that relative paths start from.
class PathEditor : public LineEditor {
  Q_OBJECT

 public:
  PathEditor(const config::Field& field, std::function<QString()> folder, QWidget* parent);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void buildCompletion();
  void findPaths();
  void offer(const QStringList& paths);
  void colourIcon();
  void browse();

  bool isFolder_;
  std::function<QString()> folder_;
  QToolButton* browse_ = nullptr;
  QCompleter* completer_ = nullptr;
  QStringListModel* paths_ = nullptr;
  jobs::LatestJob<QStringList> search_;
};

}  // namespace lockstep::widgets
