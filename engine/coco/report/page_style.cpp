#include "engine/coco/report/sections.h"

namespace lockstep::coco::report {

/// Okabe and Ito's colour-blind safe palette; lines and outlines differ by their dashes too.
std::string pageStyle() {
  return R"(:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --panel: #fff; --ink: #1b2026; --faint: #626c78; --rule: #dfe3e8;
  --first: #0072b2; --second: #c24e00; --third: #00795a; --strong: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --panel: #1d2126; --ink: #e7eaee; --faint: #9aa5b1; --rule: #343b43;
    --first: #56b4e9; --second: #f0a23c; --third: #4fd0a5; --strong: #0c1116;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main { max-width: 1180px; margin: 0 auto; padding: 28px 20px 48px; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 10px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 0 0 8px; }
dl { display: flex; flex-wrap: wrap; gap: 4px 28px; margin: 0 0 20px; }
dl div { display: flex; gap: 8px; min-width: 0; }
dt, small, .note, footer { color: var(--faint); }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
small { font-size: 12.5px; }
.note { font-size: 13.5px; margin: 6px 0 12px; max-width: 80ch; }
section {
  background: var(--panel); border: 1px solid var(--rule); border-radius: 10px;
  padding: 18px 20px; margin: 0 0 18px; min-width: 0;
}
section > :last-child { margin-bottom: 0; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 0 18px; }
.tiles {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px;
  background: none; border: 0; padding: 0; margin: 0;
}
.tile { background: var(--panel); border: 1px solid var(--rule); border-radius: 10px; padding: 12px 16px; }
.tile span, .tile b, .tile small { display: block; }
.tile span { color: var(--faint); }
.tile b { font-size: 28px; line-height: 1.25; font-variant-numeric: tabular-nums; }
.verdict {
  border-left: 5px solid var(--faint); background: var(--panel); padding: 12px 16px; margin: 0 0 18px;
  border-radius: 4px; overflow-wrap: anywhere;
}
.verdict.better { border-color: var(--third); }
.verdict.worse { border-color: var(--second); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--rule); font-weight: 400; }
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--faint); font-size: 12.5px; vertical-align: bottom; }
th.n, td.n { text-align: right; padding: 4px 0 4px 12px; white-space: nowrap; }
.bars { width: 16%; min-width: 60px; }
.bar { display: block; height: 9px; min-width: 1px; background: var(--first); border-radius: 2px; }
svg { display: block; }
.chart, .map { width: 100%; height: auto; }
.chart { max-width: 640px; }
svg text { font-size: 13px; fill: var(--ink); }
svg .end { text-anchor: end; }
svg .middle { text-anchor: middle; }
svg .faint { font-size: 11.5px; fill: var(--faint); }
svg .strong { fill: var(--strong); }
.grid { stroke: var(--rule); }
.mark { stroke: var(--faint); stroke-dasharray: 3 3; }
.frame { fill: none; stroke: var(--rule); }
.line1, .line2, .line3 { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
.line1 { stroke: var(--first); }
.line2 { stroke: var(--second); stroke-dasharray: 8 4; }
.line3 { stroke: var(--third); stroke-dasharray: 2 3; }
.cost { fill: var(--second); }
.cost.all { fill: var(--faint); }
.heat { fill: var(--second); }
.heat.right { fill: var(--first); }
.legend { display: flex; flex-wrap: wrap; gap: 2px 18px; margin: 0 0 8px; font-size: 13.5px; }
.legend span { display: inline-flex; align-items: center; gap: 7px; }
.smalls { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 12px; }
figure { margin: 0; min-width: 0; }
.small figcaption { display: flex; justify-content: space-between; gap: 6px; font-size: 12.5px; }
.small figcaption span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.shots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 20px; }
.shot figcaption { font-size: 13.5px; margin-bottom: 6px; overflow-wrap: anywhere; }
.picture { position: relative; background: #2a3038; overflow: hidden; border-radius: 4px; }
.picture img, .picture svg { position: absolute; inset: 0; width: 100%; height: 100%; }
.picture img { object-fit: fill; }
.picture p { position: absolute; left: 8px; bottom: 6px; margin: 0; color: #c9d1da; font-size: 12.5px; }
.picture path, .picture rect { vector-effect: non-scaling-stroke; }
.outline, .halo { fill: none; stroke-linejoin: round; }
.halo { stroke: #000; stroke-opacity: .55; stroke-width: 4; }
.outline { stroke-width: 2; }
.tp { stroke: #56b4e9; }
.fp { stroke: #ff7a1a; stroke-dasharray: 7 4; }
.fn { stroke: #f5e642; stroke-dasharray: 2 3; }
.picture text { stroke: #000; stroke-opacity: .75; paint-order: stroke; stroke-dasharray: none; stroke-linejoin: round; }
.picture text.tp { fill: #8fd0f5; }
.picture text.fp { fill: #ff9d55; }
.picture text.fn { fill: #f5e642; }
.legend .swatch { background: #2a3038; border-radius: 3px; }
footer { font-size: 13px; margin-top: 24px; }
@media (max-width: 560px) {
  main { padding: 18px 10px 32px; }
  section { padding: 14px 12px; border-radius: 8px; }
  .lines text { font-size: 18px; }
  #figures td small, #sizes th small { display: none; }
}
@media print {
  :root {
    --ground: #fff; --panel: #fff; --ink: #000; --faint: #555; --rule: #ccc;
    --first: #0072b2; --second: #c24e00; --third: #00795a; --strong: #fff;
  }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  section, .shot, .tile, tr { break-inside: avoid; }
  section:has(table#classes), section:has(.shots) { break-inside: auto; }
  .wide { overflow: visible; }
}
)";
}

}  // namespace lockstep::coco::report
