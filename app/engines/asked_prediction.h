#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "app/engines/image_part.h"

namespace lockstep::app {

class EngineLink;

/// What an engine was asked to predict with the checkpoint of a step.
struct AskedPrediction {
  std::optional<qint64> image;  ///< nullopt: all images of the part, or of `files`
  qint64 step = 0;
  ImagePart part = ImagePart::HeldOut;
  QStringList
      files{};  ///< of the images; empty: held-out ones, which the engine knows by their ids
  bool isExplanation = false;  ///< how the predictions of the image come about; with its id all
                               ///< parts are known
  quint64 number = 0;          ///< of the request, by which equal ones are told apart

  /// All images of the part: the run folder keeps the answer.
  bool isOfPart() const { return !image && files.isEmpty(); }
  bool operator==(const AskedPrediction&) const = default;
};

/// Asks for it. Returns the request's id; empty: not connected.
QString sendTo(EngineLink& link, const AskedPrediction& asked);

}  // namespace lockstep::app
