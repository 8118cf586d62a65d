// SPDX-License-Identifier: Apache-2.0
#include "shepherd/bundle.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "net/json_object.h"

namespace ym {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Past the string that begins at `at`. REQUIRES: well-formed JSON.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at + 1;
}

// Past the value that begins at `at`: a string, something in brackets, or a bare word. REQUIRES:
// well-formed JSON.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  if (text[at] == '"') return end_of_string(text, at);
  if (text[at] != '{' && text[at] != '[') {
    while (at < text.size() && !is_blank(text[at]) && text[at] != ',' && text[at] != '}' &&
           text[at] != ']')
      ++at;
    return at;
  }
  std::size_t depth = 0;
  do {
    if (text[at] == '"') {
      at = end_of_string(text, at);
      continue;
    }
    if (text[at] == '{' || text[at] == '[') ++depth;
    if (text[at] == '}' || text[at] == ']') --depth;
    ++at;
  } while (depth > 0);
  return at;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

// The elements of an array as they stand there; nothing if it is none.
std::vector<std::string_view> elements_of(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t at = skip_blanks(text, 0);
  if (at >= text.size() || text[at] != '[') return out;
  for (at = skip_blanks(text, at + 1); text[at] != ']';) {
    std::size_t end = end_of_value(text, at);
    out.push_back(text.substr(at, end - at));
    at = skip_blanks(text, end);
    if (text[at] == ',') at = skip_blanks(text, at + 1);
  }
  return out;
}

// The text of a JSON string; empty if the value is none. A value alone is no object, so it is asked
// for as the member of one.
std::string string_of(std::string_view value) {
  auto object = JsonObject::parse(fmt::format("{{\"v\":{}}}", value), kBundleConfigMax + 16);
  if (!object) return {};
  const auto* text = std::get_if<std::string>(object->find("v"));
  return text ? *text : std::string();
}

std::vector<std::string> strings_of(std::string_view array) {
  std::vector<std::string> out;
  for (std::string_view one : elements_of(array)) out.push_back(string_of(one));
  return out;
}

bool is_utf8(std::string_view text) {
  return JsonObject::parse(fmt::format("{{\"v\":{}}}", json_quoted(text)), text.size() * 6 + 16)
      .has_value();
}

std::string array_text(const std::vector<std::string>& words) {
  std::string out = "[";
  for (const std::string& word : words) {
    if (out.size() > 1) out += ',';
    out += json_quoted(word);
  }
  return out + "]";
}

// The object that the member is; an empty one if there is none.
Result<JsonMembers> object_in(const JsonMembers& all, std::string_view name) {
  std::string_view text = all.get(name);
  auto object = JsonMembers::parse(text.empty() ? "{}" : text);
  if (!object) return fail(fmt::format("{} is not an object", name));
  return object;
}

std::string absolute_path(std::string_view path, std::string_view bundle) {
  if (path.starts_with('/')) return std::string(path);
  return fmt::format("{}/{}", bundle, path);
}

// Both, each name once; those of config.json count more: whoever made the bundle knows what PATH
// means within it. What is not UTF-8 cannot stand in JSON.
std::vector<std::string> merged_environment(const std::vector<std::string>& own,
                                            const std::vector<std::string>& given) {
  std::map<std::string, std::string> all;
  for (const auto* list : {&own, &given}) {
    for (const std::string& entry : *list) {
      auto equals = entry.find('=');
      if (equals == 0 || equals == entry.npos || !is_utf8(entry)) continue;
      all.emplace(entry.substr(0, equals), entry);
    }
  }
  std::vector<std::string> out;
  for (auto& [name, entry] : all) out.push_back(std::move(entry));
  return out;
}

void add_mount(JsonMembers& config, const BundleChange& change) {
  std::string mount =
      fmt::format(R"({{"destination":{},"type":"bind","source":{},"options":["bind","rw"]}})",
                  json_quoted(change.mount_to), json_quoted(change.mount_from));
  std::string out = "[";
  for (std::string_view one : elements_of(config.get("mounts"))) out += fmt::format("{},", one);
  config.set("mounts", out + mount + "]");
}

}  // namespace

Result<JsonMembers> JsonMembers::parse(std::string_view text) {
  // Strict, and so what follows may trust its form.
  if (!JsonObject::parse(text, kBundleConfigMax)) return fail("not a JSON object");
  JsonMembers out;
  std::size_t at = skip_blanks(text, 0) + 1;
  for (at = skip_blanks(text, at); text[at] != '}';) {
    std::size_t end = end_of_string(text, at);
    std::string name = string_of(text.substr(at, end - at));
    at = skip_blanks(text, skip_blanks(text, end) + 1);
    end = end_of_value(text, at);
    out.members_.emplace_back(std::move(name), text.substr(at, end - at));
    at = skip_blanks(text, end);
    if (text[at] == ',') at = skip_blanks(text, at + 1);
  }
  return out;
}

std::string_view JsonMembers::get(std::string_view name) const {
  for (const auto& [one, text] : members_)
    if (one == name) return text;
  return {};
}

void JsonMembers::set(std::string_view name, std::string text) {
  for (auto& [one, value] : members_) {
    if (one != name) continue;
    value = std::move(text);
    return;
  }
  members_.emplace_back(name, std::move(text));
}

void JsonMembers::remove(std::string_view name) {
  std::erase_if(members_, [&](const auto& one) { return one.first == name; });
}

std::string JsonMembers::str() const {
  std::string out = "{";
  for (const auto& [name, text] : members_) {
    if (out.size() > 1) out += ',';
    out += json_quoted(name) + ":" + text;
  }
  return out + "}";
}

Result<BundleFacts> bundle_facts(std::string_view config, std::string_view bundle) {
  auto all = JsonMembers::parse(config);
  if (!all) return std::unexpected(all.error());
  auto root = object_in(*all, "root");
  if (!root) return std::unexpected(root.error());
  auto process = object_in(*all, "process");
  if (!process) return std::unexpected(process.error());
  std::string path = string_of(root->get("path"));
  if (path.empty()) return fail("root has no path");
  BundleFacts facts{.rootfs = absolute_path(path, bundle),
                    .environment = strings_of(process->get("env"))};
  for (std::string_view one : elements_of(all->get("mounts"))) {
    auto mount = JsonMembers::parse(one);
    if (!mount) return fail("a mount is not an object");
    facts.destinations.push_back(string_of(mount->get("destination")));
    std::vector<std::string> options = strings_of(mount->get("options"));
    bool bind = string_of(mount->get("type")) == "bind" ||
                std::ranges::find(options, "bind") != options.end() ||
                std::ranges::find(options, "rbind") != options.end();
    if (bind) facts.binds.push_back(facts.destinations.back());
  }
  return facts;
}

Result<std::string> change_bundle(std::string_view config, const BundleChange& change) {
  auto facts = bundle_facts(config, change.bundle);
  if (!facts) return std::unexpected(facts.error());
  JsonMembers all = *JsonMembers::parse(config);
  for (const std::string& word : change.arguments)
    if (!is_utf8(word)) return fail("an argument is not UTF-8, which config.json cannot say");
  JsonMembers root = *object_in(all, "root");
  root.set("path", json_quoted(facts->rootfs));
  all.set("root", root.str());

  JsonMembers process = *object_in(all, "process");
  process.set("args", array_text(change.arguments));
  process.set("env", array_text(merged_environment(facts->environment, change.environment)));
  process.set("terminal", change.terminal ? "true" : "false");
  process.remove("commandLine");
  if (!change.cwd.empty() && is_utf8(change.cwd)) process.set("cwd", json_quoted(change.cwd));
  if (process.get("cwd").empty()) process.set("cwd", "\"/\"");
  all.set("process", process.str());

  if (!change.mount_to.empty()) add_mount(all, change);
  if (auto hooks = object_in(all, "hooks"); hooks && !change.disabled_hooks.empty()) {
    for (const std::string& hook : change.disabled_hooks) hooks->remove(hook);
    all.set("hooks", hooks->str());
  }
  return all.str();
}

}  // namespace ym
