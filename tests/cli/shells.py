# SPDX-License-Identifier: Apache-2.0
"""What real shells offer behind TAB, with the generated completion. Lines end at the cursor."""
import os
import shutil
import subprocess

BIN = os.environ.get("YM_BIN", os.path.join(os.path.dirname(__file__), "../../build/release/bin"))
# Operands only: options are the business of zsh's own _arguments.
ZSH = """
service={command} words=({words}) CURRENT={current} PREFIX='{prefix}'
_arguments() {{ : }}
_files() {{ : }}
compset() {{ [[ $2 == '*=' ]] && PREFIX=${{PREFIX#*=}}; true }}
compadd() {{ for word in $@; do [[ $word == -* ]] || print -r -- $word; done }}
source {file}
_yardmaster_operand
"""


def installed(shell):
    return shutil.which(shell) is not None


def script(shell):
    return subprocess.run([f"{BIN}/yardmaster", "completion", shell], check=True, text=True,
                          capture_output=True).stdout


def run(command, env):
    done = subprocess.run(command, env=env, text=True, capture_output=True, timeout=120)
    assert done.stderr == ""
    return done.stdout


def words_of_bash(line):
    """As readline splits a line: = is a word of its own."""
    words = []
    for word in line.split(" "):
        before, sign, value = word.partition("=")
        words += [before, sign] + ([value] if value else []) if sign else [before]
    return words


def bash_offers(line, env, folder):
    words = words_of_bash(line)
    quoted = " ".join(f"'{word}'" for word in words)
    return sorted(run(
        ["bash", "--norc", "-c", script("bash") + f"\ncompopt() {{ :; }}\nCOMP_WORDS=({quoted})\n"
         f"COMP_CWORD={len(words) - 1}\n_yardmaster\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""],
        env).split())


def fish_offers(line, env, folder):
    """With the key, where the value of one is completed."""
    (folder / "yardmaster.fish").write_text(script("fish"))
    said = run(["fish", "--no-config", "-c",
                f"source {folder}/yardmaster.fish; complete -C '{line}'"], env)
    return sorted(text.split("\t")[0] for text in said.splitlines())


def zsh_offers(line, env, folder):
    """Lines without options only."""
    (folder / "_yardmaster").write_text(script("zsh"))
    words = line.split(" ")
    text = ZSH.format(command=words[0], words=" ".join(f"'{word}'" for word in words),
                      current=len(words), prefix=words[-1], file=folder / "_yardmaster")
    begun = words[-1].split("=")[-1]
    return sorted({word for word in run(["zsh", "-f", "-c", text], env).split()
                   if word.startswith(begun)})
