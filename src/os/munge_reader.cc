// SPDX-License-Identifier: Apache-2.0
// Apart from munge.cc: static programs must not load libraries.
#include <dlfcn.h>

#include <cstdlib>

#include "base/format.h"
#include "os/munge.h"

namespace ym {
namespace {

constexpr const char* kLibrary = "libmunge.so.2";
// Of libmunge's interface (munge(3), munge_ctx(3)).
constexpr int kSuccess = 0, kSocketOption = 8;

}  // namespace

struct MungeReader::Library {
  std::string socket;
  void* handle = nullptr;
  void* (*create)() = nullptr;
  void (*destroy)(void*) = nullptr;
  int (*set)(void*, int, ...) = nullptr;
  int (*decode)(const char*, void*, void**, int*, uid_t*, gid_t*) = nullptr;
  const char* (*explain)(int) = nullptr;

  ~Library() {
    if (handle) ::dlclose(handle);
  }
  template <class F>
  bool find(const char* name, F& function) {
    function = reinterpret_cast<F>(::dlsym(handle, name));
    return function != nullptr;
  }
};

MungeReader::MungeReader(std::unique_ptr<Library> library) : library_(std::move(library)) {}
MungeReader::MungeReader(MungeReader&&) noexcept = default;
MungeReader::~MungeReader() = default;

Result<MungeReader> MungeReader::open(std::string socket) {
  auto library = std::make_unique<Library>();
  library->socket = std::move(socket);
  library->handle = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library->handle)
    return fail(fmt::format("AuthType=auth/munge needs {} (Debian: libmunge2)", kLibrary));
  bool whole = library->find("munge_ctx_create", library->create) &&
               library->find("munge_ctx_destroy", library->destroy) &&
               library->find("munge_ctx_set", library->set) &&
               library->find("munge_decode", library->decode) &&
               library->find("munge_strerror", library->explain);
  if (!whole) return fail(fmt::format("{} lacks what is needed", kLibrary));
  return MungeReader(std::move(library));
}

Result<MungeClaims> MungeReader::read(const std::string& credential) const {
  const Library& munge = *library_;
  void* context = munge.create();
  if (!context) return fail("munge: no context");
  if (!munge.socket.empty()) munge.set(context, kSocketOption, munge.socket.c_str());
  MungeClaims claims;
  void* payload = nullptr;
  int size = 0;
  int error = munge.decode(credential.c_str(), context, &payload, &size, &claims.uid, &claims.gid);
  if (payload && size > 0)
    claims.payload.assign(static_cast<const char*>(payload), static_cast<std::size_t>(size));
  std::free(payload);
  munge.destroy(context);
  if (error != kSuccess) return fail(fmt::format("munge: {}", munge.explain(error)));
  return claims;
}

}  // namespace ym
