#pragma once

#include <QByteArray>

#include "widgets/image_view/shown_results.h"

namespace lockstep::app {

enum class LabelSource {
  Objects,    ///< annotations with a mask, but no crowds, by their place from 1
  Detections  ///< those at the score threshold of classes that are not hidden, by falling score
              ///< from 1
};

/// A PNG of 8 or, with over 255 labels, 16 bits of the shown image. Blocks; any thread; throws
/// Error where a mask is invalid or there are over 65,535.
QByteArray labelPng(const widgets::ShownResults& of, LabelSource source);

}  // namespace lockstep::app
