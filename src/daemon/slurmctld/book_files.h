// SPDX-License-Identifier: Apache-2.0
// The authority's book in a folder that controllers share, fenced as the log is
// (docs/decisions/0023): each epoch of the leadership has a file of its own, "book-0000000007", and
// a leader writes to no other. "book" is that of a controller without standbys.
//
//  (1) A leader reads the newest file after its epoch has begun.
//  (2) save() succeeds only if the epoch was still ours once the file was durable.
// So whatever was said to be saved is in what the successor reads, and what one that is late writes
// is in a file that nobody reads any more.
//
// Thread rule: one thread at a time.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/trust_book.h"

namespace ym {

// That of a book's file by its name: 0 for "book".
std::optional<std::uint64_t> book_epoch(std::string_view name);

class BookFiles {
 public:
  // `epoch` 0: there are no epochs. `confirm`: whether this controller still leads.
  BookFiles(std::string folder, std::uint64_t epoch, std::function<Status()> confirm)
      : folder_(std::move(folder)), epoch_(epoch), confirm_(std::move(confirm)) {}

  // An empty book if there is none.
  Result<TrustBook> read() const;
  // store_errc::kFenced: another leads by now, and the book has not changed.
  Status save(const TrustBook& book);

 private:
  Status remove_others();

  const std::string folder_;
  const std::uint64_t epoch_;
  const std::function<Status()> confirm_;
  bool removed_ = false;
};

}  // namespace ym
