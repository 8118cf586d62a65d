// SPDX-License-Identifier: Apache-2.0
#include "net/certificate.h"

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "net/openssl.h"

namespace ym {
namespace {

Result<Instant> instant_of(const ASN1_TIME* time) {
  Openssl<ASN1_TIME> epoch(ASN1_TIME_set(nullptr, 0));
  int days = 0, seconds = 0;
  if (!epoch || ASN1_TIME_diff(&days, &seconds, epoch.get(), time) != 1)
    return fail("the certificate's dates are damaged");
  return Instant::from_unix_seconds(std::int64_t{days} * 86400 + seconds);
}

std::string name_of(const X509* certificate) {
  char name[256];
  int size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name,
                                       sizeof name);
  return size > 0 ? printable({name, static_cast<std::size_t>(size)}) : std::string();
}

}  // namespace

std::string serial_of(const X509* certificate) {
  Openssl<BIGNUM> number(ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr));
  char* text = number ? BN_bn2hex(number.get()) : nullptr;
  std::string out = text ? text : "";
  OPENSSL_free(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  out.erase(0, std::min(out.find_first_not_of('0'), out.size()));
  return out;
}

Result<CertificateFacts> read_certificate(const std::string& pem) {
  if (pem.size() > kPemMax) return fail("the certificate is too long");
  auto certificate = x509_of(pem);
  ERR_clear_error();
  if (!certificate) return fail("the certificate is damaged: no PEM");
  auto from = instant_of(X509_get0_notBefore(certificate.get()));
  auto until = instant_of(X509_get0_notAfter(certificate.get()));
  if (!from || !until) return std::unexpected(from ? until.error() : from.error());
  return CertificateFacts{.name = name_of(certificate.get()),
                          .serial = serial_of(certificate.get()),
                          .from = *from,
                          .until = *until};
}

bool wants_renewal(const CertificateFacts& facts, Instant now) {
  return now < facts.from || (facts.until - now) * 3 <= facts.until - facts.from;
}

Result<CertificateWish> wish_certificate(const std::string& name) {
  if (name.empty() || name.size() > kCertificateNameMax)
    return fail("the name for a certificate must have 1 to 64 characters");
  Openssl<EVP_PKEY> key(EVP_EC_gen("P-256"));
  Openssl<X509_REQ> request(X509_REQ_new());
  if (!key || !request) return fail("cannot ask for a certificate: no memory");
  X509_NAME_add_entry_by_txt(X509_REQ_get_subject_name(request.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.data()),
                             static_cast<int>(name.size()), -1, 0);
  X509_REQ_set_pubkey(request.get(), key.get());
  if (X509_REQ_sign(request.get(), key.get(), EVP_sha256()) == 0) {
    ERR_clear_error();
    return fail("cannot ask for a certificate: no signature");
  }
  return CertificateWish{.request = pem_of(request.get()), .key = pem_of(key.get())};
}

}  // namespace ym
