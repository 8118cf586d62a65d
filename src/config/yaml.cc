// SPDX-License-Identifier: Apache-2.0
#include "config/yaml.h"

#include <yaml.h>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

// libyaml's parser and its present event, given back in time.
class Events {
 public:
  Events(const std::string& path, std::string_view text) : path_(path) {
    good_ = yaml_parser_initialize(&parser_) != 0;
    if (good_)
      yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                   text.size());
  }
  ~Events() {
    drop();
    if (good_) yaml_parser_delete(&parser_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  Status next() {
    drop();
    if (!good_) return fail("no memory for the parser");
    if (yaml_parser_parse(&parser_, &event_) == 0)
      return wrong(parser_.problem_mark.line, parser_.problem ? parser_.problem : "cannot be read");
    held_ = true;
    return {};
  }
  const yaml_event_t& event() const { return event_; }
  std::size_t line() const { return event_.start_mark.line + 1; }
  std::unexpected<Error> wrong(std::size_t line, std::string_view what) const {
    return fail(fmt::format("{}:{}: {}", path_, line + 1, what));
  }
  std::unexpected<Error> wrong_here(std::string_view what) const {
    return wrong(event_.start_mark.line, what);
  }

 private:
  void drop() {
    if (held_) yaml_event_delete(&event_);
    held_ = false;
  }

  const std::string& path_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool good_ = false, held_ = false;
};

std::string text_of(const yaml_event_t& event) {
  return {reinterpret_cast<const char*>(event.data.scalar.value), event.data.scalar.length};
}

class Reader {
 public:
  explicit Reader(Events& events) : events_(events) {}

  // REQUIRES: the present event opens the value.
  Result<YamlNode> value(std::uint32_t depth) {
    if (depth > kYamlDepthMax) return events_.wrong_here("too deep");
    if (++count_ > kYamlNodesMax) return events_.wrong_here("too many values");
    YamlNode out{.line = events_.line()};
    switch (events_.event().type) {
      case YAML_SCALAR_EVENT: out.text = text_of(events_.event()); return out;
      case YAML_SEQUENCE_START_EVENT: return list(std::move(out), depth);
      case YAML_MAPPING_START_EVENT: return map(std::move(out), depth);
      case YAML_ALIAS_EVENT: return events_.wrong_here("aliases are not taken");
      default: return events_.wrong_here("a value is missing");
    }
  }

 private:
  Result<YamlNode> list(YamlNode out, std::uint32_t depth) {
    out.kind = YamlNode::Kind::List;
    for (;;) {
      if (Status next = events_.next(); !next) return std::unexpected(next.error());
      if (events_.event().type == YAML_SEQUENCE_END_EVENT) return out;
      auto item = value(depth + 1);
      if (!item) return item;
      out.items.push_back(std::move(*item));
    }
  }

  Result<YamlNode> map(YamlNode out, std::uint32_t depth) {
    out.kind = YamlNode::Kind::Map;
    for (;;) {
      if (Status next = events_.next(); !next) return std::unexpected(next.error());
      if (events_.event().type == YAML_MAPPING_END_EVENT) return out;
      if (events_.event().type != YAML_SCALAR_EVENT) return events_.wrong_here("a key is a word");
      std::string key = text_of(events_.event());
      if (out.find(key)) return events_.wrong_here(printable(key) + " is there twice");
      if (Status next = events_.next(); !next) return std::unexpected(next.error());
      auto held = value(depth + 1);
      if (!held) return held;
      held->key = std::move(key);
      out.items.push_back(std::move(*held));
    }
  }

  Events& events_;
  std::size_t count_ = 0;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view wanted) const {
  if (kind != Kind::Map) return nullptr;
  for (const YamlNode& entry : items)
    if (entry.key == wanted) return &entry;
  return nullptr;
}

Result<YamlNode> parse_yaml(const std::string& path, std::string_view text) {
  Events events(path, text);
  Reader reader(events);
  YamlNode out;
  for (bool begun = false;;) {
    if (Status next = events.next(); !next) return std::unexpected(next.error());
    switch (events.event().type) {
      case YAML_STREAM_START_EVENT:
      case YAML_DOCUMENT_END_EVENT: continue;
      case YAML_STREAM_END_EVENT: return out;
      case YAML_DOCUMENT_START_EVENT:
        if (begun) return events.wrong_here("a second document");
        begun = true;
        continue;
      default: break;
    }
    auto value = reader.value(0);
    if (!value) return value;
    out = std::move(*value);
  }
}

}  // namespace ym
