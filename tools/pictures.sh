#!/usr/bin/env bash
# tools/pictures.sh: makes the pictures of docs/how-it-works.md again (docs/pictures/*.svg), from augur's
# own reports. Needs what the browser tests need ('make check GROUPS=browser' installs it). They are
# kept in the repository; nothing is drawn when augur is built.
set -euo pipefail
cd "$(dirname "$0")/.."
augur=$PWD/build/augur
out=$PWD/docs/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

"$augur" cc -g -pthread examples/assertions/check_then_act.c -o "$work/shop"
"$augur" record --quiet -o "$work/shop.trace" "$work/shop" >/dev/null
"$augur" check --format html -o "$work/shop.html" "$work/shop.trace" || [ $? -eq 1 ]
"$augur" cc -g -O2 -pthread examples/first/bank.c -o "$work/bank"
"$augur" record --quiet -o "$work/bank.trace" "$work/bank" >/dev/null
"$augur" check --format html -o "$work/bank.html" "$work/bank.trace" || [ $? -eq 1 ]

# Graphs are in the report as they were drawn.
python3 - "$work/bank.html" "$out/causality.svg" <<'END'
import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = json.loads(re.search(r'<script type="application/json" id="dossier">(.*?)</script>', page, re.S).group(1))
svg = next(g["svg"] for g in data["graphs"] if g["name"] == "causality graph")
open(sys.argv[2], "w", encoding="utf-8").write(svg[svg.index("<svg"):])
END
"$augur" show --tsg --draw "$out/transactions.svg" tests/models/fig1.ctp >/dev/null

# Diagrams are drawn by the page: taken from the browser, with the style they have there.
cat >"$work/take.js" <<'END'
const [modules, report, id, out] = process.argv.slice(2);
const {chromium} = require(modules + '/playwright-core');
(async () => {
  const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: process.getuid() === 0 ? ['--no-sandbox'] : []});
  const page = await browser.newPage({viewport: {width: 1280, height: 1400}, colorScheme: 'light'});
  await page.goto('file://' + report + '#' + id);
  for (const which of ['witness', 'observed']) {
    const svg = await page.evaluate(which => {
      const [names, body] = document.querySelectorAll('.' + which + ' .flow svg');
      const keep = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity', 'text-anchor', 'font-size', 'font-weight', 'font-style'];
      const plain = {'stroke': 'none', 'stroke-width': '1px', 'stroke-dasharray': 'none', 'opacity': '1', 'text-anchor': 'start', 'font-style': 'normal', 'font-weight': '400'};
      const copy = from => {
        const to = document.createElementNS('http://www.w3.org/2000/svg', from.localName), style = getComputedStyle(from);
        for (const a of from.attributes)
          if (/^(x|y|x1|x2|y1|y2|cx|cy|r|rx|d|width|height)$/.test(a.name))
            to.setAttribute(a.name, a.value);
        if (/^(rect|path|line|circle|text|tspan)$/.test(from.localName))
          for (const k of keep) {
            const v = style.getPropertyValue(k), text = /^t/.test(from.localName);
            if (v && v !== plain[k] && (text || !/^(font|text)/.test(k)))
              to.setAttribute(k, v);
          }
        if (from.localName === 'text')
          to.setAttribute('font-family', /mono/i.test(style.fontFamily) ? 'monospace' : 'sans-serif');
        for (const c of from.childNodes)
          if (c.nodeType === Node.TEXT_NODE)
            to.append(c.data);
          else if (!c.classList.contains('hit') && !c.classList.contains('cursor') && c.localName !== 'title')
            to.append(copy(c));
        return to;
      };
      const w = names.getAttribute('width'), h = Number(body.getAttribute('height')) + 28;
      const root = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      root.setAttribute('viewBox', `0 0 ${w} ${h}`);
      root.setAttribute('width', w);
      root.setAttribute('height', h);
      const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
      ground.setAttribute('width', w);
      ground.setAttribute('height', h);
      ground.setAttribute('fill', '#ffffff');
      const lower = document.createElementNS('http://www.w3.org/2000/svg', 'g');
      lower.setAttribute('transform', 'translate(0 28)');
      lower.append(...copy(body).childNodes);
      root.append(ground, ...copy(names).childNodes, lower);
      return new XMLSerializer().serializeToString(root).replace(/></g, '>\n<');
    }, which);
    require('fs').writeFileSync(`${out}/${which}.svg`, svg + '\n');
  }
  await browser.close();
})();
END
node "$work/take.js" "$PWD/build/browser/npm/node_modules" "$work/shop.html" A1 "$out"
ls -l "$out"
