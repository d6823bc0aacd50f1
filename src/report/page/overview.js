/* The overview: what was looked at, what came of it, the table of findings. */

const STATUS = ['confirmed', 'proved', 'possible', 'refuted'];
/* in the order in which they are told */
const stagesOf = row => Object.keys(row).filter(s => typeof row[s] === 'number');
const CHUNK = 200;
/* What is chosen in the table stays when one comes back from a finding. */
const chosen = {text: '', status: new Set(), kind: new Set(), known: true, sort: '', down: false};

function funnelPart() {
  const kinds = Object.entries(dossier.funnel || {});
  if (!kinds.length)
    return null;
  return el('section', {class: 'panel', 'aria-label': 'Funnel'}, el('header', {}, el('h2', {}, 'Funnel'), el('span', {class: 'small soft'}, 'what each stage left over')),
    el('div', {class: 'funnel'}, kinds.map(([kind, row]) => {
      if (!stagesOf(row).some(s => row[s]))
        return el('div', {}, el('h3', {}, kind, el('span', {}, row.unit || '')), el('p', {class: 'small faint'}, 'no candidates'));
      const stages = stagesOf(row), most = Math.max(1, ...stages.map(s => row[s]));
      return el('div', {}, el('h3', {}, kind, el('span', {}, row.unit || '')), el('dl', {}, stages.map((s, i) => {
        const bar = el('span', {class: 'fill'});
        bar.style.width = (100 * row[s] / most).toFixed(2) + '%';
        return [el('dt', {}, s), el('dd', {class: 'bar-cell' + (i === stages.length - 1 ? ' last' : '') + (row[s] ? '' : ' zero')}, bar), el('dd', {class: 'n'}, number(row[s]))];
      })));
    })));
}

function headPart() {
  const t = dossier.trace || {};
  const name = dossier.program || (dossier.input || [])[0] || 'report';
  const fact = (n, one, many) => n !== undefined && el('span', {}, el('b', {}, number(n)), ' ' + (n === 1 ? one : many || one + 's'));
  return el('div', {class: 'head'}, el('h1', {}, short(dossier.program ? base(name) : name, 160)),
    dossier.program && el('p', {class: 'code'}, short([dossier.program, ...(dossier.args || []).slice(dossier.args && dossier.args[0] === dossier.program ? 1 : 0)].join(' '), 400)),
    el('p', {class: 'facts'}, dossier.when && el('span', {}, clean(dossier.when).replace('T', ' ').replace('Z', ' UTC')), t.events !== 0 && fact(t.events, 'event'), fact(t.threads, 'thread'), fact(t.locks, 'lock'), fact(t.vars, 'variable'),
      dossier.stats && dossier.stats.seconds !== undefined && el('span', {}, 'checked in ', el('b', {}, dossier.stats.seconds.toFixed(2)), ' s'),
      el('span', {}, 'augur ' + (dossier.version || ''))),
    dossier.cwd && el('p', {class: 'small faint'}, 'in ', code(dossier.cwd, 160)));
}

/* Rows of the table; what is looked for and sorted by is made once. */
let rows = null;
function allRows() {
  if (rows)
    return rows;
  rows = findings.map((f, i) => {
    const where = (f.events || []).slice(0, 3).map(e => {
      const p = usersPlace(e);
      return [e.thread, p ? base(p.file) + ':' + p.line : place(e), p ? p.file + ':' + p.line : place(e)];
    });
    const object = f.var || f.lock || f.what || '';
    return {f, i, object, where, replay: (f.replay && f.replay.outcome) || 'not tried', status: STATUS.indexOf(f.status),
      text: [f.id, f.status, f.kind, object, f.message || '', f.triage || '', ...where.map(w => w[2]), ...(f.events || []).map(e => e.function || '')].join('\n').toLowerCase()};
  });
  return rows;
}

const COLUMNS = [
  ['id', 'Finding', r => r.i], ['status', 'Status', r => r.status], ['kind', 'Kind', r => r.f.kind], ['object', 'Object', r => r.object],
  ['where', 'Where', r => (r.where[0] || ['', ''])[1]], ['replay', 'Replay', r => r.replay],
];

function rowNode(r) {
  const f = r.f;
  return el('tr', {class: f.known ? 'known' : null},
    el('td', {class: 'c-id'}, el('a', {href: '#' + encodeURIComponent(f.id)}, f.id)),
    el('td', {class: 'c-status'}, badge(f.status)), el('td', {class: 'c-kind soft'}, f.kind + (f.pattern ? ' ' + f.pattern : '')),
    el('td', {class: 'c-object'}, el('span', {class: 'clip'}, code(r.object, 90)), el('span', {class: 'tags'}, said(f))),
    el('td', {class: 'c-where'}, el('span', {class: 'sides'}, r.where.map(([t, p, whole]) => el('span', {class: 'clip'}, el('span', {class: 'soft'}, short(t, 16) + ' '), el('code', {title: clean(whole).slice(0, 300)}, short(p, 70)))))),
    el('td', {class: 'c-replay small soft'}, r.replay));
}

function tablePart() {
  const body = el('tbody', {}), foot = el('div', {class: 'foot', role: 'status'});
  const collate = new Intl.Collator('en', {numeric: true}).compare;
  let list = [], shown = 0;
  function more(n) {
    body.append(...list.slice(shown, shown + n).map(rowNode));
    shown = Math.min(list.length, shown + n);
    foot.replaceChildren(el('span', {}, list.length === findings.length ? plural(list.length, 'finding') : `${number(list.length)} of ${plural(findings.length, 'finding')}`),
      ...(shown < list.length ? [el('button', {type: 'button', class: 'quiet', onclick: () => more(Infinity)}, `Show all (${number(list.length - shown)} more)`)] : []));
  }
  const sorts = new Map();
  function apply() {
    const words = chosen.text.toLowerCase().split(/\s+/).filter(Boolean);
    list = allRows().filter(r => (!chosen.status.size || chosen.status.has(r.f.status)) && (!chosen.kind.size || chosen.kind.has(r.f.kind)) &&
      (chosen.known || !r.f.known) && words.every(w => r.text.includes(w)));
    const column = COLUMNS.find(c => c[0] === chosen.sort);
    if (column) {
      const by = column[2], sign = chosen.down ? -1 : 1;
      list.sort((a, b) => {
        const x = by(a), y = by(b);
        return sign * (typeof x === 'number' ? x - y : collate(x, y)) || a.i - b.i;
      });
    }
    for (const [id, th] of sorts)
      th.setAttribute('aria-sort', id === chosen.sort ? (chosen.down ? 'descending' : 'ascending') : 'none');
    body.replaceChildren();
    shown = 0;
    more(CHUNK);
  }
  const toggles = (set, values, of) => values.length < 2 ? null : el('div', {class: 'group'}, values.map(v => el('button', {type: 'button', 'aria-pressed': String(set.has(v)), onclick: e => {
    if (!set.delete(v))
      set.add(v);
    e.currentTarget.setAttribute('aria-pressed', String(set.has(v)));
    apply();
  }}, v, el('span', {}, number(findings.filter(f => f[of] === v).length)))));
  const there = (of, known) => known.filter(v => findings.some(f => f[of] === v)).concat([...new Set(findings.map(f => f[of]))].filter(v => !known.includes(v)));
  const search = el('input', {type: 'search', placeholder: 'Filter: variable, function, file …', 'aria-label': 'Filter findings', oninput: e => { chosen.text = e.target.value; apply(); }});
  search.value = chosen.text;
  const heads = COLUMNS.map(([id, text]) => {
    const th = el('th', {class: 'c-' + id, scope: 'col'}, el('button', {type: 'button', onclick: () => {
      chosen.down = chosen.sort === id && !chosen.down;
      chosen.sort = id;
      apply();
    }}, text));
    sorts.set(id, th);
    return th;
  });
  const knowns = findings.filter(f => f.known).length;
  /* the rest of a long table comes as it is scrolled to, and before printing */
  const watch = new IntersectionObserver(seen => {
    if (seen.some(s => s.isIntersecting) && shown < list.length)
      more(CHUNK);
  }, {rootMargin: '600px'});
  watch.observe(foot);
  const whole = () => more(Infinity);
  addEventListener('beforeprint', whole);
  leaving.push(() => { watch.disconnect(); removeEventListener('beforeprint', whole); });
  const node = el('section', {class: 'panel tall', 'aria-label': 'Findings', id: 'findings'}, el('header', {}, el('h2', {}, 'Findings')),
    findings.length > 1 && el('div', {class: 'tools', role: 'search'}, search, toggles(chosen.status, there('status', STATUS), 'status'), toggles(chosen.kind, there('kind', []), 'kind'),
      knowns > 0 && el('button', {type: 'button', 'aria-pressed': String(!chosen.known), onclick: e => { chosen.known = !chosen.known; e.currentTarget.setAttribute('aria-pressed', String(!chosen.known)); apply(); }}, 'Only new', el('span', {}, number(findings.length - knowns)))),
    el('table', {class: 'list'}, el('thead', {}, el('tr', {}, heads)), body), foot);
  apply();
  return node;
}

/* "2 new bugs": what is not known, and sure or not. */
function headline() {
  const fresh = findings.filter(f => !f.known && f.status !== 'refuted'), sure = fresh.filter(f => f.status !== 'possible').length;
  const rest = fresh.length - sure, known = findings.length - fresh.length;
  const parts = [sure > 0 && plural(sure, 'new bug'), rest > 0 && `${number(rest)} possible`, known > 0 && `${number(known)} known`].filter(Boolean);
  return sure > 0 ? parts.join(', ') : ['No new bugs', ...parts].join(', ');
}

function showOverview() {
  const count = s => findings.filter(f => f.status === s).length;
  const texts = (title, list) => (list || []).length > 0 && el('section', {class: 'panel', 'aria-label': title}, el('header', {}, el('h2', {}, title)),
    el('ul', {class: 'pad notes'}, list.slice(0, 200).map(t => el('li', {class: 'note'}, short(t, 1000))), list.length > 200 && el('li', {class: 'soft'}, `and ${number(list.length - 200)} more`)));
  show('augur · ' + (dossier.program ? base(dossier.program) : (dossier.input || [''])[0]));
  view.append(...[
    headPart(),
    findings.length > 0 && el('p', {class: 'headline'}, headline()),
    el('section', {class: 'panel tiles', 'aria-label': 'Summary'}, STATUS.filter(s => s !== 'refuted' || count(s)).map(s => el('div', {class: 'tile ' + (count(s) ? s : 'none')}, el('b', {}, number(count(s))), el('span', {class: 'small soft'}, s)))),
    findings.length ? tablePart() : el('section', {class: 'panel'}, el('div', {class: 'pad'}, (dossier.inconclusive || []).length ? 'Nothing was found, but not everything could be decided.' : 'Nothing was found in any other order of these events.')),
    texts('Not decided', dossier.inconclusive), texts('Notes', dossier.notes),
    (funnelPart() || dossier.explored) && el('details', {class: 'details'}, el('summary', {}, 'Details'), funnelPart(), dossier.explored && texts('Exploration', [dossier.explored])),
  ].filter(Boolean));
}
