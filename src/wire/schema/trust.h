// SPDX-License-Identifier: Apache-2.0
// How certificates are asked for, given and taken back. Numbers only ever get added.
#pragma once
#include "model/trust_messages.h"
#include "model/trust_query.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const RequestCertificate*) {
  f(1, "node", &RequestCertificate::node);
  f(2, "request", &RequestCertificate::request);
}
template <class F>
void fields(F&& f, const CertificateIssued*) {
  f(1, "certificate", &CertificateIssued::certificate);
}
template <class F>
void fields(F&& f, const TrustNews*) {
  f(1, "authority", &TrustNews::authority);
  f(2, "revoked", &TrustNews::revoked);
  f(3, "configured", &TrustNews::configured);
}
template <class F>
void fields(F&&, const JoinCluster*) {}
template <class F>
void fields(F&& f, const Joined*) {
  f(1, "key", &Joined::key);
  f(2, "jwks", &Joined::jwks);
}
template <class F>
void fields(F&& f, const MakeJoinToken*) {
  f(1, "node", &MakeJoinToken::node);
  f(2, "lifespan_s", &MakeJoinToken::lifespan_s);
}
template <class F>
void fields(F&& f, const RevokeCertificate*) {
  f(1, "node", &RevokeCertificate::node);
  f(2, "serial", &RevokeCertificate::serial);
}
template <class F>
void fields(F&&, const QueryCertificates*) {}
template <class F>
void fields(F&&, const QueryTrust*) {}
template <class F>
void fields(F&& f, const CertificateRow*) {
  f(1, "name", &CertificateRow::name);
  f(2, "serial", &CertificateRow::serial);
  f(3, "until", &CertificateRow::until);
  f(4, "revoked", &CertificateRow::revoked);
}
template <class F>
void fields(F&& f, const Certificates*) {
  f(1, "rows", &Certificates::rows);
  f(2, "blocked", &Certificates::blocked);
}

}  // namespace ym::wire
