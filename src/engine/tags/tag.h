// A text's answer from those of its windows: entities, and every token's tag where it is asked for.
#pragma once

#include <span>
#include <string_view>

#include "engine/model.h"
#include "engine/tags/windows.h"
#include "headroom/types.h"

namespace headroom {

// Throws ErrorCode::bad_data for a pair, and for text that is not UTF-8.
TextWindows windows_of(const EngineModel& model, const Text& text);

// `answers` are those of the windows' inputs. The budget and the share of heads are the lowest of
// them, the tokens are those of all windows.
Answer tagged_answer(const Tokenizer& tokenizer, const ModelConfig& config, std::string_view text,
                     const TextWindows& windows, std::span<const Answer> answers,
                     const AnswerOptions& options);

}  // namespace headroom
