// node check_glb.mjs FILE...
//
// Runs the Khronos glTF validator over GLB or glTF files. Prints one JSON document:
// { "files": [{ "file", "problems": [...], "hints": [...], "info" }] }, where problems are the validator's errors
// and warnings, hints what it says beside them. Exit code 1 when any file has a problem.

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { validateBytes } from 'gltf-validator';

const [ERROR, WARNING] = [0, 1];

async function check(file) {
  const report = await validateBytes(new Uint8Array(readFileSync(file)), {
    uri: file,
    maxIssues: 200,
    writeTimestamp: false,
    externalResourceFunction: async (uri) =>
      new Uint8Array(readFileSync(resolve(dirname(file), decodeURIComponent(uri)))),
  });
  const { issues } = report;
  const list = (wanted) =>
    issues.messages.filter(({ severity }) => wanted(severity)).map((m) => `${m.code} ${m.pointer ?? ''}: ${m.message}`);
  const problems = list((severity) => severity === ERROR || severity === WARNING);
  if (issues.truncated) problems.push('more issues than are listed');
  return { problems, hints: list((severity) => severity > WARNING), info: report.info };
}

const files = [];
for (const file of process.argv.slice(2)) {
  try {
    files.push({ file, ...(await check(file)) });
  } catch (error) {
    files.push({ file, problems: [String(error)], hints: [] });
  }
}
process.stdout.write(`${JSON.stringify({ files }, null, 1)}\n`);
process.exitCode = files.some((file) => file.problems.length > 0) ? 1 : 0;
