# SPDX-License-Identifier: Apache-2.0
"""Plants each breach in a small tree and sees tidy refuse it, and nothing else."""
import subprocess
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("tidy")
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


def load():
    spec = spec_from_loader("tidy", SourceFileLoader("tidy", str(SCRIPT)))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tidy = load()


class Tree:
    """A source tree that tidy likes, to be spoilt by the test."""

    def __init__(self, root):
        self.root = root
        self.write("CMakeLists.txt", "ym_room(base)\nym_room(model   LINKS base)\n"
                   "ym_room(schedule LINKS base model)\nym_room(os LINKS base)\n"
                   "ym_room(store LINKS base os)\nym_room(net LINKS base os)\n"
                   "ym_room(cli LINKS base model net os)\n"
                   "ym_room(daemon LINKS base model schedule os store net)\n"
                   "ym_room(sim LINKS base model schedule os daemon)\n")
        self.write("cmake/programs.cmake",
                   "ym_program(yardmaster MAIN daemon/yardmaster/main.cc LINKS daemon cli)\n")
        self.header("src/model/job.h", "struct Job {\n  int id = 0;\n};\n")
        self.source("src/model/job_test.cc", '#include "model/job.h"\n')
        for name in ("exceptions", "threads", "baseline"):
            self.write(f"tools/tidy.{name}", "# nothing yet\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def header(self, path, text):
        self.write(path, SPDX + "#pragma once\n" + text)

    def source(self, path, text):
        self.write(path, SPDX + text)

    def refused(self):
        """The rules broken, as path:rule."""
        return [f"{path}:{rule}" for path, _, rule, _ in tidy.Tidy(self.root).check()]


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def test_a_clean_tree_is_left_in_peace(tree):
    assert tree.refused() == []


@pytest.mark.parametrize("rule, line", [
    ("clock", "auto now = std::chrono::system_clock::now();"),
    ("clock", "long now() { return time(nullptr); }"),
    ("clock", "void f(timespec* t) { clock_gettime(0, t); }"),
    ("random", "int f() { return std::random_device{}(); }"),
    ("random", "int f() { return rand(); }"),
    ("thread", "#include <thread>"),
    ("thread", "void f() { std::jthread t; }"),
    ("mutex", "#include <mutex>"),
    ("mutex", "struct S { std::shared_mutex m; };"),
    ("atomic", "struct S { std::atomic<int> n; };"),
    ("file", "void f() { std::ofstream out(path); }"),
    ("file", "#include <unistd.h>"),
    ("file", "void f() { fopen(path, mode); }"),
    ("socket", "#include <netinet/in.h>"),
    ("socket", "int f() { return ::socket(1, 2, 3); }"),
    ("getenv", "const char* f() { return std::getenv(name); }"),
    ("stream", "#include <sstream>"),
    ("stream", "void f() { std::cerr << 1; }"),
    ("print", "void f() { std::printf(text); }"),
    ("print", "void f() { fmt::print(text); }"),
    ("print", "void f() { log_info(text); }"),
    ("unordered", "struct S { std::unordered_map<int, int> m; };"),
    ("pointer-key", "struct S { std::map<const Job*, int> m; };"),
    ("shared_ptr", "struct S { std::shared_ptr<int> p; };"),
    ("new", "int* f() { return new int; }"),
    ("mutable-static", "int next() {\n  static int n = 0;\n  return ++n;\n}"),
    ("mutable-static", "inline std::vector<int> cache;"),
    ("mutable-static", "static std::string name{text};"),
    ("mutable-static", "namespace ym {\nint counter = 0;\n}"),
    ("mutable-static", "namespace ym {\nint counter = first();\n}"),
    ("mutable-static", "namespace ym {\nstd::vector<int> table{1, 2};\n}"),
])
def test_pure_rooms_are_kept_pure(tree, rule, line):
    tree.header("src/model/node.h", line + "\n")
    assert f"src/model/node.h:{rule}" in tree.refused()


@pytest.mark.parametrize("text", [
    '// Waits for no mutex, and time(nullptr) is not called.\n',
    'const char* kText = "std::mutex new getenv printf(";\n',
    "constexpr int kMany = 1'000'000;\nconstexpr char kQuote = '\"';\n",
    "static constexpr int kLimit = 3;\nstatic const int kOther = 4;\ninline constexpr int kX{5};\n",
    "struct S {\n  S(const S&) = delete;\n  static int count();\n  std::string renew;\n};\n",
    "inline int twice(int x) { return 2 * x; }\nstatic int helper(int x);\n",
    "namespace ym {\nusing A = int;\nenum class E { A, B };\nstruct F;\nextern const int kE;\n}\n",
    "std::string print_time(int time_limit);\nvoid f() { out.time(limit); snprintf(b, n, f); }\n",
])
def test_innocent_lines_pass(tree, text):
    tree.header("src/model/node.h", text)
    assert tree.refused() == []


def test_tests_of_pure_rooms_may_use_streams_but_no_clock(tree):
    tree.source("src/model/a_test.cc", "#include <sstream>\n#include <thread>\n")
    assert tree.refused() == []
    tree.source("src/model/a_test.cc", "auto t = std::chrono::steady_clock::now();\n")
    assert tree.refused() == ["src/model/a_test.cc:clock"]


@pytest.mark.parametrize("path, included, verdict", [
    ("src/model/x.h", "base/text.h", True),
    ("src/base/x.h", "model/job.h", False),
    ("src/cli/squeue/x.h", "schedule/plan.h", False),
    ("src/cli/squeue/x.h", "store/journal.h", False),
    ("src/daemon/x.h", "cli/options.h", False),
    ("src/daemon/yardmaster/main.cc", "cli/options.h", True),
    ("src/daemon/slurmd/main.cc", "cli/options.h", False),
    ("src/daemon/x.h", "sim/world.h", False),
    ("src/sim/x.h", "daemon/driver/loop.h", True),
    ("src/sim/x.h", "daemon/slurmctld/server.h", False),
    ("src/model/x.h", "job.h", False),
    ("src/model/x.h", "../base/text.h", False),
])
def test_rooms_include_what_the_table_allows(tree, path, included, verdict):
    (tree.header if path.endswith(".h") else tree.source)(path, f'#include "{included}"\n')
    assert tree.refused() == ([] if verdict else [f"{path}:include"])


@pytest.mark.parametrize("path, verdict", [
    ("src/net/loop.cc", True), ("src/net/loop.h", False), ("src/daemon/main.cc", False)])
def test_asio_stays_behind_the_doors_of_net(tree, path, verdict):
    tree.write(path, SPDX + "#pragma once\n#include <boost/asio/io_context.hpp>\n")
    assert tree.refused() == ([] if verdict else [f"{path}:asio"])


def test_only_one_file_reads_the_clock(tree):
    line = "long f() { return std::chrono::system_clock::now().time_since_epoch().count(); }\n"
    tree.source("src/os/clock_real.cc", line)
    assert tree.refused() == []
    tree.source("src/net/timer.cc", line)
    assert tree.refused() == ["src/net/timer.cc:clock"]


def test_entropy_comes_from_os(tree):
    tree.source("src/os/entropy.cc", "void f() { getrandom(b, 8, 0); }\n")
    assert tree.refused() == []
    tree.source("src/net/key.cc", "void f() { getrandom(b, 8, 0); }\n")
    assert tree.refused() == ["src/net/key.cc:random"]


def test_threads_start_only_in_listed_files(tree):
    tree.source("src/store/writer.cc", "void f() { std::jthread worker(g); }\n")
    assert tree.refused() == ["src/store/writer.cc:thread"]
    tree.write("tools/tidy.threads", "src/store/writer.cc\n")
    assert tree.refused() == []
    tree.source("src/store/writer.cc", "void f() { std::this_thread::yield(); }\n")
    assert tree.refused() == ["tools/tidy.threads:thread"]


def test_an_exception_needs_a_reason_and_a_use(tree):
    tree.header("src/base/ref.h", "struct Ref { std::atomic<int> n; };\n")
    tree.write("tools/tidy.exceptions", "src/base/ref.h atomic  # counted handles\n")
    assert tree.refused() == []
    tree.write("tools/tidy.exceptions", "src/base/ref.h atomic\n")
    assert tree.refused() == ["tools/tidy.exceptions:exceptions"]
    tree.write("tools/tidy.exceptions", "src/base/ref.h atomic new  # counted handles\n")
    assert tree.refused() == ["tools/tidy.exceptions:exceptions"]


def body(lines):
    return "".join(f"  f({n});\n" for n in range(lines))


@pytest.mark.parametrize("before, head, after", [
    ("", "void f() {\n", ""),
    ("", "TEST(Story, Told) {\n", ""),
    ("", "Foo::Foo() : a_{1}, b_(2), c_{3} {\n", ""),
    ("int kNothing{};\n", "auto f(int x)\n    -> int {\n", ""),
    ("", "template <class T>\nauto Foo<T>::g(T x) const -> int {\n", ""),
    ("namespace ym {\nnamespace {\n", "void f() {\n", "}\n}\n"),
    ("class Foo : Base {\n public:\n", "  int g() const {\n", "};\n"),
    ("", "bool operator==(const A& a, const A& b) {\n", ""),
])
def test_functions_are_short(tree, before, head, after):
    lines = 70 - head.count("\n") - 1
    tree.source("src/os/a.cc", before + head + body(lines) + "}\n" + after)
    assert tree.refused() == []
    tree.source("src/os/a.cc", before + head + body(lines + 1) + "}\n" + after)
    assert tree.refused() == ["src/os/a.cc:function"]


def test_many_short_functions_are_no_long_one(tree):
    short = "".join(f"  int f{n}(int x = {{}}) {{\n    return x;\n  }}\n" for n in range(60))
    tree.source("src/os/a.cc", "namespace ym {\nstruct S {\n" + short + "};\n}\n")
    assert tree.refused() == []


@pytest.mark.parametrize("path, lines", [
    ("src/os/a.cc", 800), ("src/os/a.h", 300), ("src/os/a_test.cc", 800), ("tests/a.py", 800)])
def test_files_are_short(tree, path, lines):
    head = SPDX if not path.endswith(".py") else "# " + SPDX[3:]
    head += "#pragma once\n"
    tree.write(path, head + "\n" * (lines - 2))
    assert tree.refused() == []
    tree.write(path, head + "\n" * (lines - 1))
    assert tree.refused() == [f"{path}:file"]


def test_the_baseline_only_falls(tree):
    tree.header("src/os/a.h", "\n" * 400)
    assert tree.refused() == ["src/os/a.h:file"]
    tree.write("tools/tidy.baseline", "# head\nfile src/os/a.h 402\n")
    assert tree.refused() == []
    tree.header("src/os/a.h", "\n" * 401)
    assert tree.refused() == ["src/os/a.h:file"]
    tree.header("src/os/a.h", "\n" * 350)
    assert tree.refused() == ["tools/tidy.baseline:baseline"]
    assert tidy.main(["--root", str(tree.root), "--lower"]) == 0
    assert (tree.root / "tools/tidy.baseline").read_text() == "# head\nfile src/os/a.h 352\n"
    assert tree.refused() == []
    tree.header("src/os/a.h", "")
    assert tree.refused() == ["tools/tidy.baseline:baseline"]
    assert tidy.main(["--root", str(tree.root), "--lower"]) == 0
    assert (tree.root / "tools/tidy.baseline").read_text() == "# head\n"


def test_what_the_baseline_would_need_can_be_printed(tree, capsys):
    tree.header("src/os/a.h", "\n" * 400)
    assert tidy.main(["--root", str(tree.root), "--needed"]) == 0
    assert capsys.readouterr().out == "file src/os/a.h 402\n"


def test_lowering_grants_nothing_new(tree):
    tree.header("src/os/a.h", "\n" * 400)
    tidy.main(["--root", str(tree.root), "--lower"])
    assert tree.refused() == ["src/os/a.h:file"]


def test_a_pure_source_has_a_test(tree):
    tree.source("src/model/node.cc", '#include "model/node.h"\n')
    assert tree.refused() == ["src/model/node.cc:untested"]
    tree.source("src/model/node_test.cc", "")
    assert tree.refused() == []


def test_a_test_of_the_folder_that_includes_the_header_is_enough(tree):
    tree.source("src/model/job_print.cc", '#include "model/job.h"\n')
    assert tree.refused() == []  # job_test.cc includes model/job.h
    tree.source("src/os/proc.cc", '#include "os/proc.h"\n')
    assert tree.refused() == []  # no pure room


@pytest.mark.parametrize("rule, path, text", [
    ("spdx", "src/os/a.cc", "int a;\n"),
    ("spdx", "tools/a.py", "import sys\n"),
    ("pragma-once", "src/os/a.h", SPDX + "int f();\n"),
    ("columns", "src/os/a.cc", SPDX + "// " + "x" * 98 + "\n"),
    ("open-mark", "src/os/a.cc", SPDX + "// FIX" "ME later.\n"),
    ("commented-code", "src/os/a.cc", SPDX + "// return launch(job);\n"),
    ("commented-code", "src/os/a.cc", SPDX + "  // state = Running;\n"),
    ("commented-code", "src/os/a.cc", SPDX + "// notify(job);\n"),
    ("commented-code", "src/os/a.cc", SPDX + "// if (x) {\n"),
    ("using-namespace", "src/os/a.cc", SPDX + "using namespace std;\n"),
    ("file-name", "src/os/NodeTable.cc", SPDX),
    ("machine-path", "docs/a.md", "Look into /wor" "k/main/src.\n"),
    ("machine-path", "src/os/a.cc", SPDX + 'const char* kPath = "/hom' 'e/someone/x";\n'),
    ("dead-link", "docs/a.md", "See [here](b.md#part), [there](a.md), [far](https://x.org/).\n"),
    ("merge-mark", "tests/cli/a.txt", "$ true\n<<<<<<< HEAD\n"),
    ("merge-mark", "docs/a.md", ">>>>>>> other\n"),
    ("foreign-words", "docs/a.md", "The founde" "r wants it.\n"),
])
def test_the_rules_for_files(tree, rule, path, text):
    tree.write(path, text)
    assert tree.refused() == [f"{path}:{rule}"]


@pytest.mark.parametrize("comment", [
    "//   return launch(job);", "// Starts the job; returns its state.", "// See launch(job).",
    "// The job's state (Running); nothing else changes.", "// for each node, one message"])
def test_comments_may_show_examples_and_speak_of_code(tree, comment):
    tree.source("src/os/a.cc", comment + "\n")
    assert tree.refused() == []


def test_there_are_no_rooms_but_those_of_the_table(tree):
    tree.source("src/util/a.cc", "")
    assert tree.refused() == ["src/util:room"]


def test_the_page_for_people_tells_the_same_table(tree):
    rooms = tidy.room_table(tree.root)
    page = "".join(f"| `{room}` | {', '.join(links) or '–'} | … |\n"
                   for room, links in rooms.items())
    tree.write("docs/ARCHITECTURE.md", page)
    assert tree.refused() == []
    tree.write("docs/ARCHITECTURE.md", page.replace("| `model` | base |", "| `model` | base, os |"))
    assert tree.refused() == ["docs/ARCHITECTURE.md:room-page"]
    tree.write("docs/ARCHITECTURE.md", page.replace("| `os` | base | … |\n", ""))
    assert tree.refused() == ["docs/ARCHITECTURE.md:room-page"]


def test_builds_and_binary_files_are_not_read(tree):
    tree.write("out/CMakeCache.txt", "")
    tree.write("out/a.cc", "using namespace std;\n")
    (tree.root / "a.bin").write_bytes(b"\0/wor" b"k/x")
    assert tree.refused() == []


def test_the_command_prints_place_reason_and_rule(tree):
    tree.header("src/model/node.h", "int* f() { return new int; }\n")
    ran = subprocess.run([SCRIPT, "--root", tree.root], capture_output=True, text=True)
    assert ran.returncode == 1
    assert ran.stdout == (
        "src/model/node.h:3: allocates by hand; use values, containers or std::make_unique "
        "(pure room model) [new]\ntidy: 1 to mend\n")


def test_the_command_explains_itself_and_refuses_what_it_does_not_know():
    assert subprocess.run([SCRIPT, "--help"], capture_output=True).returncode == 0
    assert subprocess.run([SCRIPT, "--nonsense"], capture_output=True).returncode == 2
