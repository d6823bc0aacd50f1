/* tests/browser/drive.js REPORTS SHOTS MODULES: opens the reports of a directory in Chromium, uses
 * them and looks at what they show. A row "pass|fail<TAB>name<TAB>reason" for each test on standard
 * output, screenshots into SHOTS. */
'use strict';
const path = require('path');
const [reports, shots, modules] = process.argv.slice(2);
const {chromium} = require(path.join(modules, 'playwright-core'));

let browser;
const tests = [];
const test = (name, run) => tests.push([name, run]);

function is(got, wanted, what) {
  if (JSON.stringify(got) !== JSON.stringify(wanted))
    throw new Error(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`);
}
function so(condition, what) {
  if (!condition)
    throw new Error('not so: ' + what);
}

/* A page on a report; everything that the console says, or that is asked of the network, is kept. */
async function open(report, hash = '', options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, colorScheme: 'light', ...options});
  const page = await context.newPage();
  page.said = [];
  page.on('console', m => page.said.push(m.type() + ': ' + m.text()));
  page.on('pageerror', e => page.said.push('error: ' + e.message));
  page.on('dialog', d => { page.said.push('dialog: ' + d.message()); d.dismiss(); });
  page.on('request', r => { if (!/^(file|data):/.test(r.url())) page.said.push('request: ' + r.url()); });
  await page.goto('file://' + path.join(reports, report + '.html') + (hash ? '#' + hash : ''));
  return page;
}
async function close(page) {
  is(page.said, [], 'the console');
  await page.context().close();
}
const shot = (page, name) => page.screenshot({path: path.join(shots, name + '.png'), fullPage: true});
const texts = (page, selector) => page.$$eval(selector, l => l.map(e => e.textContent));
const setStep = (page, k) => page.$eval('#step', (s, v) => { s.value = v; s.dispatchEvent(new Event('input')); }, k);
/* The table of shared values as {name: value}. */
const values = page => page.$$eval('.values tbody tr', rows => Object.fromEntries(rows.map(r => [r.cells[0].textContent, r.cells[1].textContent])));
async function noSideways(page, what) {
  const [inner, whole] = await page.evaluate(() => [document.documentElement.clientWidth, document.documentElement.scrollWidth]);
  so(whole <= inner, `${what} fits ${inner} pixels (it has ${whole})`);
}

/* ---- overview ---- */

test('the overview names the program, counts, and draws the funnel', async () => {
  const p = await open('bank');
  is(await texts(p, 'h1'), ['bank'], 'title');
  const tiles = await texts(p, '.tile');
  so(tiles.join(' ').includes('1proved'), 'one proved finding in ' + tiles);
  so((await texts(p, '.funnel h3')).some(t => t.startsWith('race')), 'a funnel of races');
  const widths = await p.$$eval('.funnel > div:first-child .fill', l => l.map(e => e.getBoundingClientRect().width));
  so(widths.length > 2 && widths[0] > widths[widths.length - 1], 'bars become shorter: ' + widths);
  await shot(p, 'overview-light');
  await close(p);
});

test('the headline counts what is new; the funnel stands under Details', async () => {
  const p = await open('bank');
  is(await texts(p, '.headline'), ['1 new bug'], 'headline');
  is(await p.$$eval('details.details .funnel', l => l.length), 1, 'the funnel is in the details');
  await p.keyboard.press('/');
  is(await p.evaluate(() => document.activeElement.type || ''), await p.$('input[type="search"]') ? 'search' : '', 'a key for the filter');
  await close(p);
});

test('a long order is drawn in lines of source; every event on demand', async () => {
  const p = await open('cache', 'A1');
  const rows = await p.$$eval('.witness .ev', l => l.length);
  so((await texts(p, '.witness .cut text')).some(t => /unrelated step/.test(t)), 'what is folded is said');
  so((await texts(p, '.witness .ev text')).some(t => /[;({]/.test(t)), 'rows are lines');
  is(await p.$$eval('.witness .ev.decisive', l => l.length) > 0, true, 'the decisive ones are there');
  is(await p.$$eval('.minimap .key', l => l.length), await p.$$eval('.witness .ev.decisive', l => l.length), 'the map has the decisive events');
  const box = await p.$eval('.minimap svg', e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; });
  await p.mouse.click(box[0] + box[2] / 2, box[1] + box[3] / 2);
  const [at, of] = await p.$eval('#step', s => [Number(s.value), Number(s.max)]);
  so(Math.abs(at - of / 2) <= 1, `a click in the middle goes there: ${at} of ${of}`);
  await p.click('button.every');
  so(await p.$$eval('.witness .ev', l => l.length) > rows, 'more rows, one an event');
  await p.click('button.every');
  is(await p.$$eval('.witness .ev', l => l.length), rows, 'and back');
  await shot(p, 'lines');
  await close(p);
});

test('a deadlock says who waits for whom; links lead to the editor; j and k to the next finding', async () => {
  const p = await open('philosophers', 'D1');
  so((await texts(p, '.cycle li')).length > 2, 'a cycle');
  so((await p.$$eval('.story-lines a', l => l.map(a => a.getAttribute('href')))).every(h => /^vscode:\/\/file\/.*:\d+$/.test(h)), 'links');
  await close(p);
  const q = await open('cache');
  await q.keyboard.press('j');
  so(await q.evaluate(() => document.activeElement.closest('.c-id') !== null), 'the first row has the focus');
  await close(q);
});

test('filters: by text, by kind, by status, and all together', async () => {
  const p = await open('mixed');
  const ids = () => texts(p, '.list tbody a');
  const all = await ids();
  so(all.length >= 4, 'several findings: ' + all);
  const kinds = [...new Set(await texts(p, '.list tbody .c-kind'))];
  so(kinds.length >= 2, 'several kinds: ' + kinds);
  await p.fill('input[type=search]', 'no such thing');
  is(await ids(), [], 'findings with a text that is nowhere');
  so((await texts(p, '.foot'))[0].startsWith('0 of'), 'the foot says 0 of');
  await p.fill('input[type=search]', 'beta');
  const beta = await ids();
  so(beta.length > 0 && beta.length < all.length, 'some have the text: ' + beta);
  for (const t of await texts(p, '.list tbody tr'))
    so(t.includes('beta'), t + ' has the text');
  await p.fill('input[type=search]', '');
  await p.click('.tools button:has-text("race")');
  for (const t of await texts(p, '.list tbody .c-kind'))
    is(t, 'race', 'kind');
  const races = (await ids()).length;
  so(races > 0 && races < all.length, 'only the races');
  await p.click('.tools button:has-text("race")');
  await p.click('.tools button:has-text("possible")');
  for (const t of await texts(p, '.list tbody .c-status'))
    is(t, 'possible', 'status');
  await p.click('.tools button:has-text("possible")');
  is(await ids(), all, 'all again');
  await close(p);
});

test('sorting, both ways, is told to who does not see it', async () => {
  const p = await open('mixed');
  const column = () => texts(p, '.list tbody .c-object');
  await p.click('th.c-object button');
  const up = await column(), sorted = [...up].sort(new Intl.Collator('en', {numeric: true}).compare);
  is(up, sorted, 'objects');
  is(await p.getAttribute('th.c-object', 'aria-sort'), 'ascending', 'aria-sort');
  await p.click('th.c-object button');
  is(await column(), sorted.reverse(), 'objects downwards');
  is(await p.getAttribute('th.c-object', 'aria-sort'), 'descending', 'aria-sort');
  /* what was chosen is still so after a look at a finding */
  await p.click('.list tbody tr:first-child');
  await p.waitForSelector('.title .id');
  await p.goBack();
  await p.waitForSelector('.list');
  is(await p.getAttribute('th.c-object', 'aria-sort'), 'descending', 'aria-sort after coming back');
  await close(p);
});

test('rows are links, also for the keyboard', async () => {
  const p = await open('bank');
  await p.focus('.list tbody a');
  const ring = await p.$eval('.list tbody a', a => getComputedStyle(a, '::after').outlineStyle);
  await p.keyboard.press('Enter');
  await p.waitForSelector('.title .id');
  is(await texts(p, '.title .id'), ['R1'], 'finding');
  so(p.url().endsWith('#R1'), 'the address names it');
  so(ring !== undefined, 'focus can be seen');
  await p.goBack();
  await p.waitForSelector('.list');
  /* anywhere in the row; the link lies over it */
  const cell = await (await p.$('.list tbody td.c-where')).boundingBox();
  await p.mouse.click(cell.x + cell.width / 2, cell.y + cell.height / 2);
  await p.waitForSelector('.title .id');
  await close(p);
});

/* ---- a finding ---- */

test('the slider plays the schedule: values, marks and sources follow', async () => {
  const p = await open('shop', 'A1');
  const n = Number(await p.getAttribute('#step', 'max'));
  is(await p.$$eval('.witness .ev', l => l.length), n, 'events drawn');
  is(await values(p), {balance: '-5'}, 'at the end');
  await setStep(p, 0);
  is(await values(p), {balance: '–'}, 'before the first step');
  is(await p.$$eval('.witness .ev.later', l => l.length), n, 'nothing is done yet');
  /* the values at every step are those that the events say */
  const labels = await p.$$eval('.witness .ev', l => l.map(e => e.getAttribute('aria-label')));
  let last = '–';
  for (let k = 1; k <= n; k++) {
    await setStep(p, k);
    const m = /balance = (-?\d+)/.exec(labels[k - 1]);
    last = m ? m[1] : last;
    is((await values(p)).balance, last, `balance after step ${k}, ${labels[k - 1]}`);
    is(await p.$$eval('.witness .ev.later', l => l.length), n - k, `steps to come after ${k}`);
    is(await p.$$eval('.witness .ev.now', l => l.length), 1, 'events that are now');
  }
  so((await texts(p, '.pane.live .lines .here')).join().includes('assert(balance >= 0);'), 'the assertion is the current line');
  is(await texts(p, '.pane.live h3 b'), ['T1'], 'thread');
  so((await p.$$('.flow .flows')).length > 0, 'the read of another value is drawn');
  so((await texts(p, '.flow .value.differs')).includes(' = 5'), 'values that differ stand out');
  await close(p);
});

test('the slider and the diagram obey the arrow keys', async () => {
  const p = await open('bank', 'R1');
  const n = Number(await p.getAttribute('#step', 'max'));
  await p.focus('#step');
  await p.keyboard.press('Home');
  is((await texts(p, '.player output'))[0], `step 0 of ${n}`, 'at the beginning');
  await p.keyboard.press('ArrowRight');
  await p.keyboard.press('ArrowRight');
  await p.keyboard.press('ArrowRight');
  await p.keyboard.press('ArrowLeft');
  is((await texts(p, '.player output'))[0], `step 2 of ${n}`, 'three on, one back');
  const said = await p.getAttribute('#step', 'aria-valuetext');
  so(said.startsWith(`step 2 of ${n}: T0`), 'told in words: ' + said);
  await p.focus('.witness .ev');
  await p.keyboard.press('ArrowDown');
  await p.keyboard.press('ArrowDown');
  is((await texts(p, '.player output'))[0], `step 3 of ${n}`, 'the diagram moves the slider');
  so(await p.$eval('.witness .ev:focus', e => e.getAttribute('aria-label').startsWith('3:')), 'focus is on the third event');
  so(!(await p.$eval('#tip', t => t.hidden)), 'focus tells more');
  await close(p);
});

test('playing goes on by itself and stops at the end', async () => {
  const p = await open('shop', 'A1');
  const n = Number(await p.getAttribute('#step', 'max'));
  await setStep(p, n - 1);
  await p.click('[aria-label="Play"]');
  await p.waitForFunction(k => document.getElementById('step').value === String(k), n);
  await p.waitForSelector('[aria-label="Play"]');
  await close(p);
});

test('the calls that led to each side are listed', async () => {
  const p = await open('calls', 'R1');
  const calls = await p.$$eval('.side', l => l.map(s => [...s.querySelectorAll('.callers li code')].map(c => c.textContent)));
  is(calls, [['compare', 'main'], ['down', 'down', 'down', 'worker']], 'innermost first');
  so((await texts(p, '.callers li')).every(t => /calls\.c:\d+$/.test(t)), 'each with its place');
  await close(p);
});

test('decisive events, the conflict and held locks are drawn; both orders stand side by side', async () => {
  const p = await open('bank', 'R1');
  is(await texts(p, '.witness .ev.decisive .k'), ['1', '2'], 'numbers');
  so((await p.$$('.witness .conflict')).length > 0, 'the conflict');
  is(await texts(p, '.witness .tag'), ['race'], 'its name');
  so((await p.$$('.witness rect.held')).length === 2, 'two critical sections');
  is(await texts(p, '.observed .ev.decisive .k'), ['1', '2'], 'the same events in the run');
  const box = s => p.$eval(s, e => { const r = e.getBoundingClientRect(); return [r.left, r.top]; });
  const [a, b] = [await box('section.witness'), await box('section.observed')];
  so(a[1] === b[1] && a[0] < b[0], 'side by side');
  await shot(p, 'race-light');
  await close(p);
  const d = await open('philosophers', 'D1');
  is(await texts(d, '.witness .ev.decisive .k'), ['1', '2', '3'], 'three wait');
  so((await texts(d, '.witness .ev.decisive')).every(t => t.includes('wants')), 'they want');
  is((await d.$$('.witness rect.held')).length, 3, 'each holds one fork');
  is(await texts(d, '.side div:nth-child(4)'), ['holds fork_of[0]', 'holds fork_of[1]', 'holds fork_of[2]'], 'and that is said');
  await shot(d, 'deadlock-light');
  await close(d);
});

test('hovering tells source, value and locks', async () => {
  const p = await open('bank', 'R1');
  const i = (await p.$$eval('.witness .ev', l => l.map(e => e.getAttribute('aria-label')))).findIndex(t => t.includes('T1 read account.balance = 10'));
  so(i >= 0, 'there is such an event');
  await (await p.$$('.witness .ev'))[i].hover();
  const tip = (await texts(p, '#tip'))[0];
  for (const part of ['read account.balance = 10', 'deposit, bank.c:15', 'long seen = account.balance;', 'holds account.lock'])
    so(tip.includes(part), `'${part}' in '${tip}'`);
  await p.mouse.move(2, 2);
  so(await p.$eval('#tip', t => t.hidden), 'and it goes away');
  await close(p);
});

test('what augur run has executed is shown as it happened, with the command that repeats it', async () => {
  const p = await open('confirmed', 'R1');
  is(await texts(p, '.title .badge'), ['confirmed'], 'badge');
  is((await texts(p, '.witness h3'))[0].startsWith('Confirmed order'), true, 'the order that was executed');
  so((await texts(p, '.cmd code'))[0].startsWith('augur replay '), 'a command');
  so((await texts(p, '.story .advice')).some(t => t.startsWith('What it does: output differs: standard output has')), 'what the race does');
  is(await texts(p, '.tabs button'), ['Confirmed order', 'Observed order'], 'on a phone the same words');
  is((await values(p))['account.lock'], undefined, 'only what the story speaks of');
  const n = Number(await p.getAttribute('#step', 'max'));
  await setStep(p, n);
  /* what the lost update leaves behind, beside what the run had */
  const row = await p.$$eval('.values tbody tr', rows => rows.map(r => [...r.cells].map(c => c.textContent)).find(c => c[0] === 'account.visits'));
  so(row && row[3] === '2', 'account.visits was 2 in the run: ' + row);
  await p.click('.cmd button');
  await p.waitForSelector('.cmd button:has-text("Copied"), .cmd button:has-text("Selected")');
  await p.goto(p.url().split('#')[0] + '#');
  await p.waitForSelector('.list');
  so((await texts(p, '.tile.confirmed b'))[0] === '1', 'counted');
  so((await texts(p, '[aria-label="Exploration"]')).join().includes('interleaving'), 'what was explored');
  await close(p);
});

test('values of the run are shown beside those of the order, and only those of the story', async () => {
  const p = await open('cache', 'A1');
  const all = await p.$$eval('.values tbody tr', rows => rows.map(r => [...r.cells].map(c => c.textContent)));
  const value = all.find(r => r[0].endsWith('.value'));
  is(value && [value[1], value[3]], ['2', '3'], 'the lost update');
  so(!all.some(r => r[0].startsWith('cache.bucket[')), 'no others');
  is(await texts(p, '.values td.other'), ['2'], 'what differs from the run');
  await close(p);
});

test('what people said is shown, and known findings can be put away', async () => {
  const p = await open('known', 'R1');
  so((await texts(p, '.title .badge')).includes('wontfix'), 'verdict');
  so((await texts(p, '.title .note')).includes('only <b>statistics</b>'), 'note, as text');
  await close(p);
});

/* ---- graphs ---- */

test('graphs are drawn, enlarged, moved and shown whole again, by mouse and by keys', async () => {
  const p = await open('bank', 'R1');
  await p.click('a.card:has-text("causality graph")');
  await p.waitForSelector('.graph svg');
  is((await texts(p, '.graph .f-wash + text')).sort(), ['r(account.visits)', 'w(account.visits)'], 'decisive events');
  so((await p.$$('.graph .s-red')).length >= 2, 'they stand out');
  const box = () => p.$eval('.graph svg', s => s.getAttribute('viewBox').split(' ').map(Number));
  const whole = await box();
  await p.hover('.graph');
  await p.mouse.wheel(0, -400);
  await p.waitForFunction(w => Number(document.querySelector('.graph svg').getAttribute('viewBox').split(' ')[2]) < w, whole[2]);
  await p.click('[aria-label="Show all"]');
  is(await box(), whole, 'whole again');
  await p.focus('.graph');
  await p.keyboard.press('+');
  await p.keyboard.press('ArrowRight');
  const moved = await box();
  so(moved[2] < whole[2] && moved[0] > whole[0], 'keys enlarge and move: ' + moved);
  await p.keyboard.press('0');
  is(await box(), whole, 'and 0 shows all');
  const r = await (await p.$('.graph')).boundingBox();
  await p.mouse.move(r.x + 200, r.y + 200);
  await p.mouse.down();
  await p.mouse.move(r.x + 150, r.y + 120);
  await p.mouse.up();
  const dragged = await box();
  so(dragged[0] > whole[0] && dragged[1] > whole[1], 'dragged: ' + dragged);
  await shot(p, 'graph-light');
  await p.click('.bar nav a:has-text("Graphs")');
  await p.waitForSelector('.card'); // the address changes first, the page after it
  so((await texts(p, '.card')).includes('transaction sequence graph'), 'both kinds are listed');
  await p.click('.card:has-text("transaction")');
  await p.waitForSelector('.graph svg');
  so((await texts(p, '.graph text')).includes('fork, line 29'), 'nodes of the program');
  await close(p);
});

/* ---- looks ---- */

test('dark when the system is, and by the switch, which is remembered', async () => {
  const shade = p => p.$eval('body', b => getComputedStyle(b).backgroundColor);
  const p = await open('bank', '', {colorScheme: 'dark'});
  const dark = await shade(p);
  is(await p.getAttribute('#theme', 'aria-pressed'), 'true', 'switch');
  await shot(p, 'overview-dark');
  await p.goto(p.url().split('#')[0] + '#R1');
  await p.waitForSelector('.flow');
  await shot(p, 'race-dark');
  await p.click('#theme');
  const light = await shade(p);
  so(dark !== light, 'the switch changes the ground');
  await p.reload();
  is(await shade(p), light, 'after loading again');
  await close(p);
});

test('a phone shows all of it without scrolling sideways', async () => {
  const phone = {viewport: {width: 390, height: 844}, deviceScaleFactor: 2, isMobile: true, hasTouch: true};
  for (const [report, hash] of [['bank', ''], ['bank', 'R1'], ['philosophers', 'D1'], ['cache', 'A1'], ['mixed', ''], ['hostile', ''], ['hostile', 'R2'], ['hostile', 'R6'], ['many', '']]) {
    const p = await open(report, hash, phone);
    await noSideways(p, report + '#' + hash);
    if (report === 'bank')
      await shot(p, 'phone-' + (hash || 'overview'));
    if (hash === 'R1') {
      so(!(await p.isVisible('section.observed')), 'one order at a time');
      await p.click('.tabs button:has-text("Observed")');
      so(await p.isVisible('section.observed') && !(await p.isVisible('section.witness')), 'the other one');
    }
    await close(p);
  }
});

test('printed, it is light, whole and without controls', async () => {
  const p = await open('many', '', {colorScheme: 'dark'});
  await p.emulateMedia({media: 'print'});
  so(!(await p.isVisible('.tools')), 'no filters');
  await p.evaluate(() => dispatchEvent(new Event('beforeprint')));
  is(await p.$$eval('.list tbody tr', l => l.length), 1000, 'rows');
  await close(p);
});

/* ---- what can go wrong ---- */

test('hostile names are text', async () => {
  const p = await open('hostile');
  const check = async () => {
    is(await p.evaluate(() => [window.hacked, document.querySelectorAll('script').length, document.querySelectorAll('main img, main script, main b > *').length]), [null, 2, 0].map(v => v === null ? undefined : v), 'nothing ran, nothing was added');
  };
  await check();
  const objects = await texts(p, '.list tbody .c-object code');
  for (const name of ['</script><script>window.hacked=1</script>', '"><img src=x onerror=window.hacked=1>', '__proto__', '${window.hacked=1}', 'bad\ufffd\ufffdutf8\ufffd'])
    so(objects.includes(name), `'${name}' among ${objects.map(o => o.slice(0, 60))}`);
  so(objects.some(o => o.startsWith('\\u202e')), 'what turns the direction is shown, not obeyed');
  const ids = await texts(p, '.list tbody a');
  is(ids.length, 10, 'findings');
  for (const id of ids) {
    await p.goto(p.url().split('#')[0] + '#' + id);
    await p.waitForFunction(i => document.querySelector('.title .id') && document.querySelector('.title .id').textContent === i, id);
    await check();
    const threads = await texts(p, '.names text');
    so(threads.includes('T</script>2'), `the thread by its name in ${id}: ${threads}`);
    await noSideways(p, id);
    if (id === 'R6') {
      await p.click('details.long summary');
      is((await texts(p, 'details.long code'))[0].length, 10240, 'the whole long name');
    }
  }
  await p.goto(p.url().split('#')[0] + '#graph-2');
  await p.waitForSelector('.graph svg');
  await check();
  so((await texts(p, '.graph text')).includes('w(</script><script>window.hacked=1</script>)'), 'text of a graph');
  await shot(p, 'hostile');
  await close(p);
});

test('a page that names no finding is the overview', async () => {
  for (const hash of ['R999', '%E0%A4%A', '__proto__', 'graph-7']) {
    const p = await open('bank', hash);
    so(await p.isVisible('.list'), 'the table with #' + hash);
    await close(p);
  }
});

test('1000 findings open in less than two seconds', async () => {
  const context = await browser.newContext();
  const warm = await context.newPage();
  await warm.goto('about:blank');
  const took = [];
  /* a busy machine gets some more tries */
  for (let i = 0; i < 6 && (i < 2 || Math.min(...took) >= 2000); i++) {
    const p = await context.newPage();
    const begun = Date.now();
    await p.goto('file://' + path.join(reports, 'many.html'));
    await p.waitForSelector('.list tbody tr');
    await p.evaluate(() => new Promise(r => requestAnimationFrame(() => setTimeout(r))));
    took.push(Date.now() - begun);
    is(await texts(p, '.tile.proved b'), ['1\u2009000'], 'findings');
    const filter = Date.now();
    await p.fill('input[type=search]', 'counter_77');
    is(await p.$$eval('.list tbody tr', l => l.length), 11, 'counter_77 and counter_770 to 779');
    so(Date.now() - filter < 1000, 'filtering is quick');
    await p.close();
  }
  process.stderr.write(`1000 findings: ${took} ms\n`);
  so(Math.min(...took) < 2000, 'under 2 s: ' + took + ' ms');
  await context.close();
});

(async () => {
  browser = await chromium.launch({executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: process.getuid() === 0 ? ['--no-sandbox'] : []});
  for (const [name, run] of tests) {
    let row = `pass\t${name}\t`;
    try {
      await Promise.race([run(), new Promise((_, no) => setTimeout(() => no(new Error('took more than 30 s')), 30000).unref())]);
    } catch (e) {
      row = `fail\t${name}\t${e.message.replace(/\s+/g, ' ').slice(0, 600)}`;
    }
    process.stdout.write(row + '\n');
    await Promise.all(browser.contexts().map(c => c.close()));
  }
  await browser.close();
})();
