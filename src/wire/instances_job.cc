// SPDX-License-Identifier: Apache-2.0
// Instances of the codec; see codec.h.
#include "wire/schema/job_messages.h"

#include "wire/codec_impl.h"

namespace ym::wire {

template void encode_to(std::string&, const SubmitJob&);
template Result<SubmitJob> decode(std::string_view);
template std::string to_json(const SubmitJob&);
template void encode_to(std::string&, const SubmitAnswer&);
template Result<SubmitAnswer> decode(std::string_view);
template std::string to_json(const SubmitAnswer&);
template void encode_to(std::string&, const AlterJobs&);
template Result<AlterJobs> decode(std::string_view);
template std::string to_json(const AlterJobs&);
template void encode_to(std::string&, const AlterAnswer&);
template Result<AlterAnswer> decode(std::string_view);
template std::string to_json(const AlterAnswer&);
template void encode_to(std::string&, const QueryJobs&);
template Result<QueryJobs> decode(std::string_view);
template std::string to_json(const QueryJobs&);
template void encode_to(std::string&, const JobRow&);
template Result<JobRow> decode(std::string_view);
template std::string to_json(const JobRow&);
template void encode_to(std::string&, const JobRows&);
template Result<JobRows> decode(std::string_view);
template std::string to_json(const JobRows&);
template void encode_to(std::string&, const WatchJob&);
template Result<WatchJob> decode(std::string_view);
template std::string to_json(const WatchJob&);
template void encode_to(std::string&, const GetScript&);
template Result<GetScript> decode(std::string_view);
template std::string to_json(const GetScript&);
template void encode_to(std::string&, const Script&);
template Result<Script> decode(std::string_view);
template std::string to_json(const Script&);
template void encode_to(std::string&, const QueryExplanation&);
template Result<QueryExplanation> decode(std::string_view);
template std::string to_json(const QueryExplanation&);
template void encode_to(std::string&, const Explanation&);
template Result<Explanation> decode(std::string_view);
template std::string to_json(const Explanation&);

}  // namespace ym::wire
