// SPDX-License-Identifier: Apache-2.0
// What a release has written must be read by those that follow. tests/golden/RELEASE/ has the bytes
// of each message and each event as that release wrote them, and their meaning as JSON.
//
// YM_REWRITE_GOLDEN=1 writes the files of this release that are missing. Files of a release that
// is out are never changed: a new field does not change them, as its default is left out.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/format.h"
#include "model/apply.h"
#include "wire/every_message.h"
#include "wire/golden_fill.h"
#include "wire/schema/backup.h"
#include "wire/schema/control_messages.h"
#include "wire/schema/event_numbers.h"
#include "wire/schema/events.h"
#include "wire/schema/gres.h"
#include "wire/schema/job_messages.h"
#include "wire/schema/launch.h"
#include "wire/schema/model.h"
#include "wire/schema/node.h"
#include "wire/schema/node_messages.h"
#include "wire/schema/preempt_event.h"
#include "wire/schema/queries.h"
#include "wire/schema/reservation.h"
#include "wire/schema/step.h"
#include "wire/schema/step_messages.h"
#include "wire/schema/step_queries.h"
#include "wire/schema/trigger.h"
#include "wire/schema/x11.h"
#include "wire/snapshot.h"

namespace ym::wire {
namespace {

namespace fs = std::filesystem;

constexpr const char* kThisRelease = "0.1";

struct Kind {
  std::string file;  // without its folder
  std::string bytes, meaning;
  // What these bytes say, and the bytes that say so again.
  std::function<Result<std::pair<std::string, std::string>>(std::string_view bytes)> read;
};

template <class T>
Result<std::pair<std::string, std::string>> read_as(std::string_view bytes) {
  auto value = decode<T>(bytes);
  if (!value) return std::unexpected(value.error());
  return std::pair(to_json(*value), encode(*value));
}

template <class T>
Kind entry() {
  T value{};
  fill_fields(value);
  return {.file = fmt::format("message-{:03}.txt", message_number<T>),
          .bytes = encode(value),
          .meaning = to_json(value),
          .read = read_as<T>};
}

template <class... Ts>
std::vector<Kind> entries(MessageList<Ts...>) {
  return {entry<Ts>()...};
}
std::vector<Kind> messages() { return entries(EveryMessage{}); }

template <std::size_t... I>
std::vector<Kind> events_of(std::index_sequence<I...>) {
  auto one = []<std::size_t N>(std::integral_constant<std::size_t, N>) {
    using Body = std::variant_alternative_t<N, EventBody>;
    Body body{};
    fill_fields(body);
    Event event{.seq = Seq{7}, .at = {1'700'000'000'000}, .body = std::move(body)};
    return Kind{.file = fmt::format("event-{:03}.txt", variant_number<Body>),
                .bytes = encode(event),
                .meaning = to_json(event),
                .read = read_as<Event>};
  };
  return {one(std::integral_constant<std::size_t, I>{})...};
}

// All but UnknownEvent, which nobody writes.
std::vector<Kind> events() {
  auto all = events_of(std::make_index_sequence<std::variant_size_v<EventBody>>{});
  std::erase_if(all, [](const Kind& kind) { return kind.file == "event-009.txt"; });
  return all;
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

std::string unhex(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  return out;
}

// The folder of golden files: the test runs somewhere in the source's build.
fs::path golden_folder() {
  if (const char* source = std::getenv("YM_SOURCE")) return fs::path(source) / "tests/golden";
  for (fs::path at = fs::current_path(); at != at.root_path(); at = at.parent_path())
    if (fs::exists(at / "tests/golden")) return at / "tests/golden";
  return "tests/golden";
}

// A file: the bytes in hexadecimal digits, and the meaning.
std::pair<std::string, std::string> load(const fs::path& path) {
  std::ifstream in(path);
  std::string bytes, meaning;
  std::getline(in, bytes);
  std::getline(in, meaning);
  return {unhex(bytes), meaning};
}

void write_missing(const Kind& kind) {
  fs::path path = golden_folder() / kThisRelease / kind.file;
  if (fs::exists(path)) return;
  fs::create_directories(path.parent_path());
  std::ofstream(path) << hex(kind.bytes) << "\n" << kind.meaning << "\n";
}

void check(const std::vector<Kind>& kinds, std::string_view prefix) {
  std::map<std::string, const Kind*> by_number;  // names may change, numbers do not
  auto number_of = [&](const std::string& file) { return file.substr(prefix.size(), 3); };
  for (const Kind& kind : kinds) {
    if (std::getenv("YM_REWRITE_GOLDEN")) write_missing(kind);
    ASSERT_TRUE(by_number.emplace(number_of(kind.file), &kind).second) << kind.file;
    EXPECT_TRUE(fs::exists(golden_folder() / kThisRelease / kind.file))
        << kind.file << ": run wire_test with YM_REWRITE_GOLDEN=1";
  }
  for (const auto& release : fs::directory_iterator(golden_folder())) {
    if (!release.is_directory()) continue;
    for (const auto& file : fs::directory_iterator(release)) {
      std::string name = file.path().filename().string();
      if (!name.starts_with(prefix)) continue;
      auto kind = by_number.find(number_of(name));
      ASSERT_NE(kind, by_number.end()) << file.path() << ": nobody reads it any more";
      auto [bytes, meaning] = load(file.path());
      auto read = kind->second->read(bytes);
      ASSERT_TRUE(read) << file.path() << ": " << read.error().text;
      EXPECT_EQ(read->first, meaning) << file.path();
      EXPECT_EQ(hex(read->second), hex(bytes)) << file.path();
    }
  }
}

TEST(Golden, MessagesOfEveryReleaseMeanWhatTheyMeant) { check(messages(), "message-"); }

TEST(Golden, EventsOfEveryReleaseMeanWhatTheyMeant) { check(events(), "event-"); }

// A job, a node and so on as a snapshot has them.
TEST(Golden, SnapshotsOfEveryReleaseAreRead) {
  auto write = [](const State& state) {
    std::string bytes;
    write_snapshot(state, [&](std::string_view chunk) {
      bytes += chunk;  // a concatenation of chunks is a chunk
      return true;
    });
    return bytes;
  };
  State state;
  state.cluster_name = "emil";
  state.seq = Seq{42};
  state.time = {1'700'000'000'000};
  state.next_job_id = 9;
  Job job{};
  fill_fields(job);
  state.jobs.put(job.id.value, job);
  Node node{};
  fill_fields(node);
  state.nodes.put(node.id.value, node);
  Partition partition{};
  fill_fields(partition);
  state.partitions.put(partition.id.value, partition);
  std::string bytes = write(state);
  Kind kind{.file = "snapshot.txt", .bytes = bytes, .meaning = "", .read = {}};
  if (std::getenv("YM_REWRITE_GOLDEN")) write_missing(kind);
  for (const auto& release : fs::directory_iterator(golden_folder())) {
    fs::path path = release.path() / kind.file;
    ASSERT_TRUE(fs::exists(path)) << path;
    std::string old = load(path).first;
    SnapshotReader reader;
    ASSERT_TRUE(reader.add(old)) << path;
    auto read = reader.finish();
    ASSERT_TRUE(read) << path << ": " << read.error().text;
    EXPECT_EQ(hex(write(*read)), hex(old)) << path;
  }
}

}  // namespace
}  // namespace ym::wire
