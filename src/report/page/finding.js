/* A finding: what it is, how it comes about, how it did not come about in the run. */

/* An order as it is played: its steps; decisive events that a witness only leads to come last. */
function orderOf(f, which) {
  const seen = new Map();
  for (const v of f.values || [])
    seen.set(v.thread + ' ' + v.index + ' ' + v.var, v);
  const steps = (f[which] || []).map(e => {
    const v = seen.get(e.thread + ' ' + e.index + ' ' + e.object);
    return which === 'witness' && e.value === undefined && v !== undefined ? {...e, value: v.value, exact: v.exact} : {...e};
  });
  /* what is proved without a schedule can happen at once */
  if (which === 'witness' && (steps.length || /^(confirmed|proved)$/.test(f.status)))
    (f.events || []).forEach((e, k) => {
      let i = steps.findIndex(s => s.decisive === k + 1);
      if (i < 0)
        i = steps.findIndex(s => s.thread === e.thread && s.index === e.index);
      if (i < 0)
        i = steps.push({...e}) - 1;
      steps[i].decisive = k + 1;
      if (e.op === 'assert')
        steps[i].op = e.op;
      /* threads that wait for each other have not got what they ask for */
      if (kindOf(f) === 'deadlock' && isAcquire(steps[i]))
        steps[i].blocked = true;
    });
  const cut = f[which + '_cut'];
  if (cut > 0 && cut < steps.length && !steps.some(e => e.skipped))
    steps[cut].skipped = f[which + '_left_out'] || 0;
  return {steps, left: f[which + '_left_out'] || 0};
}

/* Where the witness sees or stores another value than the run did: e.run is the run's. */
function compare(witness, observed) {
  const key = e => e.thread + ' ' + e.index + ' ' + e.object;
  const was = new Map(observed.steps.filter(e => e.value !== undefined).map(e => [key(e), valueOf(e)]));
  for (const e of witness.steps)
    if (e.value !== undefined && was.has(key(e)) && was.get(key(e)) !== valueOf(e))
      e.run = was.get(key(e));
}

function threadsOf(f, orders) {
  const names = new Set();
  for (const o of orders)
    for (const e of o.steps)
      names.add(e.thread);
  const decisive = new Set((f.events || []).map(e => e.thread));
  const order = new Intl.Collator('en', {numeric: true}).compare;
  /* with many threads those that matter come first */
  return [...names].sort((a, b) => (names.size > 6 ? decisive.has(b) - decisive.has(a) : 0) || order(a, b));
}

/* Values of shared variables after k steps. */
function valuesAt(order, k) {
  const at = new Map();
  order.steps.slice(0, k).forEach((e, i) => {
    if (e.skipped)
      for (const v of at.values())
        v.old = true;
    if (!e.object || !(isAccess(e) || e.op === 'assert'))
      return;
    if (e.value !== undefined && e.value !== null)
      at.set(e.object, {value: valueOf(e), by: isWrite(e) ? e.thread : (at.get(e.object) || {}).by, step: i});
    else if (isWrite(e))
      at.set(e.object, {by: e.thread, step: i});
  });
  return at;
}

function valueTable(witness, observed, f) {
  const every = [...new Set(witness.steps.filter(e => (isAccess(e) || e.op === 'assert') && e.object).map(e => e.object))];
  /* of a program only what its story speaks of */
  const said = (f.story || []).map(l => l.does || '').join('\n');
  const about = every.filter(n => n === f.var || said.includes(n.split(' in ')[0]) || (f.events || []).some(e => e.object === n));
  const names = f.story && f.story.length || every.length > MANY || kindOf(f) === 'deadlock' ? about : every;
  const end = valuesAt(observed, observed.steps.length);
  const rows = names.map(n => {
    const now = el('td', {class: 'num'}), by = el('td', {class: 'soft'});
    const e = end.get(n);
    return {name: n, now, by, end: e && e.value,
      node: el('tr', {}, el('td', {class: 'name'}, code(n, 48)), now, by, el('td', {class: 'num soft'}, e && e.value !== undefined ? String(e.value) : observed.steps.length ? '–' : ''))};
  });
  const node = el('table', {class: 'values'}, el('thead', {}, el('tr', {}, el('th', {}, 'Variable'), el('th', {class: 'num'}, 'Now'), el('th', {}, 'By'), el('th', {class: 'num', title: 'The last value in the observed order'}, observed.steps.length ? 'In the run' : ''))),
    el('tbody', {}, rows.length ? rows.map(r => r.node) : el('tr', {}, el('td', {colspan: '4', class: 'soft'}, 'No shared variable is touched.'))));
  function at(k) {
    const values = valuesAt(witness, k);
    for (const r of rows) {
      const v = values.get(r.name);
      r.now.textContent = !v || v.old ? '–' : v.value === undefined ? '?' : String(v.value);
      r.by.textContent = v && v.by ? short(v.by, 16) : '';
      r.node.classList.toggle('changed', !!v && v.step === k - 1);
      r.now.classList.toggle('other', k === witness.steps.length && !!v && !v.old && v.value !== undefined && r.end !== undefined && v.value !== r.end);
    }
  }
  return {node, at};
}

/* The calls that led to an event, those of libraries only on demand. */
function callers(e) {
  const all = e.callers || [];
  const own = all.filter(c => c.file && !/^(\/usr|<augur>)\//.test(c.file));
  const list = of => of.map(c => el('li', {}, code(c.function, 90), ' ', el('span', {class: 'dim'}, short((c.file || '') + (c.line ? ':' + c.line : ''), 120))));
  if (!all.length)
    return '';
  const calls = el('ol', {}, list(own));
  const node = el('div', {class: 'callers small soft'}, calls);
  if (own.length === all.length)
    return node;
  const more = el('button', {type: 'button', class: 'quiet', onclick: () => {
    calls.replaceChildren(...list(all));
    more.remove();
  }}, `${all.length - own.length} more in libraries`);
  node.append(more);
  return node;
}

function side(e, k, known, kind) {
  const [what, value] = saying({...e, blocked: kind === 'deadlock' && isAcquire(e)});
  return el('div', {class: 'side'}, el('span', {class: 'dot'}, String(k + 1)),
    el('div', {}, el('b', {}, short(e.thread, 60)), ' ', code(what + value, 90)),
    el('div', {class: 'small soft'}, e.function ? [code(e.function, 90), ' '] : '', code(place(e) || 'place not known', 120)),
    el('div', {class: 'small soft'}, e.held && e.held.length ? ['holds ', e.held.map((l, i) => [i ? ', ' : '', code(l, 50)])] : known ? 'holds no lock' : ''),
    callers(e));
}

const ICONS = {
  first: 'M3 3v10M13 3v10L5 8z', back: 'M10.5 3l-5 5 5 5', play: 'M4 2.5v11l9-5.5z', pause: 'M4 3h3v10H4zM9 3h3v10H9z', on: 'M5.5 3l5 5-5 5', last: 'M3 3v10l8-5zM13 3v10',
};
const icon = name => svg('svg', {viewBox: '0 0 16 16', width: 13, height: 13, class: 'icon ' + name, 'aria-hidden': 'true'}, svg('path', {d: ICONS[name]}));

function command(text) {
  const line = el('code', {}, clean(text));
  const copy = el('button', {type: 'button', class: 'quiet', onclick: () => {
    const done = ok => {
      copy.textContent = ok ? 'Copied' : 'Selected';
      setTimeout(() => { copy.textContent = 'Copy'; }, 1500);
    };
    getSelection().selectAllChildren(line);
    if (navigator.clipboard)
      navigator.clipboard.writeText(text).then(() => done(true), () => done(false));
    else
      done(false);
  }}, 'Copy');
  return el('div', {class: 'cmd'}, line, copy);
}

const OUTCOME = {
  'confirmed': ['confirmed', 'Executed on the program: it happens.'],
  'not shown': ['possible', 'Executed on the program, but this did not come of it.'],
  'diverged': ['possible', 'The program could not be led there.'],
  'not tried': ['possible', 'Not executed on the program.'],
};

/* What of the finding was triaged, known, suppressed. */
function said(f) {
  return [f.triage && badge(f.triage, 'good'), f.known && badge('known', 'possible')];
}

/* The kind that it is an instance of: a use after free is a race. */
function kindOf(f) {
  return f.also || f.kind;
}

/* Opens the line in an editor that registers for such addresses; of a file whose place is not known it is only text. */
function editorLink(l) {
  const path = !l.file || isForeign(l.file) ? '' : l.file[0] === '/' ? l.file : dossier.cwd ? dossier.cwd + '/' + l.file : '';
  return path ? el('a', {href: 'vscode://file' + path.split('/').map(encodeURIComponent).join('/') + ':' + l.line, title: clean(path).slice(0, 300)}, short(l.place, 60)) : short(l.place, 60);
}

/* The lines that matter, in the order in which they run, and what to do. */
function story(f) {
  const lines = f.story || [];
  if (!lines.length && !f.advice)
    return null;
  return el('section', {class: 'panel story', 'aria-label': 'Story'}, el('header', {}, el('h2', {}, 'What happens')),
    lines.length > 0 && el('table', {class: 'story-lines'}, el('tbody', {}, lines.map(l => el('tr', {class: l.decisive ? 'decisive' : ''},
      el('td', {}, short(l.thread, 40)), el('td', {class: 'soft'}, editorLink(l)), el('td', {}, el('code', {}, short(l.source || '', 120))), el('td', {}, short(l.does || '', 160)))))),
    waitCycle(f),
    f.harm_text && el('p', {class: 'advice'}, el('b', {}, 'What it does: '), short(f.harm_text, 400)),
    f.advice && el('p', {class: 'advice'}, el('b', {}, 'What to do: '), f.advice),
    f.variants > 0 && el('details', {class: 'variants'}, el('summary', {}, `${number(f.variants)} variant${f.variants === 1 ? '' : 's'} of the same cause`),
      el('ul', {}, (f.folded || []).map(v => el('li', {}, el('span', {class: 'id'}, v.id), ' ', badge(v.status), ' ', short(v.message || v.kind, 300))))));
}

function header(f, i) {
  const link = (j, text) => findings[j] ? el('a', {href: '#' + encodeURIComponent(findings[j].id), rel: text}, text === 'prev' ? '← ' + findings[j].id : findings[j].id + ' →') : null;
  const subject = f.var || f.lock || '';
  return el('div', {class: 'title'},
    el('div', {class: 'row'}, el('span', {class: 'id'}, f.id), badge(f.status), el('span', {class: 'soft'}, f.kind + (f.pattern ? ' ' + f.pattern : '')), said(f),
      el('span', {class: 'steps'}, link(i - 1, 'prev'), link(i + 1, 'next'))),
    el('h1', {title: clean(f.message || '').slice(0, 600)}, short((f.message || f.kind).replace(/(?:\/[^\s\/:,']+)+\/([^\s\/:,']+:\d+)/g, '$1'), 400)),
    subject.length > 80 && el('details', {class: 'long'}, el('summary', {}, `The whole name (${number(subject.length)} characters)`), el('code', {}, clean(subject))),
    f.reason && el('p', {class: 'note'}, f.reason),
    f.note && el('p', {class: 'note'}, f.note));
}

function replayPart(f) {
  const r = f.replay;
  if (!r && !(f.schedule || []).length)
    return null;
  const [kind, text] = OUTCOME[r && r.outcome] || OUTCOME['not tried'];
  const turns = (f.schedule || []).map(([t, upto, mark]) => short(t, 24) + ':' + upto + (mark ? ' (' + mark + ')' : ''));
  return el('section', {class: 'panel', 'aria-label': 'Replay'}, el('header', {}, el('h2', {}, 'Replay'), badge(r ? r.outcome : 'not tried', kind)),
    el('div', {class: 'pad'}, el('ul', {class: 'notes'},
      el('li', {}, text, ' ', r && r.text ? el('span', {class: 'soft'}, short(r.text, 600)) : ''),
      r && r.command && el('li', {}, command(r.command)),
      turns.length > 0 && el('li', {class: 'small soft'}, 'Schedule: ', el('span', {class: 'code'}, turns.slice(0, 60).join('  ') + (turns.length > 60 ? `  … ${turns.length - 60} more turns` : ''))))));
}

const LEGIBLE = 260; /* pixels for a thread */

/* The two orders, the slider, the values and the sources. */
function playing(f) {
  const predicted = orderOf(f, 'witness'), run = orderOf(f, 'observed');
  /* without a predicted order the run is played */
  const only = !predicted.steps.length;
  /* found by going there: the recorded run is the one that shows it */
  const same = !only && (f.witness || []).length > 1 && f.witness.every((e, i) => run.steps[i] && run.steps[i].thread === e.thread && run.steps[i].index === e.index);
  const witness = only ? run : predicted, observed = only || same ? {steps: [], left: 0} : run;
  if (!witness.steps.length)
    return null;
  const title = only ? 'Observed order' : f.status === 'confirmed' ? 'Confirmed order' : 'Predicted order';
  compare(witness, observed);
  const n = witness.steps.length;
  const threads = threadsOf(f, [witness, observed]);
  const colour = lockColours([witness.steps, observed.steps]);
  const marks = new Map();
  (f.events || []).forEach((e, k) => {
    const at = usersPlace(e) || e, p = at.file + ':' + at.line;
    marks.set(p, marks.has(p) ? marks.get(p) + ',' + (k + 1) : String(k + 1));
  });
  const matters = new Set([...(f.events || []), ...(f.story || [])].map(e => e.thread));
  const values = valueTable(witness, observed, f), source = panes(witness.steps, threads.length > 2 ? threads.filter(t => matters.has(t)) : threads, marks);
  const stage = el('div', {class: 'stage', 'data-show': 'witness'});
  const slider = el('input', {type: 'range', min: '0', max: String(n), step: '1', 'aria-label': 'Step', id: 'step'});
  const count = el('output', {for: 'step'}), now = el('div', {class: 'now', 'aria-live': 'polite'});
  const play = el('button', {type: 'button', 'aria-label': 'Play', title: 'Play'}, icon('play'));
  /* the lines that matter; event by event where these are few, or on demand */
  let mode = n > FEW && (f.story || []).length ? 'lines' : 'events';
  let pictures = null, step = n, timer = null;

  function draw() {
    /* side by side if lines of source can be read there */
    const whole = Math.min(1400, document.documentElement.clientWidth - (innerWidth > 640 ? 44 : 26));
    const room = mode !== 'lines' || whole / 2 / Math.max(1, matters.size) > LEGIBLE;
    const two = innerWidth > 1020 && observed.steps.length > 0 && room, width = whole / (two ? 2 : 1) - 18;
    stage.classList.toggle('one', !room);
    if (tabs)
      tabs.classList.toggle('on', !room);
    const common = {threads, colour, width};
    const make = (order, how, also) => (mode === 'lines' && lineDiagram(order, how, f, also)) || diagram(order, how);
    const w = make(witness, {...common, label: only ? 'The observed order' : 'The predicted order', calm: only, tag: kindOf(f) === 'race' ? 'race' : kindOf(f) === 'deadlock' ? 'deadlock' : '', loop: kindOf(f) === 'deadlock', pick: k => go(k)});
    const o = observed.steps.length ? make(observed, {...common, label: 'The observed order', calm: true, pick: (k, e) => { const j = w.find(e); if (j >= 0) go(j + 1); }}, w.places) : null;
    stage.replaceChildren(
      el('section', {class: 'witness'}, el('h3', {}, title, el('span', {}, plural(n + witness.left, 'step'))), w.node),
      ...(o ? [el('section', {class: 'observed'}, el('h3', {}, 'Observed order', el('span', {}, 'what the recorded run did')), o.node)] : []));
    pictures = {w, o};
  }
  function go(k) {
    step = Math.max(0, Math.min(n, k));
    slider.value = String(step);
    const e = witness.steps[step - 1];
    const [what, value] = e ? saying(e) : ['', ''];
    count.textContent = `step ${step} of ${n}`;
    slider.setAttribute('aria-valuetext', e ? `step ${step} of ${n}: ${short(e.thread, 40)} ${short(what, 100)}${value}` : 'before the first step');
    now.replaceChildren(...(e ? [el('b', {}, short(e.thread, 40) + '  '), el('span', {class: 'code'}, short(what, 90) + value), el('span', {class: 'soft'}, '   ' + short(place(e), 60))] : [el('span', {class: 'soft'}, 'before the first step')]));
    map.at(step);
    pictures.w.at(step);
    if (pictures.o)
      pictures.o.at(e ? pictures.o.find(e) + 1 : 0, true);
    values.at(step);
    source.at(step);
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    play.replaceChildren(icon('play'));
    play.setAttribute('aria-label', 'Play');
  }
  play.addEventListener('click', () => {
    if (timer)
      return stop();
    if (step === n)
      go(0);
    play.replaceChildren(icon('pause'));
    play.setAttribute('aria-label', 'Pause');
    timer = setInterval(() => (step < n ? go(step + 1) : stop()), 650);
  });
  slider.addEventListener('input', () => go(Number(slider.value)));
  const jump = (text, label, to) => el('button', {type: 'button', 'aria-label': label, title: label, onclick: () => { stop(); go(to()); }}, text);
  const firstDecisive = witness.steps.findIndex(e => e.decisive);
  const every = mode === 'lines' && el('button', {type: 'button', class: 'quiet every', 'aria-pressed': 'false', onclick: () => {
    mode = mode === 'lines' ? 'events' : 'lines';
    every.setAttribute('aria-pressed', String(mode === 'events'));
    draw();
    go(step);
  }}, 'Every event');
  const player = el('div', {class: 'player'}, jump(icon('first'), 'To the beginning', () => 0), jump(icon('back'), 'A step back', () => step - 1), play,
    jump(icon('on'), 'A step on', () => step + 1), firstDecisive >= 0 && jump(el('span', {class: 'dot mini'}, '1'), 'To the first decisive step', () => firstDecisive + 1), jump(icon('last'), 'To the end', () => n), slider, count, every || '', now);

  const tabs = observed.steps.length ? el('div', {class: 'tabs', role: 'group', 'aria-label': 'Which order'}) : null;
  for (const [id, text] of tabs ? [['witness', title], ['observed', 'Observed order']] : [])
    tabs.append(el('button', {type: 'button', class: 'quiet', 'aria-pressed': String(id === 'witness'), onclick: v => {
      stage.dataset.show = id;
      for (const b of tabs.children)
        b.setAttribute('aria-pressed', String(b === v.currentTarget));
    }}, text));

  const map = minimap(witness.steps, threads, k => { stop(); go(k); });
  let last = innerWidth, waiting = null;
  const resized = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (innerWidth !== last) {
        last = innerWidth;
        draw();
        go(step);
      }
    }, 120);
  };
  addEventListener('resize', resized);
  leaving.push(() => { stop(); clearTimeout(waiting); removeEventListener('resize', resized); });

  draw();
  const ours = new Set((f.events || []).flatMap(e => [...(e.held || []), e.object]));
  const legend = el('div', {class: 'legend'}, el('span', {}, el('i', {class: 'dotk'}), 'decisive event'),
    [...colour].filter(([l]) => colour.size <= 3 || ours.has(l)).slice(0, 12).map(([l, c]) => el('span', {}, el('i', {class: 'b' + c}), code(l, 40), ' held')),
    witness.steps.some(e => e.run !== undefined) && el('span', {}, el('i', {class: 'flowk'}), 'another value than in the run'));
  const parts = [el('section', {class: 'panel tall', 'aria-label': 'How it comes about'}, player, map.node, tabs, stage, legend),
    el('div', {class: 'below'}, el('section', {class: 'panel', 'aria-label': 'Shared values'}, el('header', {}, el('h2', {}, 'Shared values')), el('div', {class: 'wide'}, values.node)),
      el('section', {class: 'panel', 'aria-label': 'Source'}, el('header', {}, el('h2', {}, 'Source')), source.node))];
  return {parts, only, same, begin: () => go(1 + Math.max(...witness.steps.map((e, k) => e.decisive ? k : 0), 0))};
}

function showFinding(f, i) {
  const events = f.events || [];
  const drawn = (dossier.graphs || []).map((g, k) => [g, k]).filter(([g]) => g.finding && g.finding === f.fingerprint);
  show(f.id + ' · ' + (f.message || f.kind), header(f, i));
  const p = playing(f);
  const sources = p || !events.some(e => e.line) ? null : el('section', {class: 'panel', 'aria-label': 'Source'}, el('header', {}, el('h2', {}, 'Source')), el('div', {class: 'panes'},
    events.map(e => ({...e, ...(usersPlace(e) || {})})).map(e => el('div', {class: 'pane'}, el('h3', {}, el('b', {}, short(e.thread, 40)), el('span', {class: 'code'}, short(place(e), 80))), el('div', {class: 'lines'}, linesAround(e.file, e.line))))));
  view.append(...[
    story(f),
    events.length > 0 && el('section', {class: 'panel', 'aria-label': 'Decisive events'}, el('div', {class: 'sides-list'}, events.map((e, k) => side(e, k, !!p, kindOf(f))))),
    p && p.only && el('p', {class: 'note'}, 'No schedule shows this finding. Below is the order that was observed.'), p && p.same && el('p', {class: 'note'}, 'A recorded run did it: there is no other order of the same events to compare with.'), p && p.parts, !p && el('p', {class: 'note'}, 'There is no order of events to show for this finding.'), sources, replayPart(f),
    drawn.length > 0 && el('section', {'aria-label': 'Graphs', class: 'cards'}, drawn.map(([g, k]) => el('a', {class: 'panel card', href: '#graph-' + (k + 1)}, short(graphName(g), 120)))),
  ].flat(2).filter(Boolean));
  if (p)
    p.begin();
}
