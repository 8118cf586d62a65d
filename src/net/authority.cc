// SPDX-License-Identifier: Apache-2.0
#include "net/authority.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <ctime>
#include <memory>

#include "base/format.h"
#include "net/key.h"
#include "os/files.h"

namespace ym {
namespace {

constexpr std::size_t kPemMax = 1 << 20;
constexpr Duration kClocksDiffer = std::chrono::hours(24);

struct Free {
  void operator()(EVP_PKEY* one) const { EVP_PKEY_free(one); }
  void operator()(X509* one) const { X509_free(one); }
  void operator()(BIO* one) const { BIO_free(one); }
  void operator()(X509_EXTENSION* one) const { X509_EXTENSION_free(one); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

std::unexpected<Error> broken(std::string_view what) {
  ERR_clear_error();
  return fail(fmt::format("cannot make a certificate: {}", what));
}

Owned<EVP_PKEY> read_key(const std::string& pem) {
  Owned<BIO> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Owned<EVP_PKEY>(PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr));
}

Owned<X509> read_certificate(const std::string& pem) {
  Owned<BIO> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Owned<X509>(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(EVP_PKEY* key) {
  Owned<BIO> out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(out.get());
}

std::string pem_of(X509* certificate) {
  Owned<BIO> out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(out.get(), certificate);
  return text_of(out.get());
}

bool extend(X509* certificate, X509* issuer, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  Owned<X509_EXTENSION> one(X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str()));
  return one && X509_add_ext(certificate, one.get(), -1) == 1;
}

void set_time(ASN1_TIME* to, Instant at) {
  ASN1_TIME_set(to, static_cast<std::time_t>(at.unix_seconds()));
}

struct Wish {
  std::string name;
  Instant from, until;
  bool authority = false;
};

// Signed by `signer`, whose certificate is `issuer`; null: by itself.
Result<TlsIdentity> make(const Wish& wish, X509* issuer, EVP_PKEY* signer) {
  Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  Owned<X509> made(X509_new());
  if (!key || !made) return broken("no memory");
  X509* one = made.get();
  X509_set_version(one, X509_VERSION_3);
  std::uint64_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(one), serial >> 1 | 1);
  set_time(X509_getm_notBefore(one), wish.from);
  set_time(X509_getm_notAfter(one), wish.until);
  X509_set_pubkey(one, key.get());
  const auto* name = reinterpret_cast<const unsigned char*>(wish.name.data());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(one), "CN", MBSTRING_UTF8, name,
                             static_cast<int>(wish.name.size()), -1, 0);
  X509* by = issuer ? issuer : one;
  X509_set_issuer_name(one, X509_get_subject_name(by));
  bool good = extend(one, by, NID_basic_constraints,
                     wish.authority ? "critical,CA:TRUE,pathlen:0" : "critical,CA:FALSE") &&
              extend(one, by, NID_key_usage,
                     wish.authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature");
  if (!wish.authority)
    good = good && extend(one, by, NID_ext_key_usage, "serverAuth,clientAuth") &&
           extend(one, by, NID_subject_alt_name, "DNS:" + wish.name);
  if (!good) return broken("it cannot say what it is for");
  if (X509_sign(one, signer ? signer : key.get(), EVP_sha256()) == 0) return broken("no signature");
  return TlsIdentity{.certificate = pem_of(one), .key = pem_of(key.get())};
}

}  // namespace

Result<Authority> Authority::create(const std::string& cluster, Instant now) {
  // Names in certificates have up to 64 characters.
  auto made = make({.name = "authority of " + cluster.substr(0, 48),
                    .from = now - kClocksDiffer,
                    .until = now + kAuthorityLife,
                    .authority = true},
                   nullptr, nullptr);
  if (!made) return std::unexpected(made.error());
  return Authority(std::move(*made));
}

Result<Authority> Authority::from(TlsIdentity identity) {
  auto key = read_key(identity.key);
  auto certificate = read_certificate(identity.certificate);
  if (!key || !certificate) return broken("the authority's files are damaged");
  if (X509_check_private_key(certificate.get(), key.get()) != 1)
    return broken("the authority's key is not that of its certificate");
  return Authority(std::move(identity));
}

Result<Authority> Authority::load_or_create(const std::string& folder, const std::string& cluster,
                                            Instant now) {
  std::string certificate_path = folder + "/ca_cert.pem", key_path = folder + "/ca_key.pem";
  if (Status made = make_folders(folder, 0700); !made) return std::unexpected(made.error());
  struct stat file;
  if (::stat(key_path.c_str(), &file) == 0) {
    auto key = read_secret(key_path, kPemMax);
    if (!key) return std::unexpected(key.error());
    auto certificate = read_file(certificate_path);
    if (!certificate) return std::unexpected(certificate.error());
    return from({.certificate = std::move(*certificate), .key = std::move(*key)});
  }
  auto authority = create(cluster, now);
  if (!authority) return authority;
  // The key last: where it is, the certificate is.
  if (Status wrote = write_file(certificate_path, authority->certificate()); !wrote)
    return std::unexpected(wrote.error());
  if (Status wrote = write_file(key_path, authority->identity_.key, 0600); !wrote)
    return std::unexpected(wrote.error());
  return authority;
}

Result<TlsIdentity> Authority::issue(const std::string& name, Instant now, Duration life) const {
  auto key = read_key(identity_.key);
  auto certificate = read_certificate(identity_.certificate);
  if (!key || !certificate) return broken("the authority's files are damaged");
  if (name.empty() || name.size() > 64) return broken("its name has more than 64 characters");
  return make({.name = name, .from = now - kClocksDiffer, .until = now + life}, certificate.get(),
              key.get());
}

}  // namespace ym
