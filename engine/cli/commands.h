#pragma once

#include "engine/cli/command_line.h"

/// One file per command; each function adds its command and the action behind it.
namespace lockstep::cli {

void addTrainCommand(Command& program);
void addEvaluateCommand(Command& program);
void addPredictCommand(Command& program);
void addInspectCommand(Command& program);
void addCocoEvalCommand(Command& program);
void addConfigCommand(Command& program);
void addDatasetCommand(Command& program);
void addMetricsCommand(Command& program);
void addAdviseCommand(Command& program);
void addRunsCommand(Command& program);
void addDiffCommand(Command& program);
void addPackCommand(Command& program);
void addServeCommand(Command& program);
void addAttachCommand(Command& program);
void addInfoCommand(Command& program);

}  // namespace lockstep::cli
