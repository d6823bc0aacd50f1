/* Which view is shown follows the address: #R1 a finding, #graphs, #graph-1, else the overview. */

function route() {
  let name = location.hash.slice(1);
  try {
    name = decodeURIComponent(name);
  } catch (e) {
    name = '';
  }
  const graphs = dossier.graphs || [];
  const i = findings.findIndex(f => f.id === name), g = /^graph-(\d+)$/.exec(name);
  let where = 'overview';
  if (i >= 0) {
    showFinding(findings[i], i);
    where = 'finding';
  } else if (g && graphs[g[1] - 1]) {
    showGraph(graphs[g[1] - 1], g[1] - 1);
    where = 'graphs';
  } else if (name === 'graphs' && graphs.length) {
    showGraphs();
    where = 'graphs';
  } else {
    showOverview();
  }
  const link = (id, href, text) => el('a', {href, 'aria-current': where === id ? 'page' : null}, text);
  document.getElementById('nav').replaceChildren(...[link('overview', '#', 'Overview'),
    i >= 0 && link('finding', '#' + encodeURIComponent(name), findings[i].id), graphs.length > 0 && link('graphs', '#graphs', 'Graphs')].filter(Boolean));
  scrollTo(0, 0);
}

/* Light or dark: as the system says, or as was chosen here. */
const theme = document.getElementById('theme');
const systemDark = matchMedia('(prefers-color-scheme: dark)');
function isDark() {
  return (document.documentElement.dataset.theme || (systemDark.matches ? 'dark' : 'light')) === 'dark';
}
function tellTheme() {
  theme.setAttribute('aria-pressed', String(isDark()));
}
try {
  const kept = localStorage.getItem('augur-theme');
  if (kept === 'dark' || kept === 'light')
    document.documentElement.dataset.theme = kept;
} catch (e) { /* no storage: only for this page */ }
theme.addEventListener('click', () => {
  const next = isDark() ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem('augur-theme', next);
  } catch (e) { /* see above */ }
  tellTheme();
});
systemDark.addEventListener('change', tellTheme);
tellTheme();

document.getElementById('skip').addEventListener('click', () => view.focus());
addEventListener('hashchange', () => { route(); view.focus({preventScroll: true}); });
/* j and k: the next and the previous finding, or row of the table; / the filter; ? what the keys are. */
const KEYS = 'j, k: next, previous finding · /: filter · arrows: step by step · ?: this';
function byKey(e) {
  if (e.key === 'Escape')
    return hideTip();
  if (e.ctrlKey || e.altKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName))
    return;
  const links = [...document.querySelectorAll('table.list .c-id a')], on = links.indexOf(document.activeElement);
  const step = {j: 1, k: -1}[e.key];
  const go = step && document.querySelector(`.steps a[rel="${step > 0 ? 'next' : 'prev'}"]`);
  const search = document.querySelector('input[type="search"]');
  if (go)
    go.click();
  else if (step && links.length)
    links[Math.max(0, Math.min(links.length - 1, on + step))].focus();
  else if (e.key === '/' && search) {
    e.preventDefault();
    search.focus();
  } else if (e.key === '?')
    showTip(document.getElementById('nav'), [el('div', {}, KEYS)]);
}
addEventListener('keydown', byKey);
addEventListener('scroll', moveTip, {passive: true, capture: true});
route();
