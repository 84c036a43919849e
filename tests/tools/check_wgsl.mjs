// node check_wgsl.mjs FILE...
//
// Compiles WGSL files with Tint, the compiler of Chromium's WebGPU, over SwiftShader. Prints one JSON document:
// { "files": [{ "file", "problems": [...] }] }. Exit code 1 when any has a problem: what the compiler says of it.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';

async function compile(sources) {
  if (!navigator.gpu) throw new Error('this browser has no WebGPU');
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error('there is no WebGPU adapter');
  const device = await adapter.requestDevice();
  const all = [];
  for (const source of sources) {
    // Without it errors would go to the console as well.
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: source });
    const { messages } = await module.getCompilationInfo();
    const error = await device.popErrorScope();
    const problems = messages.map((m) => `${m.type}, line ${m.lineNum}: ${m.message}`);
    if (error && !problems.length) problems.push(error.message);
    all.push(problems);
  }
  return all;
}

const files = process.argv.slice(2);
// WebGPU wants a secure context, which a page from this machine is.
const server = createServer((_, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<!doctype html><title>WGSL</title>');
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'],
});
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
const problems = await page.evaluate(compile, files.map((file) => readFileSync(file, 'utf8')));
await browser.close();
server.close();
console.log(JSON.stringify({ files: files.map((file, i) => ({ file, problems: problems[i] })) }));
process.exitCode = problems.some((list) => list.length) ? 1 : 0;
