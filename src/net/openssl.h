// SPDX-License-Identifier: Apache-2.0
// Owners of OpenSSL's things, and PEM. For this room's own .cc files only.
#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace ym {

struct OpensslFree {
  void operator()(ASN1_TIME* one) const { ASN1_TIME_free(one); }
  void operator()(BIGNUM* one) const { BN_free(one); }
  void operator()(BIO* one) const { BIO_free(one); }
  void operator()(EVP_PKEY* one) const { EVP_PKEY_free(one); }
  void operator()(SSL* one) const { SSL_free(one); }
  void operator()(SSL_CTX* one) const { SSL_CTX_free(one); }
  void operator()(X509* one) const { X509_free(one); }
  void operator()(X509_EXTENSION* one) const { X509_EXTENSION_free(one); }
  void operator()(X509_REQ* one) const { X509_REQ_free(one); }
};
template <class T>
using Openssl = std::unique_ptr<T, OpensslFree>;

inline Openssl<BIO> bio_of(const std::string& bytes) {
  return Openssl<BIO>(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

// Null if there is none in the text.
inline Openssl<EVP_PKEY> key_of(const std::string& pem) {
  auto text = bio_of(pem);
  return Openssl<EVP_PKEY>(PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr));
}
inline Openssl<X509> x509_of(const std::string& pem) {
  auto text = bio_of(pem);
  return Openssl<X509>(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
}
inline Openssl<X509_REQ> request_of(const std::string& pem) {
  auto text = bio_of(pem);
  return Openssl<X509_REQ>(PEM_read_bio_X509_REQ(text.get(), nullptr, nullptr, nullptr));
}

inline std::string text_of(BIO* bio) {
  char* data = nullptr;
  long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}
inline std::string pem_of(EVP_PKEY* key) {
  Openssl<BIO> out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(out.get());
}
inline std::string pem_of(X509* certificate) {
  Openssl<BIO> out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(out.get(), certificate);
  return text_of(out.get());
}
inline std::string pem_of(X509_REQ* request) {
  Openssl<BIO> out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509_REQ(out.get(), request);
  return text_of(out.get());
}

}  // namespace ym
