// SPDX-License-Identifier: Apache-2.0
#include "cli/sbcast/broadcast.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "base/crc32c.h"
#include "base/format.h"
#include "base/text.h"
#include "bcast/bcast_tree.h"
#include "bcast/compress.h"
#include "cli/common/world.h"
#include "cli/sbcast/libraries.h"
#include "os/files.h"

namespace ym::cli {
namespace {

Instant to_instant(const timespec& at) {
  return {static_cast<std::int64_t>(at.tv_sec) * 1000 + at.tv_nsec / 1'000'000};
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string own_folder() {
  char* here = ::getcwd(nullptr, 0);
  std::string folder = here ? here : "/";
  ::free(here);
  return folder;
}

// The file, piece by piece.
class Source {
 public:
  static Result<Source> open(const BroadcastWish& wish) {
    Source source;
    source.wish_ = &wish;
    source.fd_ = Fd(::open(wish.source.c_str(), O_RDONLY | O_CLOEXEC));
    if (!source.fd_ || ::fstat(source.fd_.get(), &source.about_) != 0)
      return fail(errno_text(wish.source));
    if (!S_ISREG(source.about_.st_mode))
      return fail(fmt::format("{}: not an ordinary file", wish.source));
    return source;
  }
  Result<BcastChunk> next() {
    BcastChunk piece{.path = wish_->destination, .mode = about_.st_mode & 0777u};
    piece.preserve = wish_->preserve;
    piece.force = wish_->force;
    piece.modified = to_instant(about_.st_mtim);
    piece.accessed = to_instant(about_.st_atim);
    piece.file_size = static_cast<std::uint64_t>(about_.st_size);
    piece.offset = at_;
    std::string raw(std::min(wish_->piece, piece.file_size - at_), '\0');
    for (std::size_t have = 0; have < raw.size();) {
      ssize_t got =
          ::pread(fd_.get(), raw.data() + have, raw.size() - have, static_cast<off_t>(at_ + have));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(errno_text(wish_->source));
      if (got == 0) return fail(fmt::format("{}: became shorter meanwhile", wish_->source));
      have += static_cast<std::size_t>(got);
    }
    at_ += raw.size();
    piece.last = at_ == piece.file_size;
    piece.checksum = crc32c(raw);
    if (wish_->compress) piece.data = compress(raw);
    if (piece.data.empty())
      piece.data = std::move(raw);
    else
      piece.raw_size = raw.size();
    return piece;
  }

 private:
  const BroadcastWish* wish_ = nullptr;
  Fd fd_;
  struct stat about_{};
  std::uint64_t at_ = 0;
};

using Outcomes = std::map<std::string, std::string>;

// One pass over the file, to these nodes.
Result<Outcomes> send_file(Controller& controller, const StepCreated& job,
                           const BroadcastWish& wish, std::vector<NodeAddress> nodes,
                           std::uint32_t width) {
  auto source = Source::open(wish);
  if (!source) return std::unexpected(source.error());
  BcastTree tree([&controller](const NodeAddress& node) { return controller.connect_node(node); },
                 wish.patience);
  for (bool first = true;; first = false) {
    auto piece = source->next();
    if (!piece) return std::unexpected(piece.error());
    if (first) {
      piece->credential = job.credential;
      piece->signature = job.signature;
      piece->work_dir = own_folder();
      piece->forward = std::move(nodes);
      piece->tree_width = width;
      tree.start(*piece);
    } else {
      tree.pass_on(*piece);
    }
    const Outcomes& outcomes = tree.collect();
    bool hopeless =
        std::ranges::all_of(outcomes, [](const auto& one) { return !one.second.empty(); });
    if (piece->last || hopeless) return outcomes;
  }
}

}  // namespace

Result<std::vector<NodeOutcome>> broadcast(Controller& controller, const StepCreated& job,
                                           const BroadcastWish& wish) {
  std::uint32_t width = wish.fanout ? wish.fanout : controller.config().tree_width;
  auto outcomes = send_file(controller, job, wish, job.nodes, width);
  if (!outcomes) return std::unexpected(outcomes.error());
  // The tree is for speed; whoever it did not reach is asked directly.
  std::vector<NodeAddress> missed;
  for (const NodeAddress& node : job.nodes) {
    auto found = outcomes->find(node.name);
    if (found == outcomes->end() || found->second.starts_with(kNoWay)) missed.push_back(node);
  }
  if (!missed.empty() && job.nodes.size() > width) {
    auto again =
        send_file(controller, job, wish, missed, static_cast<std::uint32_t>(missed.size()));
    if (!again) return std::unexpected(again.error());
    for (auto& [node, error] : *again) (*outcomes)[node] = error;
  }
  std::vector<NodeOutcome> failed;
  for (const NodeAddress& node : job.nodes) {
    auto found = outcomes->find(node.name);
    std::string error = found == outcomes->end() ? "no answer" : found->second;
    if (!error.empty()) failed.push_back({.node = node.name, .error = std::move(error)});
  }
  return failed;
}

Result<std::vector<NodeOutcome>> broadcast_with_libraries(
    Controller& controller, const StepCreated& job, const BroadcastWish& wish,
    const std::vector<std::string>& exclusions) {
  auto libraries = libraries_of(wish.source, exclusions);
  if (!libraries) return std::unexpected(libraries.error());
  auto failed = broadcast(controller, job, wish);
  if (!failed || !failed->empty()) return failed;
  for (const std::string& library : *libraries) {
    BroadcastWish one = wish;
    one.source = library;
    one.destination = fmt::format("{}_libs/{}", wish.destination, base_name(library));
    failed = broadcast(controller, job, one);
    if (!failed || !failed->empty()) return failed;
  }
  return failed;
}

std::optional<std::string> bcast_parameter(std::string_view parameters, std::string_view name) {
  for (std::string_view word : split_words(parameters, ',')) {
    auto equals = word.find('=');
    if (!same_ignoring_case(word.substr(0, equals), name)) continue;
    return equals == std::string_view::npos ? std::string() : std::string(word.substr(equals + 1));
  }
  return std::nullopt;
}

std::string destination_of(const std::string& source, const std::string& given,
                           std::string_view parameters) {
  std::string name = given;
  if (auto folder = bcast_parameter(parameters, "DestDir");
      folder && !folder->empty() && !given.starts_with('/'))
    name = fmt::format("{}/{}", *folder, given);
  if (name.empty() || name.ends_with('/')) name += base_name(source);
  return name;
}

Result<bool> parse_compression(std::string_view text) {
  if (text.empty() || same_ignoring_case(text, "lz4")) return true;
  if (same_ignoring_case(text, "none")) return false;
  return fail("no such compression: lz4 or none");
}

Result<std::uint64_t> parse_piece(std::string_view text) {
  std::uint64_t unit = 1;
  if (!text.empty() && (lower(text.back()) == 'k' || lower(text.back()) == 'm')) {
    unit = lower(text.back()) == 'k' ? 1u << 10 : 1u << 20;
    text.remove_suffix(1);
  }
  auto number = parse_u64(text);
  if (!number || *number == 0 || *number > kPieceMax / unit)
    return fail(fmt::format("not a size between 1 and {}m", kPieceMax >> 20));
  return *number * unit;
}

}  // namespace ym::cli
