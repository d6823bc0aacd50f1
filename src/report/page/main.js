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
addEventListener('keydown', e => { if (e.key === 'Escape') hideTip(); });
addEventListener('scroll', moveTip, {passive: true, capture: true});
route();
