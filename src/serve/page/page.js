/* The store: a list with filters; of each finding its history, verdict and replay. Everything from the store is put in as
 * text, never as markup. Addresses are relative: they begin with the token of this page's own. */
const $ = id => document.getElementById(id);
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {}))
    if (k.startsWith('on'))
      node.addEventListener(k.slice(2), v);
    else if (v !== false)
      node.setAttribute(k, v === true ? '' : v);
  for (const c of children.flat())
    node.append(c);
  return node;
}
async function ask(path, body) {
  const options = body ? {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)} : {};
  const answer = await fetch(path, options);
  const data = await answer.json();
  if (!answer.ok)
    throw new Error(data.error || 'status ' + answer.status);
  return data;
}
const day = text => text.slice(0, 16).replace('T', ' ');
const many = (n, word) => n + ' ' + word + (n === 1 ? '' : 's');

let all = {findings: [], runs: []};

function tags(f) {
  return [f.status, f.state].map(t => el('span', {class: 'tag ' + t}, t));
}

async function detail(f, box) {
  const failed = e => say.replaceChildren(el('span', {class: 'bad'}, e.message));
  const say = el('p', {role: 'status'});
  const history = el('ul', {class: 'runs'});
  const verdict = el('select', {name: 'verdict', 'aria-label': 'Verdict'},
    ['open', 'false-positive', 'wontfix', 'fixed'].map(v => el('option', {selected: v === f.triage}, v)));
  const note = el('input', {name: 'note', 'aria-label': 'Note', placeholder: 'why', value: f.note});
  const form = el('form', {onsubmit: async e => {
    e.preventDefault();
    try {
      await ask('api/triage', {fingerprint: f.fingerprint, verdict: verdict.value, note: note.value});
      await load(f.fingerprint);
    } catch (x) { failed(x); }
  }}, verdict, note, el('button', {type: 'submit'}, 'Save'));
  const output = el('pre', {class: 'output', hidden: true});
  const button = el('button', {type: 'button', onclick: async () => {
    try {
      button.disabled = true;
      await ask('api/replay', {fingerprint: f.fingerprint});
      output.hidden = false;
      for (;;) {
        const r = await ask('api/replay');
        output.textContent = r.output || '…';
        if (r.over) {
          say.textContent = r.status === 1 ? 'Replayed: it happens.' : r.status === 0 ? 'Replayed: it did not happen.' : 'The replay ended with status ' + r.status + '.';
          break;
        }
        await new Promise(go => setTimeout(go, 300));
      }
    } catch (x) { failed(x); }
    button.disabled = false;
  }}, 'Replay');
  box.replaceChildren(form, el('p', {}, el('a', {href: 'finding/' + f.fingerprint}, 'Its report'), ' ', button), say, output,
    el('h3', {}, 'History'), history);
  try {
    const h = await ask('api/history/' + f.fingerprint);
    history.replaceChildren(...h.sightings.map(s => el('li', {}, el('a', {href: 'run/' + s.run}, 'run ' + s.run), ' ' + day(s.when) + ' ' + s.program + ': ' + s.id + ' ' + s.status)));
    if (h.tests.length)
      history.before(el('p', {class: 'facts tests'}, 'shown by ' + h.tests.join(', ')));
  } catch (x) { failed(x); }
}

function row(f, open) {
  const box = el('div', {class: 'detail'});
  const more = el('details', {ontoggle: () => { if (more.open && !box.hasChildNodes()) detail(f, box); }},
    el('summary', {}, tags(f), f.message,
      el('div', {class: 'facts'}, f.fingerprint.slice(0, 8) + ' · ' + f.kind + ' · ' + f.program + ' · ' + many(f.runs, 'run') + ', first ' + day(f.first_seen) + ', last ' + day(f.last_seen) +
        (f.note ? ' · ' + f.note : '') + (f.unseen ? ' · not seen since' : ''))),
    box);
  more.open = open;
  return el('li', {'data-fingerprint': f.fingerprint}, more);
}

function show(opened) {
  const want = Object.fromEntries(new FormData($('filters')));
  const text = want.text.toLowerCase();
  const some = all.findings.filter(f => (!want.state || f.state === want.state) && (!want.status || f.status === want.status) &&
    (!want.kind || f.kind === want.kind) && (!text || (f.message + ' ' + f.program + ' ' + f.fingerprint + ' ' + f.note).toLowerCase().includes(text)));
  $('count').textContent = many(some.length, 'finding') + (some.length === all.findings.length ? '' : ' of ' + all.findings.length);
  $('list').replaceChildren(...some.map(f => row(f, f.fingerprint === opened)));
}

async function load(opened) {
  all = await ask('api/findings');
  $('store').textContent = all.store;
  const kind = $('filters').elements.kind, was = kind.value;
  kind.replaceChildren(el('option', {value: ''}, 'all'), ...[...new Set(all.findings.map(f => f.kind))].sort().map(k => el('option', {}, k)));
  kind.value = was;
  $('runs').replaceChildren(...all.runs.slice(0, 100).map(r => el('li', {}, el('a', {href: 'run/' + r.run}, 'run ' + r.run), ' ' + day(r.began) + ' ' + r.program + ': ' + many(r.findings, 'finding'))));
  show(opened);
}

$('filters').addEventListener('input', () => show());
$('filters').addEventListener('submit', e => e.preventDefault());
load().catch(e => { $('count').textContent = e.message; });
