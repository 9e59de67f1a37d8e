#pragma once

#include <QObject>
#include <QString>
#include <cstdint>

namespace lockstep::app {

/// Opens and saves experiment files and knows which one is open. Reading and writing are small and
/// done at once.
class ConfigController : public QObject {
  Q_OBJECT

 public:
  explicit ConfigController(QObject* parent = nullptr);

  QString filePath() const { return filePath_; }
  /// `name` of the open experiment, else its file's name.
  QString experimentName() const { return name_; }
  bool open(const QString& path);
  /// Replaces the file as a whole or leaves it untouched.
  bool save(const QString& path, const QString& text);
  /// Counts usable training images and held-out images in the background, for steps and epochs.
  void countImages(const QString& trainAnnotations, const QString& valAnnotations);
  bool isCounting() const { return counted_ != counting_; }

 Q_SIGNALS:
  void opened(const QString& text, const QString& filePath);
  void saved(const QString& filePath);
  void imagesCounted(qint64 trainImages, qint64 valImages);
  void failed(const QString& title, const QString& detail);

 private:
  void setName(const QString& text);

  QString filePath_, name_;
  QString countedTrain_, countedVal_;
  int counting_ = 0, counted_ = 0;  ///< number of the last count begun, and of the last done
};

}  // namespace lockstep::app
