// SPDX-License-Identifier: Apache-2.0
// Instances of the codec; see codec.h.
#include "wire/schema/node_messages.h"

#include "wire/codec_impl.h"

namespace ym::wire {

template void encode_to(std::string&, const NodeReport&);
template Result<NodeReport> decode(std::string_view);
template std::string to_json(const NodeReport&);
template void encode_to(std::string&, const LaunchJob&);
template Result<LaunchJob> decode(std::string_view);
template std::string to_json(const LaunchJob&);
template void encode_to(std::string&, const KillJob&);
template Result<KillJob> decode(std::string_view);
template std::string to_json(const KillJob&);
template void encode_to(std::string&, const SignalJob&);
template Result<SignalJob> decode(std::string_view);
template std::string to_json(const SignalJob&);
template void encode_to(std::string&, const SuspendJob&);
template Result<SuspendJob> decode(std::string_view);
template std::string to_json(const SuspendJob&);
template void encode_to(std::string&, const LimitMemory&);
template Result<LimitMemory> decode(std::string_view);
template std::string to_json(const LimitMemory&);
template void encode_to(std::string&, const ForgetAttempts&);
template Result<ForgetAttempts> decode(std::string_view);
template std::string to_json(const ForgetAttempts&);
template void encode_to(std::string&, const QueryNodes&);
template Result<QueryNodes> decode(std::string_view);
template std::string to_json(const QueryNodes&);
template void encode_to(std::string&, const NodeRows&);
template Result<NodeRows> decode(std::string_view);
template std::string to_json(const NodeRows&);
template void encode_to(std::string&, const NodeRow&);
template Result<NodeRow> decode(std::string_view);
template std::string to_json(const NodeRow&);
template void encode_to(std::string&, const QueryPartitions&);
template Result<QueryPartitions> decode(std::string_view);
template std::string to_json(const QueryPartitions&);
template void encode_to(std::string&, const PartitionRows&);
template Result<PartitionRows> decode(std::string_view);
template std::string to_json(const PartitionRows&);
template void encode_to(std::string&, const PartitionRow&);
template Result<PartitionRow> decode(std::string_view);
template std::string to_json(const PartitionRow&);
template void encode_to(std::string&, const UpdateNodes&);
template Result<UpdateNodes> decode(std::string_view);
template std::string to_json(const UpdateNodes&);
template void encode_to(std::string&, const RebootNodes&);
template Result<RebootNodes> decode(std::string_view);
template std::string to_json(const RebootNodes&);
template void encode_to(std::string&, const RebootNode&);
template Result<RebootNode> decode(std::string_view);
template std::string to_json(const RebootNode&);
template void encode_to(std::string&, const UpdatePartition&);
template Result<UpdatePartition> decode(std::string_view);
template std::string to_json(const UpdatePartition&);
template void encode_to(std::string&, const AttemptReport&);
template Result<AttemptReport> decode(std::string_view);
template std::string to_json(const AttemptReport&);
template void encode_to(std::string&, const NotifyJob&);
template Result<NotifyJob> decode(std::string_view);
template std::string to_json(const NotifyJob&);
template void encode_to(std::string&, const CreateNodes&);
template Result<CreateNodes> decode(std::string_view);
template std::string to_json(const CreateNodes&);
template void encode_to(std::string&, const DeleteNodes&);
template Result<DeleteNodes> decode(std::string_view);
template std::string to_json(const DeleteNodes&);

}  // namespace ym::wire
