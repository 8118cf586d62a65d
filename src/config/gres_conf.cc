// SPDX-License-Identifier: Apache-2.0
#include "config/gres_conf.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "notation/cpu_list.h"
#include "notation/gres.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

constexpr std::string_view kKeys[] = {"AutoDetect", "Cores",    "Count", "CPUs",
                                      "File",       "Flags",    "Links", "MultipleFiles",
                                      "Name",       "NodeName", "Type"};
constexpr std::string_view kDetectors[] = {"nvidia", "nvml", "nrt", "oneapi", "rsmi", "off"};

struct Flag {
  std::string_view name;
  std::uint32_t bit;
};
constexpr Flag kFlags[] = {
    {"CountOnly", kGresCountOnly},
    {"nvidia_gpu_env", kGresNvidiaEnv},
    {"amd_gpu_env", kGresAmdEnv},
    {"intel_gpu_env", kGresOneapiEnv},
    {"opencl_env", kGresOpenclEnv},
    {"no_gpu_env", kGresNoGpuEnv},
    {"one_sharing", kGresOneSharing},
    {"all_sharing", 0},
    {"explicit", 0},
};

template <class Words>
std::string_view known_word(std::string_view text, const Words& words) {
  for (std::string_view word : words)
    if (same_ignoring_case(word, text)) return word;
  return {};
}

class LineReader {
 public:
  LineReader(const std::vector<std::string_view>& types, Diagnostics& diagnostics)
      : types_(types), diagnostics_(diagnostics) {}

  // False: nothing to be kept, and why was told.
  bool read(const ConfigLine& line, GresLine& out) {
    place_ = line.place;
    good_ = true;
    for (const Assignment& one : line.assignments) set(one, out);
    if (good_) check(out);
    return good_;
  }

 private:
  void set(const Assignment& one, GresLine& out) {
    std::string_view key = known_word(one.key, kKeys);
    GresItem& item = out.item;
    if (key.empty()) return unknown_key(one.key);
    if (key == "NodeName") return set_nodes(one.value, out);
    if (key == "Name") item.name = one.value;
    if (key == "Type") item.type = one.value;
    if (key == "Links") item.links = one.value;
    if (key == "Cores" || key == "CPUs") set_cores(key, one.value, item);
    if (key == "Flags") set_flags(one.value, item);
    if (key == "File" || key == "MultipleFiles") set_files(key, one.value, item);
    if (key == "Count") {
      auto count = parse_gres_count(one.value);
      if (!count) return wrong(key, one.value, "a count such as 4 or 10G");
      item.count = *count;
      out.counted = true;
    }
    if (key == "AutoDetect") {
      std::string_view way = known_word(one.value, kDetectors);
      if (way.empty()) return wrong(key, one.value, "off, nvml, nvidia, rsmi, oneapi or nrt");
      out.autodetect = way;
    }
  }

  void set_nodes(const std::string& value, GresLine& out) {
    auto nodes = Hostlist::parse(value);
    if (!nodes || nodes->empty()) return wrong("NodeName", value, "a list of nodes");
    out.nodes = nodes->str();
  }

  void set_cores(std::string_view key, const std::string& value, GresItem& item) {
    auto cores = parse_cpu_list(value);
    if (!cores) return wrong(key, value, "a list of cores such as 0-3,8");
    item.cores = print_cpu_list(*cores);
  }

  void set_files(std::string_view key, const std::string& value, GresItem& item) {
    auto files = expand_files(value);
    if (!files || files->empty()) return wrong(key, value, "a list of files");
    if (!item.files.empty()) return error("File and MultipleFiles exclude each other");
    item.files = value;
    item.multiple = key == "MultipleFiles";
    for (const std::string& file : *files)
      if (!file.starts_with('/')) return wrong(key, file, "a path that begins with /");
  }

  void set_flags(const std::string& value, GresItem& item) {
    for (std::string_view word : split_words(value, ',')) {
      auto flag = std::ranges::find_if(
          kFlags, [&](const Flag& one) { return same_ignoring_case(one.name, word); });
      if (flag == std::end(kFlags)) return wrong("Flags", word, "a flag of gres.conf");
      item.flags |= flag->bit;
    }
  }

  // What makes no sense together.
  void check(GresLine& out) {
    GresItem& item = out.item;
    if (item.name.empty()) {
      if (out.autodetect.empty()) error("a line needs Name or AutoDetect");
      return;
    }
    if (!valid_gres_name(item.name)) return wrong("Name", item.name, "a name");
    if (!item.type.empty() && !valid_gres_name(item.type))
      return wrong("Type", item.type, "a type");
    if (std::ranges::find(types_, std::string_view(item.name)) == types_.end())
      return unknown_name(item.name);
    auto files = expand_files(item.files);
    std::uint64_t found = item.files.empty() ? 0 : item.multiple ? 1 : files->size();
    bool shared = item.name == "mps" || item.name == "shard";
    if (found > 0 && out.counted && !shared && item.count != found)
      return error(fmt::format("Count is {}, but there are {} files", item.count, found));
    if (!item.links.empty() && found > 1) return error("Links is for a line with one file");
    if (!out.counted) item.count = found > 0 ? found : 1;
  }

  void unknown_key(std::string_view key) {
    std::vector<std::string_view> known(std::begin(kKeys), std::end(kKeys));
    std::string_view meant = nearest(key, known);
    error(fmt::format("unknown key {}{}", printable(key),
                      meant.empty() ? "" : fmt::format(", did you mean {}?", meant)));
  }
  void unknown_name(std::string_view name) {
    std::string_view meant = nearest(name, types_);
    error(fmt::format("Name={} is not in GresTypes of slurm.conf{}", printable(name),
                      meant.empty() ? "" : fmt::format(", did you mean {}?", meant)));
  }
  void wrong(std::string_view key, std::string_view value, std::string_view right) {
    error(fmt::format("{}: '{}' is not {}", key, printable(value), right));
  }
  void error(std::string_view text) {
    diagnostics_.error(place_, text);
    good_ = false;
  }

  const std::vector<std::string_view>& types_;
  Diagnostics& diagnostics_;
  Place place_;
  bool good_ = true;
};

constexpr std::uint32_t kEnvFlags =
    kGresNvidiaEnv | kGresAmdEnv | kGresOneapiEnv | kGresOpenclEnv | kGresNoGpuEnv;

// A line without variables of its own has those of the line before it, if that is about the same.
void inherit_env(std::vector<GresLine>& lines) {
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const GresLine& before = lines[i - 1];
    GresLine& line = lines[i];
    bool same = before.nodes == line.nodes && before.item.name == line.item.name &&
                before.item.type == line.item.type;
    if (same && !(line.item.flags & kEnvFlags)) line.item.flags |= before.item.flags & kEnvFlags;
  }
}

}  // namespace

Result<ParsedGresConfig> parse_gres_conf(const std::string& path, const std::string& types,
                                         const ReadFile& read_file) {
  Diagnostics diagnostics;
  std::vector<std::string> files;
  ParsedGresConfig parsed;
  std::vector<ConfigLine> lines = read_lines(path, read_file, diagnostics, files);
  std::vector<std::string_view> known = split_words(types, ',');
  LineReader reader(known, diagnostics);
  for (const ConfigLine& line : lines) {
    if (diagnostics.full()) break;
    if (parsed.lines.size() >= kGresLinesMax) {
      diagnostics.error(line.place, fmt::format("more than {} lines", kGresLinesMax));
      break;
    }
    GresLine one;
    if (reader.read(line, one)) parsed.lines.push_back(std::move(one));
  }
  if (diagnostics.failed()) return fail(diagnostics.errors());
  inherit_env(parsed.lines);
  parsed.warnings = diagnostics.warnings();
  return parsed;
}

}  // namespace ym
