// SPDX-License-Identifier: Apache-2.0
// Instances of the codec; see codec.h.
#include "wire/schema/step_queries.h"

#include "wire/codec_impl.h"

namespace ym::wire {

template void encode_to(std::string&, const StepFence&);
template Result<StepFence> decode(std::string_view);
template std::string to_json(const StepFence&);
template void encode_to(std::string&, const StepAbort&);
template Result<StepAbort> decode(std::string_view);
template std::string to_json(const StepAbort&);
template void encode_to(std::string&, const AttachStep&);
template Result<AttachStep> decode(std::string_view);
template std::string to_json(const AttachStep&);
template void encode_to(std::string&, const StepAttached&);
template Result<StepAttached> decode(std::string_view);
template std::string to_json(const StepAttached&);
template void encode_to(std::string&, const NodeOutcomes&);
template Result<NodeOutcomes> decode(std::string_view);
template std::string to_json(const NodeOutcomes&);
template void encode_to(std::string&, const QuerySteps&);
template Result<QuerySteps> decode(std::string_view);
template std::string to_json(const QuerySteps&);
template void encode_to(std::string&, const StepRows&);
template Result<StepRows> decode(std::string_view);
template std::string to_json(const StepRows&);
template void encode_to(std::string&, const QueryStepsHere&);
template Result<QueryStepsHere> decode(std::string_view);
template std::string to_json(const QueryStepsHere&);
template void encode_to(std::string&, const StepsHere&);
template Result<StepsHere> decode(std::string_view);
template std::string to_json(const StepsHere&);
template void encode_to(std::string&, const GetJobCredential&);
template Result<GetJobCredential> decode(std::string_view);
template std::string to_json(const GetJobCredential&);
template void encode_to(std::string&, const BcastChunk&);
template Result<BcastChunk> decode(std::string_view);
template std::string to_json(const BcastChunk&);
template void encode_to(std::string&, const SignalStep&);
template Result<SignalStep> decode(std::string_view);
template std::string to_json(const SignalStep&);
template void encode_to(std::string&, const TreeOrder&);
template Result<TreeOrder> decode(std::string_view);
template std::string to_json(const TreeOrder&);
template void encode_to(std::string&, const TreeAnswers&);
template Result<TreeAnswers> decode(std::string_view);
template std::string to_json(const TreeAnswers&);
template void encode_to(std::string&, const UpdateStep&);
template Result<UpdateStep> decode(std::string_view);
template std::string to_json(const UpdateStep&);

}  // namespace ym::wire
