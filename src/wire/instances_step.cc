// SPDX-License-Identifier: Apache-2.0
// Instances of the codec; see codec.h.
#include "wire/schema/step_messages.h"

#include "wire/codec_impl.h"

namespace ym::wire {

template void encode_to(std::string&, const CreateStep&);
template Result<CreateStep> decode(std::string_view);
template std::string to_json(const CreateStep&);
template void encode_to(std::string&, const CreateHetStep&);
template Result<CreateHetStep> decode(std::string_view);
template std::string to_json(const CreateHetStep&);
template void encode_to(std::string&, const HetStepCreated&);
template Result<HetStepCreated> decode(std::string_view);
template std::string to_json(const HetStepCreated&);
template void encode_to(std::string&, const StepCreated&);
template Result<StepCreated> decode(std::string_view);
template std::string to_json(const StepCreated&);
template void encode_to(std::string&, const LaunchTasks&);
template Result<LaunchTasks> decode(std::string_view);
template std::string to_json(const LaunchTasks&);
template void encode_to(std::string&, const ResumeStream&);
template Result<ResumeStream> decode(std::string_view);
template std::string to_json(const ResumeStream&);
template void encode_to(std::string&, const TasksStarted&);
template Result<TasksStarted> decode(std::string_view);
template std::string to_json(const TasksStarted&);
template void encode_to(std::string&, const TaskOutput&);
template Result<TaskOutput> decode(std::string_view);
template std::string to_json(const TaskOutput&);
template void encode_to(std::string&, const TaskInput&);
template Result<TaskInput> decode(std::string_view);
template std::string to_json(const TaskInput&);
template void encode_to(std::string&, const TaskEnded&);
template Result<TaskEnded> decode(std::string_view);
template std::string to_json(const TaskEnded&);
template void encode_to(std::string&, const SignalTasks&);
template Result<SignalTasks> decode(std::string_view);
template std::string to_json(const SignalTasks&);
template void encode_to(std::string&, const WindowChanged&);
template Result<WindowChanged> decode(std::string_view);
template std::string to_json(const WindowChanged&);
template void encode_to(std::string&, const StepOver&);
template Result<StepOver> decode(std::string_view);
template std::string to_json(const StepOver&);
template void encode_to(std::string&, const StepCredential&);
template Result<StepCredential> decode(std::string_view);
template std::string to_json(const StepCredential&);

}  // namespace ym::wire
