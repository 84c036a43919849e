// node check_page.mjs FILE...
//
// Opens HTML files in headless Chromium, light and dark, wide and narrow. Prints one JSON document:
// { "files": [{ "file", "problems": [...], and what the page shows }] }. Exit code 1 when any has a problem. What is a
// problem: a message on the console, an error, a request for anything else, an image that is none, a mark of a chart
// outside of it, text cut off by the window, a screenshot with nothing to see. PAGE_SHOTS names a folder for the screenshots.

import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const windows = [
  { name: 'wide', width: 1280, height: 900, colorScheme: 'light' },
  { name: 'narrow', width: 420, height: 800, colorScheme: 'dark' },
];

function look() {
  const problems = [];
  for (const image of document.images) {
    if (!image.complete || image.naturalWidth === 0) problems.push(`not an image: ${image.alt}`);
  }
  for (const svg of document.querySelectorAll('svg')) {
    const { width, height } = svg.viewBox.baseVal;
    for (const circle of svg.querySelectorAll('circle')) {
      const [x, y] = [circle.cx.baseVal.value, circle.cy.baseVal.value];
      if (!(x >= 0 && x <= width && y >= 0 && y <= height)) problems.push(`a point at ${x}, ${y} is outside`);
    }
  }
  // How much of each image is drawn on.
  const drawn = [...document.images].map((image) => {
    const canvas = new OffscreenCanvas(Math.max(image.naturalWidth, 1), Math.max(image.naturalHeight, 1));
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 3; i < data.length; i += 4) count += data[i] > 0;
    return count / (canvas.width * canvas.height);
  });
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) problems.push(`${root.scrollWidth} wide in a window of ${root.clientWidth}`);
  const texts = (selector) => [...document.querySelectorAll(selector)].map((element) => element.textContent.trim());
  return {
    problems,
    title: document.title,
    characters: texts('h2'),
    clips: texts('h3'),
    drawn,
    images: [...document.images].map((image) => [image.naturalWidth, image.naturalHeight]),
    charts: document.querySelectorAll('svg').length,
    chosen: texts('circle.chosen title'),
    points: document.querySelectorAll('circle').length,
    limits: document.querySelectorAll('path.limit').length,
    rows: [...document.querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.textContent.trim())),
  };
}

async function check(browser, file) {
  const problems = [];
  let seen;
  for (const { name, width, height, colorScheme } of windows) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme });
    page.on('console', (message) => problems.push(`console: ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
    const url = pathToFileURL(file).href;
    page.on('request', (request) => {
      if (request.url() !== url && !request.url().startsWith('data:')) problems.push(`asks for ${request.url()}`);
    });
    await page.goto(url, { waitUntil: 'load' });
    seen = await page.evaluate(look);
    problems.push(...seen.problems.map((problem) => `${name}: ${problem}`));
    const folder = process.env.PAGE_SHOTS;
    const path = folder && join(folder, `${basename(file)}.${name}.png`);
    const shot = await page.screenshot({ path, fullPage: true });
    // A page of one colour is a few kilobytes of PNG, whatever its size.
    if (shot.length < 20_000) problems.push(`${name}: nothing to see in ${shot.length} bytes`);
    await page.close();
  }
  return { file, ...seen, problems };
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-background-networking', '--no-first-run'],
});
const files = [];
for (const file of process.argv.slice(2)) files.push(await check(browser, file));
await browser.close();
console.log(JSON.stringify({ files }));
process.exitCode = files.some((entry) => entry.problems.length) ? 1 : 0;
