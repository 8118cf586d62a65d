// SPDX-License-Identifier: Apache-2.0
#include "net/authority.h"

#include <openssl/err.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <memory>

#include "base/format.h"
#include "net/certificate.h"
#include "net/key.h"
#include "net/openssl.h"
#include "os/files.h"

namespace ym {
namespace {

constexpr Duration kClocksDiffer = std::chrono::hours(1);

std::unexpected<Error> broken(std::string_view what) {
  ERR_clear_error();
  return fail(fmt::format("cannot make a certificate: {}", what));
}

bool extend(X509* certificate, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  Openssl<X509_EXTENSION> one(X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
  return one && X509_add_ext(certificate, one.get(), -1) == 1;
}

void set_time(ASN1_TIME* to, Instant at) {
  ASN1_TIME_set(to, static_cast<std::time_t>(at.unix_seconds()));
}

struct Wish {
  std::string name;
  Instant from, until;
  EVP_PKEY* key = nullptr;  // that it is for
};
struct Signer {
  X509* certificate = nullptr;  // null: the wish's own key signs, and it becomes an authority
  EVP_PKEY* key = nullptr;
};

// A name goes into a list of OpenSSL's: it must not bring items of its own.
bool fit_for_a_list(std::string_view name) {
  return std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
}

Result<std::string> make(const Wish& wish, const Signer& signer) {
  Openssl<X509> made(X509_new());
  if (!made || !wish.key) return broken("no memory");
  X509* one = made.get();
  X509_set_version(one, X509_VERSION_3);
  std::uint64_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(one), serial >> 1 | 1);
  set_time(X509_getm_notBefore(one), wish.from);
  set_time(X509_getm_notAfter(one), wish.until);
  X509_set_pubkey(one, wish.key);
  const auto* name = reinterpret_cast<const unsigned char*>(wish.name.data());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(one), "CN", MBSTRING_UTF8, name,
                             static_cast<int>(wish.name.size()), -1, 0);
  bool authority = signer.certificate == nullptr;
  X509* by = authority ? one : signer.certificate;
  X509_set_issuer_name(one, X509_get_subject_name(by));
  bool good = extend(one, by, NID_basic_constraints,
                     authority ? "critical,CA:TRUE,pathlen:0" : "critical,CA:FALSE") &&
              extend(one, by, NID_key_usage,
                     authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature");
  if (!authority)
    good = good && extend(one, by, NID_ext_key_usage, "serverAuth,clientAuth") &&
           extend(one, by, NID_subject_alt_name, "DNS:" + wish.name);
  if (!good) return broken("it cannot say what it is for");
  if (X509_sign(one, authority ? wish.key : signer.key, EVP_sha256()) == 0)
    return broken("no signature");
  return pem_of(one);
}

}  // namespace

namespace {

// What the authority is known by: a certificate that its own key has signed.
Result<std::string> certify(EVP_PKEY* key, const std::string& cluster, Instant now) {
  return make({.name = "authority of " + cluster.substr(0, 48),
               .from = now - kClocksDiffer,
               .until = now + kAuthorityLife,
               .key = key},
              {});
}

// The certificate that is in the folder, made if there is none yet.
Result<std::string> certificate_in(const std::string& path, EVP_PKEY* key,
                                   const std::string& cluster, Instant now) {
  if (auto there = read_file(path, kPemMax)) return there;
  auto made = certify(key, cluster, now);
  if (!made) return made;
  if (Status created = create_file(path, *made, 0644); !created)
    return std::unexpected(created.error());
  return read_file(path, kPemMax);
}

}  // namespace

Result<Authority> Authority::create(const std::string& cluster, Instant now) {
  Openssl<EVP_PKEY> key(EVP_EC_gen("P-256"));
  auto made = certify(key.get(), cluster, now);
  if (!made) return std::unexpected(made.error());
  return Authority({.certificate = std::move(*made), .key = pem_of(key.get())});
}

Result<Authority> Authority::from(TlsIdentity identity) {
  auto key = key_of(identity.key);
  auto certificate = x509_of(identity.certificate);
  if (!key || !certificate) return broken("the authority's files are damaged");
  if (X509_check_private_key(certificate.get(), key.get()) != 1)
    return broken("the authority's key is not that of its certificate");
  return Authority(std::move(identity));
}

Result<Authority> Authority::load_or_create(const std::string& folder, const std::string& cluster,
                                            Instant now) {
  std::string key_path = folder + "/ca_key.pem";
  if (Status made = make_folders(folder, 0700); !made) return std::unexpected(made.error());
  if (::access(key_path.c_str(), F_OK) != 0) {
    Openssl<EVP_PKEY> fresh(EVP_EC_gen("P-256"));
    if (Status created = create_file(key_path, pem_of(fresh.get()), 0600); !created)
      return std::unexpected(created.error());
  }
  auto text = read_secret(key_path, kPemMax);
  if (!text) return std::unexpected(text.error());
  auto key = key_of(*text);
  if (!key) return broken(key_path + " is damaged");
  auto certificate = certificate_in(folder + "/ca_cert.pem", key.get(), cluster, now);
  if (!certificate) return std::unexpected(certificate.error());
  return from({.certificate = std::move(*certificate), .key = std::move(*text)});
}

Result<TlsIdentity> Authority::issue(const std::string& name, Instant now, Duration life) const {
  auto wish = wish_certificate(name);
  if (!wish) return std::unexpected(wish.error());
  auto signed_one = sign(wish->request, name, now, life);
  if (!signed_one) return std::unexpected(signed_one.error());
  return TlsIdentity{.certificate = std::move(*signed_one), .key = std::move(wish->key)};
}

Result<std::string> Authority::sign(const std::string& request, const std::string& name,
                                    Instant now, Duration life) const {
  if (name.empty() || name.size() > kCertificateNameMax)
    return broken("its name has more than 64 characters");
  if (!fit_for_a_list(name)) return broken("its name has characters that no host name has");
  if (request.size() > kPemMax) return broken("the request is too long");
  auto wish = request_of(request);
  if (!wish) return broken("the request is damaged");
  EVP_PKEY* wanted = X509_REQ_get0_pubkey(wish.get());
  if (!wanted || X509_REQ_verify(wish.get(), wanted) != 1)
    return broken("the request is not signed with the key that is in it");
  auto key = key_of(identity_.key);
  auto certificate = x509_of(identity_.certificate);
  if (!key || !certificate) return broken("the authority's files are damaged");
  return make({.name = name,
               .from = now - std::min(kClocksDiffer, life > Duration{0} ? life : kClocksDiffer),
               .until = now + life,
               .key = wanted},
              {.certificate = certificate.get(), .key = key.get()});
}

}  // namespace ym
