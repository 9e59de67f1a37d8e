#pragma once

#include <QDialog>
#include <QString>
#include <QTimer>
#include <vector>

#include "app/export/export_format.h"

class QComboBox;
class QLabel;
class QLayout;
class QProgressBar;
class QPushButton;

namespace lockstep::widgets {
class MessageText;
}

namespace lockstep::app {

/// Asks what is exported and where to. Saves it itself, and closes once it is written; a failure is
/// told in it, so that nothing has to be chosen again.
class ExportDialog : public QDialog {
  Q_OBJECT

 public:
  /// `chosen`: index of the choice at first. `folder`: where files are put at first.
  ExportDialog(std::vector<Exportable> choices, int chosen, const QString& folder, QWidget* parent);

 Q_SIGNALS:
  /// With the path of the file.
  void saved(const QString& path);

 private:
  void buildUi();
  QLayout* buildButtons();
  void connectSignals();
  void showFormats();
  void showFormat();
  void findNote();
  void showProgress();
  void save();
  void endSave(int asked, const QString& path, const QString& error);
  void copy();
  bool finish(const QString& error);
  void setBusy(bool busy);
  void fitTexts();
  const ExportFormat& format() const;
  const Exportable& choice() const;
  QString askPath();

  std::vector<Exportable> choices_;
  QString folder_;
  int asked_ = 0;          ///< the last of several saves, of which others may still hang
  bool isAsking_ = false;  ///< for the path of the next one
  QString written_;        ///< meanwhile by the last one
  bool isCopying_ = false;
  QComboBox* what_ = nullptr;
  QComboBox* format_ = nullptr;
  QLabel* note_ = nullptr;
  QProgressBar* progress_ = nullptr;  ///< hidden unless something takes long
  QTimer progressTimer_;              ///< runs until that is done
  jobs::Job noteJob_;
  widgets::MessageText* fault_ = nullptr;
  QPushButton* save_ = nullptr;
  QPushButton* copy_ = nullptr;
};

}  // namespace lockstep::app
