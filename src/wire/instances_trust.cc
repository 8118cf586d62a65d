// SPDX-License-Identifier: Apache-2.0
#include "model/trust_messages.h"
#include "wire/codec_impl.h"
#include "wire/schema/trust.h"

namespace ym::wire {

template void encode_to(std::string&, const RequestCertificate&);
template Result<RequestCertificate> decode(std::string_view);
template std::string to_json(const RequestCertificate&);
template void encode_to(std::string&, const CertificateIssued&);
template Result<CertificateIssued> decode(std::string_view);
template std::string to_json(const CertificateIssued&);
template void encode_to(std::string&, const TrustNews&);
template Result<TrustNews> decode(std::string_view);
template std::string to_json(const TrustNews&);
template void encode_to(std::string&, const JoinCluster&);
template Result<JoinCluster> decode(std::string_view);
template std::string to_json(const JoinCluster&);
template void encode_to(std::string&, const Joined&);
template Result<Joined> decode(std::string_view);
template std::string to_json(const Joined&);
template void encode_to(std::string&, const MakeJoinToken&);
template Result<MakeJoinToken> decode(std::string_view);
template std::string to_json(const MakeJoinToken&);
template void encode_to(std::string&, const RevokeCertificate&);
template Result<RevokeCertificate> decode(std::string_view);
template std::string to_json(const RevokeCertificate&);
template void encode_to(std::string&, const QueryCertificates&);
template Result<QueryCertificates> decode(std::string_view);
template std::string to_json(const QueryCertificates&);
template void encode_to(std::string&, const Certificates&);
template Result<Certificates> decode(std::string_view);
template std::string to_json(const Certificates&);

}  // namespace ym::wire
