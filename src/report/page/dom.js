/* Building the document. Everything from the traced program is put in as text, never as markup. */

const dossier = JSON.parse(document.getElementById('dossier').textContent);

/* Threads that the program gave a name are shown by it; the number stays, since several may have one name. */
for (const f of dossier.findings || []) {
  const all = [...(f.events || []), ...(f.witness || []), ...(f.observed || [])];
  const called = new Map(all.filter(e => e.thread_name).map(e => [e.thread, `${e.thread_name} (${e.thread})`]));
  for (const e of [...all, ...(f.values || [])])
    e.thread = called.get(e.thread) || e.thread;
  for (const turn of f.schedule || [])
    turn[0] = called.get(turn[0]) || turn[0];
}
const findings = dossier.findings || [];

/* The worst first, as in the text: what is new, what fails before one's eyes, what corrupts, what may; of a program only. */
const WORST = {assertion: 0, 'use-after-free': 1, 'double-free': 1, deadlock: 2, 'lost-wakeup': 2, 'lock-misuse': 3, 'lost-update': 4, atomicity: 5, race: 6};
const SURE = ['confirmed', 'proved', 'possible', 'refuted'];
if (dossier.program) {
  const rank = f => [f.known ? 1 : 0, WORST[f.kind] === undefined ? 7 : WORST[f.kind], SURE.indexOf(f.status)];
  findings.sort((a, b) => rank(a).map((x, i) => x - rank(b)[i]).find(x => x) || 0);
}
const SVG = 'http://www.w3.org/2000/svg';

/* Characters that do not show or that turn the direction of what follows, made visible. */
function clean(s) {
  return String(s).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

/* At most n characters, the middle left out: names of C++ differ at both ends. */
function short(s, n) {
  const t = clean(s);
  if (t.length <= n)
    return t;
  const tail = Math.floor((n - 1) * 0.4);
  return t.slice(0, n - 1 - tail) + '…' + t.slice(t.length - tail);
}

function fill(node, attributes, children) {
  for (const [k, v] of Object.entries(attributes || {})) {
    if (v === null || v === undefined || v === false)
      continue;
    if (k.startsWith('on'))
      node.addEventListener(k.slice(2), v);
    else
      node.setAttribute(k, v === true ? '' : v);
  }
  for (const c of children.flat(3))
    if (c !== null && c !== undefined && c !== false && c !== '')
      node.append(c instanceof Node ? c : document.createTextNode(clean(c)));
  return node;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/* A name from the program: in the code's type, cut, the beginning of the whole one on hovering. */
function code(s, n = 80) {
  const cut = clean(s).length > n;
  return el('code', {title: cut ? clean(s).slice(0, 1000) : null}, short(s, n));
}

const plural = (n, one, many) => number(n) + ' ' + (n === 1 ? one : many || one + 's');
function number(n) {
  return typeof n === 'number' ? n.toLocaleString('en').replace(/,/g, '\u2009') : String(n);
}
const badge = (text, kind) => el('span', {class: 'badge ' + (kind || text)}, text);
function place(e) {
  if (e.file)
    return e.file + (e.line ? ':' + e.line : '');
  return e.location || '';
}
function base(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}
const isAccess = e => /^(atomic-)?(read|write|update)$/.test(e.op);
const isWrite = e => /write$|update$/.test(e.op) && isAccess(e);
const isAcquire = e => /acquire$/.test(e.op);
const isRelease = e => e.op === 'release';
const isQuiet = e => /^(call|return|call-outside|return-outside|alloc|free|fence|init|destroy|request|begin|end|nop|assign)$/.test(e.op);

/* What an event read or wrote, as text. Numbers that a double does not hold come as text, too; large ones
 * are mostly addresses. */
function valueOf(e) {
  const v = /^-?\d+$/.test(e.exact) ? BigInt(e.exact) : e.value;
  return v > 0xffffffff ? '0x' + v.toString(16) : String(v);
}
/* "write balance = 20", as [what, value]. */
const WORDS = {'ends-program': 'ends the program', 'lock-error': 'misuses'};
function saying(e) {
  if (e.op === 'line')
    return [e.text, e.told ? '  ' + short(e.told, 60) : ''];
  const object = e.object ? ' ' + e.object : e.label ? ' ' + e.label : '';
  return [(e.blocked ? 'wants' : WORDS[e.op] || e.op) + object, e.value !== undefined && e.value !== null ? ' = ' + valueOf(e) : ''];
}
/* What is left of it in n characters: not where a local variable is, then only letters of
 * the operation, then the name's ends. */
const LETTERS = {'read': 'r', 'write': 'w', 'acquire': 'acq', 'release': 'rel', 'atomic-read': 'ar', 'atomic-write': 'aw', 'atomic-update': 'rmw', 'read-acquire': 'rdacq', 'write-acquire': 'wracq', 'call-outside': 'xcall', 'return-outside': 'xret'};
function labelOf(e, n) {
  const local = x => ({...x, object: x.object && x.object.replace(/ in \S{1,80} \([^ ()]{1,40}\)$/, '')});
  const whole = saying(local(e))[0];
  return whole.length <= n ? clean(whole) : short(saying(local({...e, op: LETTERS[e.op] || e.op}))[0], n);
}

const view = document.getElementById('view');
let leaving = [];  /* what a view has to undo when it is left */
function show(title, ...children) {
  leaving.forEach(f => f());
  leaving = [];
  hideTip();
  document.title = clean(title).slice(0, 200);
  view.replaceChildren(...children.flat(3).filter(Boolean));
}

/* ---- what is said while hovering ---- */
const tip = document.getElementById('tip');
let tipOf = null; /* what it speaks of */
function hideTip() {
  tip.hidden = true;
}
function showTip(anchor, lines) {
  tip.replaceChildren(...lines.filter(Boolean));
  tip.hidden = false;
  tipOf = anchor;
  placeTip(anchor);
}

/* What has the focus keeps its tip while the page scrolls to it. */
function moveTip() {
  if (!tip.hidden && tipOf === document.activeElement)
    placeTip(tipOf);
  else
    hideTip();
}

function placeTip(anchor) {
  const a = anchor.getBoundingClientRect(), t = tip.getBoundingClientRect();
  const below = a.bottom + 8 + t.height < innerHeight;
  const left = Math.max(8, Math.min(a.left + 18, document.documentElement.clientWidth - t.width - 8));
  tip.style.left = left + 'px';
  tip.style.top = (below ? a.bottom + 6 : Math.max(8, a.top - t.height - 6)) + 'px';
}
