# SPDX-License-Identifier: Apache-2.0
"""Manual pages of files are written by hand: they must know every word that the parser knows."""
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def read(path):
    with open(os.path.join(ROOT, path)) as f:
        return f.read()


def words_of(source, table):
    """The texts of a constexpr array."""
    body = re.search(rf"{table}\[\] = \{{(.*?)\n?\}};", source, re.S).group(1)
    return re.findall(r'"([\w]+)"', body)


def test_the_page_of_gres_conf_has_every_key_flag_and_detector():
    source, page = read("src/config/gres_conf.cc"), read("docs/man/gres.conf.5")
    keys = words_of(source, "kKeys")
    assert "MultipleFiles" in keys
    for key in keys:
        assert re.search(rf"^\.(B|BR) {key}\b", page, re.M), key
    for word in words_of(source, "kFlags") + ["nvml", "nvidia", "rsmi", "off"]:
        assert word in page, word


def test_the_page_of_oci_conf_has_every_key_and_every_letter():
    source, page = read("src/config/oci_conf.cc"), read("docs/man/oci.conf.5")
    keys = words_of(source, "kKeys")
    assert "RunTimeRun" in keys
    for key in keys:
        assert re.search(rf"^\.(B|BR) {key}\b", page, re.M), key
    for hook in words_of(source, "kHooks"):
        assert hook in page, hook
    letters = re.search(r'kLetters = "(.*?)"', read("src/notation/oci_pattern.cc")).group(1)
    for letter in letters + "p":
        assert re.search(rf"^\.B %{re.escape(letter)}$", page, re.M), letter


def test_the_page_of_topology_conf_has_every_key():
    source, page = read("src/config/topology_conf.cc"), read("docs/man/topology.conf.5")
    keys = re.findall(r'same_ignoring_case\((?:first|given\.key), "(\w+)"\)', source)
    assert {"SwitchName", "BlockLevels", "RingName", "LinkSpeed"} <= set(keys)
    for key in keys:
        assert re.search(rf"^\.(B|BR) {key}\b", page, re.M), key


def test_the_page_of_topology_yaml_has_every_key():
    trees, tori = read("src/config/topology_conf.cc"), read("src/config/topology_torus.cc")
    page = read("docs/man/topology.yaml.5")
    keys = re.findall(r'key [=!]= "(\w+)"', trees + tori)
    keys += re.findall(r'(?:members\(node,|find\() ?"(\w+)"', trees + tori)
    keys += re.findall(r'\{"([a-z_]+)", "\w+"\}', trees)
    assert {"torus3d", "alpha_step_rank", "switches", "link_speed", "toruses", "block_sizes",
            "anchor_spacing", "z"} <= set(keys)
    for key in keys:
        assert re.search(rf"^\.(B|BR) {key}\b", page, re.M), key
