/* tests/browser/serve.js ADDRESS SHOTS MODULES: uses 'augur serve' in Chromium. A row "pass|fail<TAB>name<TAB>reason" for each
 * test on standard output. The tests build on one another: one store. */
'use strict';
const path = require('path');
const http = require('http');
const [address, shots, modules] = process.argv.slice(2);
const {chromium} = require(path.join(modules, 'playwright-core'));
const server = new URL(address);

let browser, page;
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
/* The status of a request that a browser would not send. */
function status(method, where, headers, body) {
  return new Promise((yes, no) => {
    const r = http.request({host: '127.0.0.1', port: server.port, method, path: where, headers}, a => { a.resume(); yes(a.statusCode); });
    r.on('error', no);
    r.end(body);
  });
}
const texts = selector => page.$$eval(selector, l => l.map(e => e.textContent));

test('all findings are listed, the page says nothing on the console', async () => {
  page = await browser.newPage({viewport: {width: 1100, height: 800}});
  page.said = [];
  page.on('console', m => page.said.push(m.text()));
  page.on('pageerror', e => page.said.push(e.message));
  page.on('request', r => { if (new URL(r.url()).host !== server.host && !r.url().startsWith('data:')) page.said.push('request: ' + r.url()); });
  await page.goto(address);
  await page.waitForSelector('.rows li');
  so((await texts('.rows summary')).some(t => t.includes("account.visits")), 'the race of bank');
  so((await texts('.rows summary')).some(t => t.includes('balance >= 0')), 'the assertion of shop');
  so((await texts('#runs li')).length === 2, 'two runs');
  await page.screenshot({path: path.join(shots, 'serve.png'), fullPage: true});
});

test('filters leave what fits', async () => {
  const all = (await texts('.rows li')).length;
  await page.selectOption('select[name=kind]', 'race');
  const races = await texts('.rows summary');
  so(races.length > 0 && races.length < all && races.every(t => t.includes('race')), 'races only');
  await page.selectOption('select[name=kind]', '');
  await page.fill('input[name=text]', 'no such text');
  is((await texts('.rows li')).length, 0, 'rows');
  so((await texts('#count'))[0].startsWith('0 findings of'), 'the count');
  await page.fill('input[name=text]', '');
});

test('a verdict with a note, as text and not as markup', async () => {
  await page.fill('input[name=text]', 'account.visits');
  await page.click('.rows li summary');
  await page.waitForSelector('.rows .detail select');
  await page.selectOption('.rows .detail select', 'wontfix');
  await page.fill('.rows .detail input', 'because <b>bold</b>');
  await page.click('.rows .detail button[type=submit]');
  await page.waitForFunction(() => document.querySelector('.rows .tag.known'));
  so((await texts('.rows .facts'))[0].includes('because <b>bold</b>'), 'the note');
  is(await page.$$eval('.rows b', l => l.length), 0, 'markup');
});

test('history and tests', async () => {
  await page.waitForSelector('.rows .detail .runs li');
  so((await texts('.rows .detail .runs li'))[0].startsWith('run 1'), 'the first run');
  so((await texts('.rows .tests'))[0].includes('bank'), 'who showed it');
});

test('the button replays and shows what happens', async () => {
  await page.click('.rows .detail button[type=button]');
  await page.waitForFunction(() => /it happens/.test(document.querySelector('.rows .detail [role=status]').textContent), null, {timeout: 25000});
  so((await texts('.rows pre'))[0].includes('confirmed'), 'the output');
  await page.screenshot({path: path.join(shots, 'serve-replayed.png'), fullPage: true});
  is(page.said, [], 'the console');
});

test('the report of a finding, of a run, of all', async () => {
  await page.click('.rows .detail a');
  await page.waitForSelector('h1');
  so((await page.content()).includes('account.visits'), 'the finding');
  for (const part of ['run/2', 'whole']) {
    await page.goto(address + part);
    await page.waitForSelector('.list tbody tr, .tile');
  }
  is(page.said, [], 'the console');
  await page.close();
});

test('who may not ask', async () => {
  const here = {Host: server.host}, json = {...here, 'Content-Type': 'application/json'};
  const act = server.pathname + 'api/triage', body = JSON.stringify({fingerprint: 'R1', verdict: 'fixed'});
  is(await status('GET', server.pathname, here), 200, 'itself');
  is(await status('GET', server.pathname, {Host: 'localhost:' + server.port}), 200, 'localhost');
  is(await status('GET', '/', here), 403, 'no token');
  is(await status('GET', '/' + '0'.repeat(32) + '/', here), 403, 'another token');
  is(await status('GET', server.pathname.slice(0, -2) + '/', here), 403, 'a part of the token');
  is(await status('GET', server.pathname, {Host: 'example.com'}), 421, 'another name');
  is(await status('GET', server.pathname, {Host: '127.0.0.1'}), 421, 'no port');
  is(await status('POST', act, {...json, Origin: 'http://example.com'}, body), 403, 'another page');
  is(await status('POST', act, {...json, Origin: 'null'}, body), 403, 'a page without an origin');
  is(await status('POST', act, {...here, 'Content-Type': 'text/plain'}, body), 403, 'a form');
  is(await status('GET', act, here), 404, 'GET does not act');
  is(await status('DELETE', act, here), 405, 'another method');
  is(await status('POST', act, json, 'x'.repeat(1 << 17)), 413, 'too long');
  is(await status('POST', act, json, '{"fingerprint": "R1", "verdict": "gone"}'), 400, 'no verdict');
  is(await status('POST', act, json, 'nonsense'), 400, 'no JSON');
  is(await status('POST', act, json, '{"fingerprint": "R77", "verdict": "fixed"}'), 404, 'no finding');
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
  }
  await browser.close();
})();
