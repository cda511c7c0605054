// What every way to ask for answers shares: bodies, what a call may spend, how its answer
// is told in header fields, and refusals.
#pragma once

#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "server/api/router.h"
#include "server/service/backend.h"

namespace headroom::server {

// Throws HttpErrorCode::bad_request; `complaint` names the field and the fact.
[[noreturn]] void bad_field(const std::string& complaint);

// How much one request may ask for.
struct CallLimits {
  int64_t texts = 32;
  // Passages of a query, and windows of long texts.
  int64_t most_inputs() const { return 8 * texts; }
};

// Throws HttpErrorCode::unprocessable for bytes that are not UTF-8, bad_request for what is no JSON
// object, nests deeper than 64, has a key twice or far more values than texts are allowed;
// `more_values` may come besides.
Json parse_body(std::string_view body, const CallLimits& limits, size_t more_values = 0);

// Throws HttpErrorCode::bad_request for a key of `object` that is not `known`: a misspelt "budget"
// must not silently mean the whole one.
void require_known_keys(const Json& object, std::string_view where,
                        const std::vector<std::string_view>& known);

// The text of `value`, which messages call `name`. Throws HttpErrorCode::bad_request.
const std::string& text_value(const Json& value, std::string_view name);

// The model that answers to that name or, when it is empty, the default one. Throws
// HttpErrorCode::not_found, or forbidden when it is not for the request's key.
const ServedModel& find_model(const Backend& backend, const ApiRequest& request,
                              const std::string& name);

// Sets what `call` may spend: a budget is a number from 0 to 1 or "auto". Both keys are optional.
// Throws HttpErrorCode::bad_request for what is no number, unprocessable for one that is out of
// range.
void read_spending(const Json& object, std::string_view budget_key, std::string_view latency_key,
                   Call& call);

// Throws HttpErrorCode::unprocessable unless there is a text and no more than `most`.
void check_text_count(size_t texts, int64_t most);

// Submits and, when the answer is there, replies with what `format` makes of it. `call` gets its
// client and its age from the request; the request's key pays for the answer.
using FormatAnswer = std::function<HttpResponse(const CallAnswer& answer)>;
Abandon submit_call(Backend& backend, Call call, const ApiRequest& request, FormatAnswer format,
                    Reply reply);

HttpResponse refusal_response(const CallRefused& refused, ErrorShape shape);

// Lets `key`, if there is one, pay for what ran of a call, answered or refused: what it cost one
// core alone, by the latency table, whoever else was in its batches.
void charge(KeyHolder* key, const ServedModel& model, const CallOutcome& outcome) noexcept;

// What replies when a call to `model` ends.
CallDone replying(const ApiRequest& request, std::string model, FormatAnswer format, Reply reply);

// Replies that the response could not be made: for lack of memory, or for something of ours.
void reply_failed(const Reply& reply, ErrorShape shape, HttpErrorCode why) noexcept;

// Replies with what `make` returns or, where that throws, with an error: on the service's threads
// there is nobody above to catch it.
template <typename Make>
void reply_with(const Reply& reply, ErrorShape shape, const Make& make) noexcept {
  try {
    reply(make());
  } catch (const std::bad_alloc&) {
    reply_failed(reply, shape, HttpErrorCode::out_of_memory);
  } catch (...) {
    reply_failed(reply, shape, HttpErrorCode::internal);
  }
}

// x-headroom-budget and its siblings. Of several texts: the lowest budget and share of heads, the
// sum of tokens. A budget is that of all rungs together, and may be above 1.
void add_spending_fields(const CallAnswer& answer, HttpResponse& response);

// queue_ms, inference_ms, predicted_ms and total_ms.
void add_times(const CallAnswer& answer, double total_ms, Json& body);

HttpResponse json_response(const Json& body);

}  // namespace headroom::server
