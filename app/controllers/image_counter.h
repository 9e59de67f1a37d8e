#pragma once

#include <QObject>
#include <QString>

namespace lockstep::app {

/// Counts usable training images and held-out images in the background, for steps and epochs.
class ImageCounter : public QObject {
  Q_OBJECT

 public:
  explicit ImageCounter(QObject* parent = nullptr);

  /// Tells what is known of these files at once, and again when they are counted. The same files
  /// are counted once.
  void count(const QString& trainAnnotations, const QString& valAnnotations);
  bool isCounting() const { return counted_ != counting_; }

 Q_SIGNALS:
  /// 0: not known.
  void counted(qint64 trainImages, qint64 valImages);

 private:
  QString train_, val_;
  qint64 trainImages_ = 0, valImages_ = 0;
  int counting_ = 0, counted_ = 0;  ///< number of the last count begun, and of the last done
};

}  // namespace lockstep::app
