// The page of the HTML report. The plan's JSON takes the place of /*PLAN*/.
#ifndef PARTITA_REPORT_PAGE_H
#define PARTITA_REPORT_PAGE_H

#include "llvm/ADT/StringRef.h"

namespace partita {

inline constexpr llvm::StringLiteral kPage = R"page(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Partita plan</title>
<style>
:root { --ink: #1c2330; --soft: #667085; --line: #d9dee7; --fill: #f6f8fb; --blue: #2f6fde; --red: #d6492f; }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); margin: 2em auto; max-width: 75em; padding: 0 1.5em; }
h1 { font-size: 1.5em; margin: 0; } h2 { font-size: 1.15em; margin: 2em 0 .6em; }
code, .mono { font: 12.5px/1.4 ui-monospace, monospace; }
.soft { color: var(--soft); }
.totals { display: flex; flex-wrap: wrap; gap: .8em; margin: 1.2em 0; }
.totals div { border: 1px solid var(--line); border-radius: 6px; padding: .5em 1em; background: var(--fill); }
.totals b { display: block; font-size: 1.25em; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { border-bottom: 1px solid var(--line); padding: .35em .6em .35em 0; vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; padding-right: 1.2em; }
.bar { background: var(--blue); height: 9px; border-radius: 2px; min-width: 1px; margin-top: .35em; }
details summary { cursor: pointer; } details ul { margin: .3em 0 .3em 1.2em; padding: 0; }
.ports { display: grid; grid-template-columns: repeat(auto-fill, minmax(19em, 1fr)); gap: .8em; }
.port { border: 1px solid var(--line); border-radius: 6px; padding: .6em .8em; overflow-wrap: anywhere; }
.port svg { display: block; margin: .5em 0; }
.move svg { flex: none; margin: 0; } .move { display: flex; align-items: center; gap: .8em; margin: .5em 0 .2em; }
#memory { width: 100%; height: 220px; border: 1px solid var(--line); border-radius: 6px; }
#moment { min-height: 1.4em; }
button { font: inherit; }
</style>
<h1 id="title"></h1>
<div class="soft" id="subtitle"></div>
<div class="totals" id="totals"></div>
<h2>Collectives, longest first</h2>
<table id="collectives"></table>
<h2>Memory of one device over the program</h2>
<svg id="memory" preserveAspectRatio="none"></svg>
<div id="moment" class="mono soft"></div>
<h2>Arguments and results</h2>
<p class="soft">Each picture is the whole array; lines are the borders between shards, the dark part is what device 0 holds.
Of more than two dimensions, the two that are split most.</p>
<div class="ports" id="ports"></div>
<script>
const plan = /*PLAN*/;
const SVG = "http://www.w3.org/2000/svg";
function make(tag, text, attributes = {}, space) {
  const node = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const name in attributes) node.setAttribute(name, attributes[name]);
  if (text !== undefined && text !== "") node.textContent = text;
  return node;
}
function bytes(n) {
  return n < 1e4 ? n + " bytes" : n < 1e6 ? (n / 1e3).toFixed(1) + " kB" : n < 1e10 ? (n / 1e6).toFixed(2) + " MB" : (n / 1e9).toFixed(2) + " GB";
}
function time(s) {
  return s < 1e-3 ? (s * 1e6).toFixed(1) + " us" : s < 1 ? (s * 1e3).toFixed(2) + " ms" : s.toFixed(2) + " s";
}
const at = id => document.getElementById(id);

at("title").textContent = plan.program || "program";
document.title = (plan.program || "program") + ": Partita plan";
at("subtitle").textContent = plan.devices + " devices; " + plan.meshes.map(mesh => "mesh @" + mesh.name + " " +
  mesh.axes.map(axis => axis.axis + "=" + axis.size).join(", ")).join("; ") + "; times modelled for " + plan.machine;
for (const [what, value] of [["sent by one device", bytes(plan.sent_bytes)], ["time in collectives", time(plan.seconds)],
    ["collectives run", plan.launches], ["peak memory of one device", bytes(plan.peak_bytes)]]) {
  const box = make("div", what);
  box.prepend(make("b", String(value)));
  at("totals").append(box);
}

function addCollectives(limit) {
  const table = at("collectives");
  table.replaceChildren();
  if (!plan.collectives.length) { table.append(make("tr", "none: nothing is sent")); return; }
  const head = make("tr");
  for (const [name, kind] of [["what", ""], ["time", "number"], ["bytes", "number"], ["times", "number"], ["why", ""]])
    head.append(make("th", name, { class: kind }));
  table.append(head);
  const longest = plan.collectives[0].seconds * plan.collectives[0].times;
  for (const c of plan.collectives.slice(0, limit)) {
    const row = make("tr"), what = make("td"), why = make("td"), details = make("details"), list = make("ul");
    what.append(make("b", c.kind), make("span", " " + c.axes, { class: "mono" }), make("div", c.types, { class: "mono soft" }));
    what.append(make("div", "", { class: "bar", style: "width:" + (100 * c.seconds * c.times / longest).toFixed(1) + "%" }));
    details.append(make("summary", c.reason || c.location || "not traced"));
    for (const cause of c.causes) list.append(make("li", cause));
    if (c.removal) list.append(make("li", "To be rid of it: " + c.removal + "."));
    details.append(list);
    details.addEventListener("toggle", () => {   // drawn when looked at
      if (!details.open || details.querySelector(".move")) return;
      for (const move of c.moves.filter(m => m.global_shape.length && m.from && m.to)) {
        const row = make("div", undefined, { class: "move" });
        const order = choose(move.global_shape, [move.from, move.to]);
        row.append(draw(move.global_shape, move.from, order), make("span", "\u2192"), draw(move.global_shape, move.to, order),
          make("span", move.value + ", " + move.type.replace("tensor", "") + caption(order, move.global_shape), { class: "mono soft" }));
        details.append(row);
      }
    });
    why.append(details);
    row.append(what, make("td", time(c.seconds * c.times), { class: "number" }),
      make("td", bytes(c.bytes * c.times), { class: "number" }), make("td", String(c.times), { class: "number" }), why);
    table.append(row);
  }
  if (plan.collectives.length > limit) {
    const row = make("tr"), cell = make("td", undefined, { colspan: 5 });
    const button = make("button", "show all " + plan.collectives.length);
    button.onclick = () => addCollectives(plan.collectives.length);
    cell.append(button);
    row.append(cell);
    table.append(row);
  }
}
addCollectives(50);

function addMemory() {
  const svg = at("memory"), points = plan.memory, count = points.length;
  if (!count) return;
  const top = Math.max(...points.map(p => p[2])) * 1.05 || 1;
  svg.setAttribute("viewBox", "0 0 " + count + " 100");
  let path = "M0 100";
  points.forEach((p, i) => { path += "L" + i + " " + (100 - 100 * p[2] / top) + "H" + (i + 1); });
  svg.append(make("path", undefined, { d: path + "V100Z", fill: "#c9dafb" }, SVG));
  const peak = points.reduce((best, p, i) => p[2] > points[best][2] ? i : best, 0);
  const cursor = make("rect", undefined, { y: 0, height: 100, width: Math.max(1, count / 600), fill: "#d6492f", opacity: count < 100 ? .25 : .8 }, SVG);
  svg.append(cursor);
  const show = (i, note) => {
    cursor.setAttribute("x", i);
    at("moment").textContent = note + bytes(points[i][2]) + " while " + points[i][0] + " runs" +
      (points[i][1] ? " (" + points[i][1] + ")" : "") + ", op " + (i + 1) + " of " + count;
  };
  show(peak, "peak: ");
  svg.onmousemove = e => {
    const box = svg.getBoundingClientRect();
    show(Math.min(count - 1, Math.max(0, Math.floor((e.clientX - box.left) / box.width * count))), "");
  };
  svg.onmouseleave = () => show(peak, "peak: ");
}
addMemory();

const countShards = dims => dims.map(axes => axes.reduce((n, axis) => n * axis.size, 1));
// The two dimensions to draw: those that are split most in one of the layouts.
function choose(shape, layouts) {
  const most = shape.map((_, i) => Math.max(...layouts.map(dims => countShards(dims)[i])));
  return shape.map((_, i) => i).sort((a, b) => most[b] - most[a] || shape[b] - shape[a]).slice(0, 2).sort((a, b) => a - b);
}
function caption(order, shape) {
  return shape.length > 2 ? ", drawn: dimensions " + order.join(" and ") : "";
}
function draw(shape, dims, order) {
  const shards = countShards(dims);
  const [rows, columns] = shape.length == 1 ? [-1, 0] : [order[0], order[1]];
  const size = i => i < 0 || i === undefined ? 1 : Math.max(1, shape[i]), parts = i => i < 0 || i === undefined ? 1 : shards[i];
  const scale = 130 / Math.max(size(rows), size(columns));
  // Thin arrays are drawn thick enough to see their shards.
  const side = i => Math.max(18, Math.min(130, 7 * parts(i)), size(i) * scale);
  const height = side(rows), width = side(columns);
  const svg = make("svg", undefined, { width: width + 2, height: height + 2 }, SVG);
  const box = (x, y, w, h, fill) => svg.append(make("rect", undefined, { x: x + 1, y: y + 1, width: w, height: h, fill, stroke: "#8aa0c6" }, SVG));
  box(0, 0, width, height, "#e8effc");
  // A shard is ceil(size / parts) wide; the last may be short.
  const share = i => i < 0 || i === undefined ? 1 : Math.min(1, Math.ceil(shape[i] / parts(i)) / Math.max(1, shape[i]));
  box(0, 0, width * share(columns), height * share(rows), "#2f6fde");
  for (let i = 1; i < Math.min(parts(columns), 128) && i * share(columns) < 1; i++)
    svg.append(make("path", undefined, { d: "M" + (1 + i * share(columns) * width) + " 1v" + height, stroke: "#8aa0c6" }, SVG));
  for (let i = 1; i < Math.min(parts(rows), 128) && i * share(rows) < 1; i++)
    svg.append(make("path", undefined, { d: "M1 " + (1 + i * share(rows) * height) + "h" + width, stroke: "#8aa0c6" }, SVG));
  return svg;
}
for (const port of [...plan.arguments, ...plan.results]) {
  const box = make("div", undefined, { class: "port" });
  box.append(make("b", port.name));
  if (port.global_shape) {
    const dims = port.dims || port.global_shape.map(() => []), order = choose(port.global_shape, [dims]);
    if (order.length) box.append(draw(port.global_shape, dims, order));
    box.append(make("div", port.global_type.replace("tensor", "") + " -> " + port.local_type.replace("tensor", "") + " per device" + caption(order, port.global_shape), { class: "mono" }));
    box.append(make("div", port.sharding + ", " + bytes(port.bytes), { class: "mono" }));
  }
  if (port.origin) box.append(make("div", port.origin, { class: "soft" }));
  at("ports").append(box);
}
</script>
</html>
)page";

} // namespace partita

#endif
