# SPDX-License-Identifier: Apache-2.0
"""The page: everything in one file that opens without a network and without scripts. Its look is
that of the simulator's page."""
import html
import math
import re

import limits
import table

STYLE = """:root{color-scheme:light dark;--paper:#fcfcfb;--card:#fff;--ink:#1c1d20;--soft:#5d6169;
--line:#e4e4e0;--c0:#2a6fc9;--c1:#d9622b;--c2:#1e8f6e;--c3:#9a4fb5;--c4:#b28a00;--c5:#c43d60}
@media (prefers-color-scheme:dark){:root{--paper:#17181a;--card:#1f2023;--ink:#ececea;
--soft:#a2a6ad;--line:#35373b;--c0:#6aa6f0;--c1:#ef8f5c;--c2:#4cc09b;--c3:#c68ae0;--c4:#dcb74a;
--c5:#ee7f9b}}
.c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}.c4{--c:var(--c4)}
.c5{--c:var(--c5)}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1200px;margin:0 auto;padding:28px 24px 60px}h1{margin:0}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;
padding:14px 18px;margin:18px 0;overflow-x:auto}h2{font-size:17px;margin:0 0 .5em}
p,.soft{color:var(--soft)}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
td,th{padding:3px 14px 3px 0;text-align:left;border-bottom:1px solid var(--line);
vertical-align:top}.bad{color:var(--c5)}
svg{display:block;width:100%;height:auto;font:12px system-ui,sans-serif}
.grid{stroke:var(--line)}.axis{stroke:var(--soft)}.tick{fill:var(--soft)}.label{fill:var(--ink)}
.bar{fill:var(--c)}.whisker{stroke:var(--ink);stroke-width:1.2}
.goal{stroke:var(--c5);stroke-width:2}
.curve{fill:none;stroke:var(--c);stroke-width:1.6}.dot{fill:var(--c)}
.legend span{margin-right:1.4em}.legend i{display:inline-block;width:.8em;height:.8em;
border-radius:2px;margin-right:.45em;background:var(--c)}
"""
WIDTH, LEFT, RIGHT, LINE = 1100, 420, 60, 16
COLOURS = 6


def escaped(text):
    return html.escape(str(text))


def legend(names):
    spans = "".join(f'<span><i class="c{i % COLOURS}"></i>{escaped(name)}</span>'
                    for i, name in names)
    return f'<p class="legend">{spans}</p>'


class Scale:
    """Logarithmic, whole powers of ten and what is in the data."""

    def __init__(self, values, low, high):
        values = [v for v in values if v > 0] or [1]
        self.first = math.floor(math.log10(min(values)))
        self.last = max(self.first + 1, math.ceil(math.log10(max(values))))
        self.low, self.high = low, high

    def at(self, value):
        share = (math.log10(max(value, 10 ** self.first)) - self.first) / (self.last - self.first)
        return self.low + (self.high - self.low) * share

    def ticks(self):
        return [10.0 ** i for i in range(self.first, self.last + 1)]


def tick_text(value):
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def advantages(whole):
    """How many times better the first one is, for each row a bar for each of the others."""
    others = whole["contestants"][1:]
    rows = [row for row in whole["rows"]
            if any("advantage" in row["contestants"].get(name, {}) for name, _ in others)]
    if not rows:
        return ""
    found = [row["contestants"][name]["advantage"][key] for row in rows for name, _ in others
             if "advantage" in row["contestants"].get(name, {}) for key in ("min", "max")]
    scale = Scale([*found, 1], LEFT, WIDTH - RIGHT)
    high = 30 + sum(8 + LINE * len(others) for _ in rows)
    out = [f'<svg viewBox="0 0 {WIDTH} {high}" role="img" aria-label="Ratios of all rows">']
    for tick in scale.ticks():
        out.append(f'<line class="{"axis" if tick == 1 else "grid"}" x1="{scale.at(tick):.1f}"'
                   f' x2="{scale.at(tick):.1f}" y1="0" y2="{high - 22}"/><text class="tick"'
                   f' x="{scale.at(tick):.1f}" y="{high - 6}" text-anchor="middle">'
                   f'{tick_text(tick)} ×</text>')
    y = 4
    for row in rows:
        out.append(bars(row, others, scale, y))
        y += 8 + LINE * len(others)
    out.append("</svg>")
    return (legend([(i + 1, label) for i, (_, label) in enumerate(others)]) + "".join(out)
            + '<p class="soft">Right of 1 ×: better than that one. The thin line is the spread of'
            " the repeats, the red mark the goal.</p>")


def bars(row, others, scale, y):
    height = LINE * len(others)
    text = f"{row['workload']}: {row['row']}"
    out = [f'<text class="label" x="{LEFT - 10}" y="{y + height / 2 + 4:.1f}" text-anchor="end">'
           f'{escaped(text)}</text>']
    for i, (name, label) in enumerate(others):
        ratio = row["contestants"].get(name, {}).get("advantage")
        if not ratio:
            continue
        x, one = sorted((scale.at(ratio["median"]), scale.at(1)))
        top = y + i * LINE
        out.append(f'<rect class="bar c{(i + 1) % COLOURS}" x="{x:.1f}" y="{top + 2}"'
                   f' width="{max(1, one - x):.1f}" height="{LINE - 4}"><title>{escaped(label)}:'
                   f' {table.ranged(ratio)} ×</title></rect>')
        out.append(f'<line class="whisker" x1="{scale.at(ratio["min"]):.1f}"'
                   f' x2="{scale.at(ratio["max"]):.1f}" y1="{top + LINE / 2}"'
                   f' y2="{top + LINE / 2}"/>')
    if row["goal"]:
        at = scale.at(row["goal"])
        out.append(f'<line class="goal" x1="{at:.1f}" x2="{at:.1f}" y1="{y}" y2="{y + height}"/>')
    return "".join(out)


GROWS = re.compile(r"^(.*), ([\d,]+) pending$")


def curves(whole):
    """For each question of the workload depth: cost against the length of the queue."""
    series = {}  # question -> contestant -> [(depth, value)]
    units = {}
    for row in whole["rows"]:
        found = GROWS.match(row["row"]) if row["workload"] == "depth" else None
        if not found:
            continue
        units[found[1]] = row["unit"]
        for name, values in row["contestants"].items():
            series.setdefault(found[1], {}).setdefault(name, []).append(
                (int(found[2].replace(",", "")), values["median"]))
    return "".join(f"<section><h2>{escaped(what)}, {units[what]}</h2>"
                   f"{one_plot(what, of, whole['contestants'])}</section>"
                   for what, of in series.items())


def one_plot(what, of, contestants):
    everything = [point for points in of.values() for point in points]
    x = Scale([depth for depth, _ in everything], 70, 620)
    y = Scale([value for _, value in everything], 210, 12)
    out = [f'<svg viewBox="0 0 {WIDTH} 250" role="img" aria-label="{escaped(what)}">']
    for tick in y.ticks():
        out.append(f'<line class="grid" x1="70" x2="620" y1="{y.at(tick):.1f}"'
                   f' y2="{y.at(tick):.1f}"/><text class="tick" x="62" y="{y.at(tick) + 4:.1f}"'
                   f' text-anchor="end">{tick_text(tick)}</text>')
    for tick in x.ticks():
        out.append(f'<text class="tick" x="{x.at(tick):.1f}" y="230" text-anchor="middle">'
                   f'{tick_text(tick)}</text>')
    out.append('<text class="label" x="345" y="247" text-anchor="middle">pending jobs</text>')
    for i, (name, _) in enumerate(contestants):
        places = [(x.at(depth), y.at(value)) for depth, value in of.get(name, [])]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        out.append(f'<polyline class="curve c{i % COLOURS}" points="{path}"/>')
        out += [f'<circle class="dot c{i % COLOURS}" cx="{a:.1f}" cy="{b:.1f}" r="3"/>'
                for a, b in places]
    names = [(i, label) for i, (_, label) in enumerate(contestants)]
    return legend(names) + "".join(out) + "</svg>"


def tables(whole):
    out = []
    for workload, title in whole["titles"]:
        rows = [row for row in whole["rows"] if row["workload"] == workload]
        head = "".join(f"<th>{escaped(label)}</th>" for _, label in whole["contestants"])
        body = ""
        for row in rows:
            cells = "".join("<td>" + re.sub(r"\*\*(.*?)\*\*", r"<b>\1</b>", escaped(
                table.cell(row, name, whole["troubles"]))) + "</td>"
                for name, _ in whole["contestants"])
            body += f"<tr><td>{escaped(row['row'])}</td>{cells}<td>{table.goal(row)}</td></tr>"
        if rows:
            out.append(f"<section><h2>{escaped(title)}</h2><table><tr><th></th>{head}<th>goal</th>"
                       f"</tr>{body}</table></section>")
    return "".join(out)


def troubles(whole):
    lines = [f'<p class="bad">{"failed" if t["failed"] else "not measured"}:'
             f" {escaped(t['contestant'])}, {escaped(t['workload'])}: {escaped(t['text'])}</p>"
             for t in whole["troubles"]]
    if not lines:
        return ""
    return f"<section><h2>What could not be measured</h2>{''.join(lines)}</section>"


def as_html(whole):
    machine = whole["machine"]
    about = (f"{machine['cores']} × {machine['cpu']}, Linux {machine['kernel']}, "
             f"{machine['date']}, load before it began {machine['load_before']:.1f}. "
             + "; ".join(f"{label}: {whole['versions'].get(name, 'absent')}"
                         f" ({whole['remarks'].get(name, '')})"
                         for name, label in whole["contestants"]))
    quick = "<p class='bad'>A quick run: it shows that all works, not how fast.</p>"
    floor = "; ".join(f"{limits.LIMITS[name][0]}: {table.short(sorted(rates)[len(rates) // 2])}"
                      for name, rates in whole["limits"].items())
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta"
            " name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Workload"
            f" managers side by side</title><style>{STYLE}</style></head><body><main>"
            f"<h1>Workload managers side by side</h1><p>{escaped(about)}</p>"
            f"{quick if whole['quick'] else ''}{troubles(whole)}"
            f"<section><h2>How many times better</h2>{advantages(whole)}</section>"
            f"{tables(whole)}{curves(whole)}"
            f"<p>The machine itself, per second: {escaped(floor)}.</p></main></body></html>\n")
