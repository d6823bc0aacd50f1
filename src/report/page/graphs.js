/* Graphs, drawn by Graphviz when the report was made: copied element by element (nothing that could
 * act gets in), in the page's colours, to be moved and enlarged. */

const G_ELEMENTS = new Set(['svg', 'g', 'path', 'polygon', 'polyline', 'ellipse', 'text', 'title']);
const G_ATTRIBUTES = new Set(['viewBox', 'transform', 'd', 'points', 'cx', 'cy', 'rx', 'ry', 'x', 'y', 'text-anchor', 'font-size', 'stroke-dasharray', 'stroke-width', 'fill', 'stroke', 'fill-opacity']);
const G_COLOURS = {'black': 'ink', '#000000': 'ink', '#dddddd': 'faint', '#aaaaaa': 'faint', '#3060b0': 'blue', '#b06000': 'amber', '#b3261e': 'red', '#fcebe8': 'wash', '#0b5f73': 'teal'};
const COLOUR = /^(#[0-9a-fA-F]{3,8}|[a-z]+)$/;

function copied(from) {
  if (!G_ELEMENTS.has(from.localName))
    return null;
  const to = document.createElementNS(SVG, from.localName);
  for (const a of from.attributes)
    if (G_ATTRIBUTES.has(a.name) && (!/^(fill|stroke)$/.test(a.name) || COLOUR.test(a.value)))
      to.setAttribute(a.name, a.value);
  /* the colours that our graphs are drawn in, as the page has them; white is its paper */
  for (const [what, letter] of [['stroke', 's'], ['fill', 'f']]) {
    const is = to.getAttribute(what), name = what === 'fill' && is === 'white' ? 'g-none' : G_COLOURS[is] && letter + '-' + G_COLOURS[is];
    if (name) {
      to.removeAttribute(what);
      to.classList.add(name);
    }
  }
  if (from.localName === 'text')
    to.setAttribute('font-family', 'sans-serif');
  for (const c of from.childNodes) {
    const n = c.nodeType === Node.TEXT_NODE ? document.createTextNode(clean(c.data)) : c.nodeType === Node.ELEMENT_NODE ? copied(c) : null;
    if (n)
      to.append(n);
  }
  return to;
}

const ownerOf = g => g.finding && findings.find(f => f.fingerprint === g.finding);
function graphName(g) {
  const owner = ownerOf(g);
  return owner ? owner.id + ': ' + g.name : g.name;
}
const CAPTIONS = [
  [/causality/, 'Grey: the order within a thread. Blue: comes before in every order of these events. Red: the decisive events.'],
  [/transaction/, 'Solid: what runs as one. Dashed: where one thread may go on after another. Dotted: switches added so that nothing is lost. Pale: never reached.'],
];

function showGraph(g, k) {
  const parsed = new DOMParser().parseFromString(g.svg, 'image/svg+xml');
  const root = parsed.documentElement.localName === 'svg' ? copied(parsed.documentElement) : null;
  const box = root && (root.getAttribute('viewBox') || '').split(/[\s,]+/).map(Number);
  const owner = ownerOf(g), name = graphName(g);
  const title = el('div', {class: 'title'}, el('h1', {}, short(name, 200)), owner && el('p', {}, el('a', {href: '#' + encodeURIComponent(owner.id)}, owner.id), ' ', el('span', {class: 'soft'}, short(owner.message || '', 200))));
  if (!root || box.length !== 4 || box.some(Number.isNaN) || !(box[2] > 0 && box[3] > 0)) {
    show(name, title, el('p', {class: 'note'}, 'This graph cannot be drawn.'));
    return;
  }
  let at = [...box];
  const set = () => root.setAttribute('viewBox', at.map(v => v.toFixed(2)).join(' '));
  const scale = () => Math.min(frame.clientWidth / at[2], frame.clientHeight / at[3]) || 1;
  /* around a point of the frame, 0..1 */
  const zoom = (by, px = 0.5, py = 0.5) => {
    const w = Math.max(box[2] / 40, Math.min(Math.max(box[2] * 3, 2000), at[2] / by)), f = w / at[2];
    at = [at[0] + at[2] * px * (1 - f), at[1] + at[3] * py * (1 - f), w, at[3] * f];
    set();
  };
  const move = (dx, dy) => {
    at[0] += dx;
    at[1] += dy;
    set();
  };
  /* all of it, but not blown up */
  const reset = () => {
    const w = Math.max(box[2], frame.clientWidth / 1.5 || 0), h = Math.max(box[3], frame.clientHeight / 1.5 || 0);
    at = [box[0] - (w - box[2]) / 2, box[1] - (h - box[3]) / 2, w, h];
    set();
  };
  root.setAttribute('role', 'img');
  root.setAttribute('aria-label', short(name, 100));
  const frame = el('div', {class: 'graph', tabindex: '0', role: 'group', 'aria-label': 'Graph: plus and minus enlarge and reduce, arrows move, 0 shows all'}, root);
  const pointers = new Map();
  frame.addEventListener('wheel', e => {
    e.preventDefault();
    const r = frame.getBoundingClientRect();
    zoom(Math.exp(-e.deltaY / 400), (e.clientX - r.left) / r.width, (e.clientY - r.top) / r.height);
  }, {passive: false});
  frame.addEventListener('pointerdown', e => {
    frame.setPointerCapture(e.pointerId);
    pointers.set(e.pointerId, e);
    frame.classList.add('drag');
  });
  frame.addEventListener('pointermove', e => {
    const was = pointers.get(e.pointerId);
    if (!was)
      return;
    const s = scale(), other = [...pointers.values()].find(p => p.pointerId !== e.pointerId);
    if (other) {
      const d = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      zoom(Math.max(0.5, Math.min(2, d(e, other) / Math.max(1, d(was, other)))));
    } else {
      move((was.clientX - e.clientX) / s, (was.clientY - e.clientY) / s);
    }
    pointers.set(e.pointerId, e);
  });
  for (const end of ['pointerup', 'pointercancel'])
    frame.addEventListener(end, e => {
      pointers.delete(e.pointerId);
      frame.classList.toggle('drag', pointers.size > 0);
    });
  frame.addEventListener('keydown', e => {
    const step = at[2] / 10;
    const act = {'+': () => zoom(1.3), '=': () => zoom(1.3), '-': () => zoom(1 / 1.3), '0': reset,
      ArrowLeft: () => move(-step, 0), ArrowRight: () => move(step, 0), ArrowUp: () => move(0, -step), ArrowDown: () => move(0, step)}[e.key];
    if (act && !e.ctrlKey && !e.metaKey) {
      e.preventDefault();
      act();
    }
  });
  const button = (text, label, f) => el('button', {type: 'button', class: 'quiet', 'aria-label': label, onclick: f}, text);
  show(name, title, el('section', {class: 'panel', 'aria-label': name}, el('header', {}, el('h2', {}, 'Graph'), el('span', {class: 'small soft'}, 'drag to move, wheel to enlarge'),
    button('−', 'Reduce', () => zoom(1 / 1.3)), button('+', 'Enlarge', () => zoom(1.3)), button('All', 'Show all', reset)), frame,
    el('p', {class: 'foot'}, (CAPTIONS.find(([of]) => of.test(g.name)) || ['', ''])[1])));
  reset();
}

function showGraphs() {
  show('Graphs', el('h1', {}, 'Graphs'), el('div', {class: 'cards'}, dossier.graphs.map((g, i) => el('a', {class: 'panel card', href: '#graph-' + (i + 1)}, short(graphName(g), 160)))));
}
