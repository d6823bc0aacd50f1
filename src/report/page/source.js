/* Source lines: found, coloured, shown in panes. */

const sourceOf = new Map();
for (const s of dossier.sources || []) {
  if (!sourceOf.has(s.file))
    sourceOf.set(s.file, []);
  sourceOf.get(s.file).push(s);
}
function sourceLine(file, line) {
  for (const s of sourceOf.get(file) || [])
    if (line >= s.first && line < s.first + s.lines.length)
      return s.lines[line - s.first];
  return undefined;
}

const TOKENS = /(\/\/.*$|\/\*.*?(?:\*\/|$)|^\s*\*.*$)|("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\b(auto|bool|break|case|char|class|const|continue|default|delete|do|double|else|enum|extern|float|for|if|inline|int|long|namespace|new|nullptr|NULL|return|short|signed|sizeof|static|struct|switch|template|this|typedef|union|unsigned|using|void|volatile|while)\b|\b(\d[\w.]*)\b/g;

/* A line as spans; long lines are left as they are. */
function coloured(text) {
  if (text.length > 400)
    return [short(text, 2000)];
  const parts = [];
  let at = 0;
  for (const m of text.matchAll(TOKENS)) {
    if (m.index > at)
      parts.push(text.slice(at, m.index));
    const kind = m[1] ? 'c' : m[2] ? 's' : m[3] ? 'k' : 'n';
    parts.push(el('span', {class: 'tk-' + kind}, m[0]));
    at = m.index + m[0].length;
  }
  parts.push(text.slice(at));
  return parts;
}

const AROUND = 4;
function linesAround(file, line, marks) {
  const rows = [];
  for (let n = line - AROUND; n <= line + AROUND; n++) {
    const text = sourceLine(file, n);
    if (text === undefined)
      continue;
    const mark = marks && marks.get(file + ':' + n);
    rows.push(el('div', {class: (n === line ? 'here' : '') + (mark ? ' mine' : '')},
      el('span', {}, mark ? mark + '  ' + n : String(n)), el('span', {}, ...coloured(text))));
  }
  if (!rows.length)
    rows.push(el('div', {class: 'empty'}, file ? 'The source is not in this report.' : 'Where this is in the source is not known.'));
  return rows;
}

/* One pane a thread; at(k) shows where each of them is after step k, in lines of the user's. */
function panes(steps, threads, marks) {
  const of = new Map();
  const node = el('div', {class: 'panes'});
  for (const t of threads) {
    const head = el('span', {class: 'code'}), lines = el('div', {class: 'lines', tabindex: '0', role: 'region', 'aria-label': 'Source of ' + short(t, 40)});
    const pane = el('div', {class: 'pane'}, el('h3', {}, el('b', {}, short(t, 40)), head), lines);
    of.set(t, {pane, head, lines, shown: null});
    node.append(pane);
  }
  function at(k) {
    const last = new Map(), next = new Map();
    for (let i = 0; i < k; i++)
      if (steps[i].line) {
        const p = usersPlace(steps[i]);
        if (p || !last.has(steps[i].thread))
          last.set(steps[i].thread, p ? {...steps[i], ...p, location: p.file + ':' + p.line} : steps[i]);
      }
    for (let i = steps.length - 1; i >= k; i--)
      next.set(steps[i].thread, steps[i]);
    const live = k > 0 ? steps[k - 1].thread : null;
    for (const [t, p] of of) {
      const e = last.get(t);
      p.pane.classList.toggle('live', t === live);
      const now = e ? e.file + ':' + e.line : 'none';
      if (p.shown === now)
        continue;
      p.shown = now;
      if (!e) {
        p.head.textContent = 'not begun';
        p.lines.replaceChildren(el('div', {class: 'empty'}, next.has(t) ? 'Has done nothing yet.' : 'Does nothing here.'));
        continue;
      }
      p.head.textContent = (e.function ? short(e.function, 60) + '  ' : '') + short(place(e), 80);
      p.head.title = clean(place(e)).slice(0, 1000);
      p.lines.replaceChildren(...linesAround(e.file, e.line, marks));
    }
  }
  return {node, at};
}
