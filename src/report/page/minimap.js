/* The whole order in a strip: a row a thread, turns as bars, decisive events as dots; a click goes there. */

function minimap(steps, threads, pick) {
  const ROW_HIGH = 6, n = Math.max(1, steps.length), high = ROW_HIGH * threads.length + 2;
  const row = new Map(threads.map((t, i) => [t, 1 + i * ROW_HIGH]));
  const root = svg('svg', {class: 'map', viewBox: `0 0 ${n} ${high}`, preserveAspectRatio: 'none', 'aria-hidden': 'true', height: Math.min(high, 60)});
  for (let i = 0; i < steps.length;) {
    let j = i;
    while (j + 1 < steps.length && steps[j + 1].thread === steps[i].thread)
      j++;
    root.append(svg('rect', {class: 'turn', x: i, y: row.get(steps[i].thread), width: j - i + 1, height: ROW_HIGH - 1}));
    i = j + 1;
  }
  const dot = Math.max(1, n / 200);
  steps.forEach((e, i) => {
    if (e.decisive)
      root.append(svg('rect', {class: 'key', x: Math.min(i, n - dot), y: row.get(e.thread) - 1, width: dot, height: ROW_HIGH + 1}));
  });
  const cursor = svg('rect', {class: 'cursor', x: 0, y: 0, width: Math.max(0.4, n / 500), height: high});
  root.append(cursor);
  root.addEventListener('click', e => {
    const box = root.getBoundingClientRect();
    pick(Math.max(1, Math.min(n, Math.ceil(n * (e.clientX - box.left) / Math.max(1, box.width)))));
  });
  const node = el('div', {class: 'minimap'}, root);
  node.hidden = n <= FEW;
  return {node, at: k => cursor.setAttribute('x', Math.max(0, k - 0.5))};
}
