/* An order in lines of source: one row a line and turn; what has nothing to do with the finding is folded. */

const FEW = 30;  /* an order of so few events is drawn event by event */
const MANY = 12; /* shared values: of more only those that the story speaks of */
const isForeign = file => !file || /^(\/usr|<augur>)\//.test(file);

/* The line of the user's that an event counts for; null: nobody knows. */
function usersPlace(e) {
  if (!isForeign(e.file) && e.line)
    return {file: e.file, line: e.line, function: e.function};
  const c = (e.callers || []).find(x => !isForeign(x.file) && x.line);
  return c ? {file: c.file, line: c.line, function: c.function} : null;
}

/* Rows of an order. Each has from and to: its steps. */
function rowsOf(steps) {
  const rows = [];
  steps.forEach((e, i) => {
    const p = usersPlace(e), last = rows[rows.length - 1];
    const same = last && last.thread === e.thread && !e.skipped && !(last.decisive && e.decisive) && (p ? last.file === p.file && last.line === p.line : !last.line && !e.decisive);
    if (same) {
      last.to = i;
      last.decisive = last.decisive || e.decisive;
      last.blocked = last.blocked || e.blocked;
      return;
    }
    const text = p && sourceLine(p.file, p.line);
    rows.push({...e, ...(p || {file: '', line: 0}), op: 'line', object: '', value: undefined, location: p ? p.file + ':' + p.line : '', from: i, to: i, told: '',
      text: typeof text === 'string' ? text.trim() : p ? base(p.file) + ':' + p.line : saying(e).join('')});
  });
  return rows;
}

/* Which rows are shown: those of the story, the decisive ones, and what else touches the variable. */
function chooseRows(rows, steps, f, also) {
  const told = new Map((f.story || []).filter(l => !/^calls\b/.test(l.does || '')).map(l => [l.step, l.does || '']));
  for (const r of rows) {
    for (let i = r.from; i <= r.to; i++) {
      const e = steps[i];
      if (!also && told.has(i)) {
        r.kept = true;
        r.told = r.told || told.get(i);
      }
      r.kept = r.kept || !!e.decisive || (!!f.var && e.object === f.var && isAccess(e));
    }
    r.kept = r.kept || (!!also && !!r.line && also.has(r.thread + ' ' + r.file + ':' + r.line));
  }
  /* of what happens again and again the last times */
  const seen = new Map();
  for (const r of [...rows].reverse()) {
    const k = r.thread + ' ' + r.file + ':' + r.line, n = (seen.get(k) || 0) + (r.kept ? 1 : 0);
    seen.set(k, n);
    if (n > 3 && !r.decisive && !r.told)
      r.kept = false;
  }
}

/* What is left, with the rest as gaps before it. A single line between others of its turn is no gap. */
function foldRows(rows, steps) {
  rows.forEach((r, i) => {
    const a = rows[i - 1], b = rows[i + 1];
    if (!r.kept && a && b && a.kept && b.kept && a.thread === r.thread && b.thread === r.thread && r.line)
      r.between = true;
  });
  const shown = [];
  let gone = 0, who = new Set(), cut = 0;
  const gap = () => {
    const names = [...who], of = names.length > 3 ? plural(names.length, 'thread') : names.map(t => short(t, 20)).join(', ');
    return cut ? plural(cut + gone, 'event') + ' left out' : `${of}: ${plural(gone, 'unrelated step')}`;
  };
  for (const r of rows) {
    cut += steps[r.from].skipped || 0;
    if (!r.kept && !r.between) {
      gone += r.to - r.from + 1;
      who.add(r.thread);
      continue;
    }
    shown.push({...r, skipped: gone + cut, fold: gone + cut ? gap() : ''});
    gone = cut = 0;
    who = new Set();
  }
  return shown;
}

/* Bars of locks, by row. */
function locksOf(steps, rows) {
  const {spans, heldAt} = lockSpans(steps);
  const names = new Set(rows.map(r => r.thread));
  const row = i => rows.findIndex(r => r.to >= i);
  return {heldAt: rows.map(r => heldAt[r.to] || []), spans: spans.filter(s => names.has(s.thread)).map(s => {
    const from = row(s.from), to = s.to >= steps.length ? rows.length : row(s.to);
    return {...s, from, to: to < 0 ? rows.length : to, fromGap: from >= 0 && rows[from].from > s.from, toGap: to >= 0 && to < rows.length && rows[to].from > s.to};
  }).filter(s => s.from >= 0 && s.from <= s.to && s.from < rows.length)};
}

/* As diagram(), and its steps are those of the order: only the picture is in lines. also: lines that are shown, too; f's are kept. */
function lineDiagram(order, o, f, also) {
  const all = rowsOf(order.steps);
  chooseRows(all, order.steps, f, also);
  const rows = foldRows(all, order.steps);
  if (!rows.length)
    return null;
  const names = new Set(rows.map(r => r.thread));
  const d = diagram({steps: rows}, {...o, threads: o.threads.filter(t => names.has(t)), locks: locksOf(order.steps, rows), pick: (k, e) => o.pick(rows[k - 1].to + 1, e)});
  const done = k => rows.filter(r => r.from < k).length;
  return {node: d.node, heldAt: d.heldAt, at: (k, every) => d.at(done(k), every), places: new Set(rows.map(r => r.thread + ' ' + r.file + ':' + r.line)),
    find: e => order.steps.findIndex(s => s.thread === e.thread && s.index === e.index)};
}

/* Who waits for whom, of a deadlock of locks: T1 → 'b', held by T2 → 'a', held by T1. null: it is no cycle. */
function waitCycle(f) {
  const events = f.events || [];
  if (kindOf(f) !== 'deadlock' || events.length < 2)
    return null;
  const holder = e => events.findIndex(x => x !== e && (x.held || []).includes(e.object));
  const way = [0];
  while (way.length <= events.length) {
    const next = holder(events[way[way.length - 1]]);
    if (next < 0)
      return null;
    if (next === way[0])
      break;
    way.push(next);
  }
  if (way.length > events.length || way.length < 2)
    return null;
  return el('ol', {class: 'cycle', 'aria-label': 'Who waits for whom'}, way.map(i => el('li', {}, el('b', {}, short(events[i].thread, 30)), ' waits for ', code(events[i].object, 60))), el('li', {class: 'back'}, el('b', {}, short(events[way[0]].thread, 30))));
}
