/* An order of events as a picture: a column a thread, time downwards, locks as bars beside the
 * thread's line, turns as bands, the decisive events numbered and joined. */

const ROW = 23, TOP = 8, GUTTER = 38, LANE = 6, CHAR = 7.23;

/* Locks held: spans of rows, by thread and lock, and what is held at each step. Where events
 * were left out (e.skipped before e) it is not known what became of a lock in between: a span that no
 * later event speaks for is 'unsure' from there on. */
function lockSpans(steps) {
  const spans = [], open = new Map();  /* thread + lock -> span */
  const key = e => e.thread + '\u0000' + e.object;
  const heldAt = [];
  let gap = 0;
  function begin(thread, lock, from, fromGap) {
    const s = {thread, lock, from, to: steps.length, depth: 1, open: true, fromGap};
    spans.push(s);
    open.set(thread + '\u0000' + lock, s);
    return s;
  }
  function end(k, at, atGap) {
    Object.assign(open.get(k), {to: at, open: false, toGap: atGap, crossed: undefined});
    open.delete(k);
  }
  steps.forEach((e, i) => {
    if (e.skipped) {
      gap = i;
      for (const s of open.values())
        s.crossed = s.crossed || i;
    }
    if (isAcquire(e) && !e.blocked) {
      const s = open.get(key(e));
      if (s && s.crossed)
        end(key(e), s.crossed, true);
      if (s && !s.crossed && s.open)
        s.depth++;
      else
        begin(e.thread, e.object, i);
    } else if (isRelease(e)) {
      const s = open.get(key(e)) || begin(e.thread, e.object, gap, gap > 0);
      s.crossed = undefined;
      if (--s.depth <= 0)
        end(key(e), i, false);
    } else if (e.held || e.decisive) {
      const held = e.held || [];
      for (const lock of held)
        (open.get(e.thread + '\u0000' + lock) || begin(e.thread, lock, gap, gap > 0)).crossed = undefined;
      for (const [k, s] of [...open])
        if (s.thread === e.thread && s.crossed && !held.includes(s.lock))
          end(k, s.crossed, true);
    }
    heldAt.push([...open.values()].filter(s => s.thread === e.thread && !s.crossed).map(s => s.lock));
  });
  for (const s of spans)
    s.unsure = s.open && !!s.crossed;
  return {spans, heldAt};
}

function lockColours(lists) {
  const colour = new Map();
  for (const steps of lists)
    for (const e of steps)
      if ((isAcquire(e) || isRelease(e)) && !colour.has(e.object))
        colour.set(e.object, colour.size % 6);
      else
        for (const l of e.held || [])
          if (!colour.has(l))
            colour.set(l, colour.size % 6);
  return colour;
}

function tipLines(e, held) {
  const [what, value] = saying(e);
  const text = e.file && e.line ? sourceLine(e.file, e.line) : undefined;
  return [
    el('div', {}, el('b', {}, short(e.thread, 40) + '  '), el('span', {class: 'code'}, short(what, 160) + value)),
    place(e) && el('div', {class: 'dim'}, (e.function ? short(e.function, 80) + ', ' : '') + short(place(e), 160)),
    e.run !== undefined && el('div', {}, 'in the run: ' + e.run),
    text !== undefined && el('div', {class: 'code'}, short(text.trim(), 240)),
    held.length > 0 && el('div', {class: 'dim'}, 'holds ' + held.map(l => short(l, 60)).join(', ')),
  ];
}

/* A line from one event to another. Rows are empty but for one thread, and between dots and labels
 * there is room: so nothing is written over. */
function way(kind, [x1, y1], [x2, y2]) {
  const dir = Math.sign(x2 - x1), turn = Math.sign(y2 - y1) * 5;
  const d = dir === 0 ? `M${x1 + 7} ${y1}H${x1 + 10}V${y2}H${x1 + 7}` :
    dir > 0 ? `M${x1 + 7} ${y1}H${x1 + 10}V${y2 - turn}Q${x1 + 10} ${y2} ${x1 + 15} ${y2}H${x2 - 10}` :
      `M${x1 - 8} ${y1}H${x2 + 15}Q${x2 + 10} ${y1} ${x2 + 10} ${y1 + turn}V${y2}H${x2 + 7}`;
  return [svg('path', {class: kind, d}), ...(dir > 0 ? [svg('path', {class: kind + ' head', d: `M${x2 - 8} ${y2}l-7 -4v8z`})] : [])];
}

/* order: {steps}; o: {threads, colour, width, calm, tag, loop, pick(k)}. The result:
 * {node, at(k): step k is the one just done, find(event): the step of the same event}. */
function diagram(order, o) {
  const {steps} = order;
  const {spans, heldAt} = o.locks || lockSpans(steps);
  const gaps = [], ordinal = [];  /* rows and events left out up to a step */
  steps.forEach((e, i) => {
    gaps.push((gaps[i - 1] || 0) + (e.skipped ? 1 : 0));
    ordinal.push((ordinal[i - 1] || 0) + 1 + (e.skipped || 0));
  });
  const lanes = new Map(o.threads.map(t => [t, []]));
  for (const s of spans) {
    const mine = lanes.get(s.thread);
    s.lane = mine.indexOf(s.lock);
    if (s.lane < 0)
      s.lane = mine.push(s.lock) - 1;
    s.lane = Math.min(s.lane, 5);
  }
  const most = Math.min(6, Math.max(1, ...[...lanes.values()].map(l => l.length)));
  /* columns as wide as their longest label, as far as there is room */
  const edge = 12 + most * LANE + 17;
  const need = new Map(o.threads.map(t => [t, Math.max(110, edge + CHAR * t.length)]));
  for (const e of steps)
    need.set(e.thread, Math.max(need.get(e.thread), Math.min(420, edge + CHAR * (labelOf(e, 60) + saying(e)[1].slice(0, 40)).length)));
  const asked = [...need.values()].reduce((a, b) => a + b, 0), free = o.width - GUTTER - 6;
  const column = new Map(), left = new Map();
  let width = GUTTER;
  for (const [t, w] of need) {
    column.set(t, Math.round(asked <= free ? w + Math.min(140, (free - asked) / need.size) : Math.max(Math.min(w, 158), w * free / asked)));
    left.set(t, width);
    width += column.get(t);
  }
  width += 6;
  const life = t => left.get(t) + 12 + most * LANE;
  const room = t => Math.max(8, Math.floor((column.get(t) - edge) / CHAR));
  const y = i => TOP + ROW / 2 + ROW * (i + gaps[i]);
  const height = y(steps.length - 1) + ROW / 2 + TOP + 14;

  const names = svg('svg', {class: 'names', width, height: 28, 'aria-hidden': 'true'});
  for (const t of o.threads)
    names.append(svg('text', {x: life(t) - 4, y: 19}, short(t, room(t) + 2)));
  const root = svg('svg', {width, height, class: o.calm ? 'calm' : '', role: 'list', 'aria-label': o.label});
  const cursor = svg('rect', {class: 'cursor', x: 0, width, height: ROW, y: -ROW * 2});
  root.append(cursor);

  /* turns: who runs, and the way from one to the next */
  const back = svg('g', {'aria-hidden': 'true'});
  for (let i = 0; i < steps.length;) {
    let j = i;
    while (j + 1 < steps.length && steps[j + 1].thread === steps[i].thread && !steps[j + 1].skipped)
      j++;
    const t = steps[i].thread;
    back.append(svg('rect', {class: 'turn', x: left.get(t) + 2, width: column.get(t) - 4, y: y(i) - ROW / 2 + 1.5, height: y(j) - y(i) + ROW - 3, rx: 5}));
    if (j + 1 < steps.length && !steps[j + 1].skipped) {
      const a = life(steps[j].thread), b = life(steps[j + 1].thread), m = (y(j) + y(j + 1)) / 2;
      back.append(svg('path', {class: 'hop', d: `M${a} ${y(j)}L${a} ${m}L${b} ${m}L${b} ${y(j + 1)}`}));
    }
    i = j + 1;
  }
  for (const t of o.threads)
    back.append(svg('line', {class: 'life', x1: life(t), x2: life(t), y1: 0, y2: height}));
  for (const s of spans) {
    const from = s.fromGap ? y(s.from) - ROW : y(s.from);
    const to = s.to >= steps.length ? height : s.toGap ? y(s.to) - ROW : y(s.to);
    back.append(svg('rect', {class: `held b${o.colour.get(s.lock) || 0}` + (s.unsure ? ' unsure' : ''), x: life(s.thread) - 9 - s.lane * LANE, width: 4, rx: 2, y: from, height: Math.max(3, to - from)},
      svg('title', {}, short(s.lock, 200) + ' held by ' + short(s.thread, 60))));
  }
  root.append(back);
  steps.forEach((e, i) => {
    if (!e.skipped)
      return;
    const m = y(i) - ROW;
    root.append(svg('g', {class: 'cut'}, svg('line', {x1: GUTTER, x2: width - 8, y1: m, y2: m}),
      svg('text', {x: GUTTER + 16, y: m + 4}, ' ' + (e.fold || plural(e.skipped, 'event') + ' left out') + ' ')));
  });

  /* what the decisive events have to do with each other */
  const key = steps.map((e, i) => [e, i]).filter(([e]) => e.decisive);
  const joins = svg('g', {'aria-hidden': 'true'});
  const ends = key.map(([e, i]) => [life(e.thread), y(i)]);
  if (o.loop && ends.length > 1)
    ends.push(ends[0]);
  let tagged = false;
  const tags = [];
  for (let i = 0; i + 1 < ends.length; i++) {
    const [x1, y1] = ends[i], [x2, y2] = ends[i + 1];
    const dir = Math.sign(x2 - x1), m = (x1 + x2) / 2, row = dir > 0 ? y2 : y1;
    joins.append(...way('conflict', ends[i], ends[i + 1]));
    if (o.tag && !o.calm && !tagged && dir !== 0) {
      tagged = true;
      const w = o.tag.length * 6.4 + 14;
      tags.push(svg('g', {class: 'tag'}, svg('rect', {x: m - w / 2, y: row - 8, width: w, height: 16, rx: 8}), svg('text', {x: m, y: row + 3.5}, o.tag)));
    }
  }

  /* reads that see another value than in the run, and whose write that is */
  const wrote = new Map();
  let flows = 0;
  steps.forEach((e, i) => {
    const from = wrote.get(e.object);
    if (e.run !== undefined && !isWrite(e) && from !== undefined && steps[from].thread !== e.thread && !(e.decisive && steps[from].decisive) && flows++ < 8)
      joins.append(...way('flows', [life(steps[from].thread), y(from)], [life(e.thread), y(i)]));
    if (isWrite(e))
      wrote.set(e.object, i);
  });

  const groups = steps.map((e, i) => {
    const [what, full] = saying(e);
    const value = e.op === 'line' && full ? ' ' + short(full, Math.max(8, Math.floor(room(e.thread) * 0.45))) : full;
    const x = life(e.thread), yy = y(i);
    const kind = e.decisive ? 'decisive' : isQuiet(e) ? 'quiet' : isWrite(e) ? 'write' : isAcquire(e) ? 'acq' : '';
    const label = labelOf(e, Math.max(6, room(e.thread) - value.length));
    const g = svg('g', {class: 'ev ' + kind, role: 'listitem', tabindex: i ? '-1' : '0',
      'aria-label': `${i + 1}: ${short(e.thread, 40)} ${short(what, 120)}${value}${place(e) ? ', ' + short(place(e), 120) : ''}`},
      svg('rect', {class: 'hit', x: left.get(e.thread) + 2, y: yy - ROW / 2 + 1.5, width: column.get(e.thread) - 4, height: ROW - 3, rx: 5}),
      svg('text', {class: 'no', x: GUTTER - 8, y: yy + 4}, String(ordinal[i])),
      svg('circle', {class: 'pt', cx: x, cy: yy, r: e.decisive ? 7.5 : kind === 'quiet' ? 2 : 3.5}),
      e.decisive && svg('text', {class: 'k', x, y: yy + 3.6}, String(e.decisive)),
      svg('text', {x: x + 13, y: yy + 4}, label, value && svg('tspan', {class: 'value' + (e.run !== undefined ? ' differs' : '')}, value)));
    const tell = () => showTip(g, tipLines(e, heldAt[i]));
    g.addEventListener('pointerenter', tell);
    g.addEventListener('pointerleave', hideTip);
    g.addEventListener('focus', () => g.matches(':focus-visible') && tell());
    g.addEventListener('blur', hideTip);
    g.addEventListener('click', () => o.pick(i + 1, e));
    g.addEventListener('keydown', v => {
      const to = {ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: steps.length - 1}[v.key];
      if (v.key === 'Enter' || v.key === ' ') {
        v.preventDefault();
        o.pick(i + 1, e);
      } else if (to !== undefined) {
        v.preventDefault();
        if (groups[to]) {
          groups[i].setAttribute('tabindex', '-1');
          groups[to].setAttribute('tabindex', '0');
          groups[to].focus();
          o.pick(to + 1, steps[to]);
        }
      }
    });
    return g;
  });
  joins.append(...tags);
  root.append(...groups, joins);
  const node = el('div', {class: 'flow'}, names, root);

  let now = -1;
  /* k steps are done. all: nothing is dimmed. */
  function at(k, all) {
    if (now >= 0 && groups[now])
      groups[now].classList.remove('now');
    now = k - 1;
    groups.forEach((g, i) => g.classList.toggle('later', !all && i >= k));
    if (now < 0) {
      cursor.setAttribute('y', -ROW * 2);
      return;
    }
    groups[now].classList.add('now');
    cursor.setAttribute('y', y(now) - ROW / 2);
    /* only the diagram scrolls, never the page */
    const top = y(now) - ROW, bottom = y(now) + ROW * 3;
    if (top < node.scrollTop)
      node.scrollTop = top;
    else if (bottom > node.scrollTop + node.clientHeight)
      node.scrollTop = bottom - node.clientHeight;
    const x = life(steps[now].thread);
    if (x - 30 < node.scrollLeft || x + 120 > node.scrollLeft + node.clientWidth)
      node.scrollLeft = Math.max(0, x - 60);
  }
  const find = e => steps.findIndex(s => s.thread === e.thread && s.index === e.index);
  return {node, at, find, heldAt};
}
