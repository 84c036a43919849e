// node check_ktx2.mjs FILE...
//
// Reads KTX2 files with ktx-parse, writes each back and compares the bytes. Prints one JSON document:
// { "files": [{ "file", "problems": [...], and what the file says }] }. Exit code 1 when any has a problem.

import { readFileSync } from 'node:fs';
import { read, write } from 'ktx-parse';

function check(file) {
  const bytes = new Uint8Array(readFileSync(file));
  const ktx = read(bytes);
  const problems = [];
  const again = write(ktx, { keepWriter: true });
  const differs = again.findIndex((byte, i) => byte !== bytes[i]);
  if (again.length !== bytes.length) problems.push(`${again.length} bytes written back, ${bytes.length} read`);
  else if (differs !== -1) problems.push(`written back, byte ${differs} differs`);

  const keyValues = Object.entries(ktx.keyValue).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : Buffer.from(value).toString('utf8'),
  ]);
  return {
    problems,
    vkFormat: ktx.vkFormat,
    typeSize: ktx.typeSize,
    pixelWidth: ktx.pixelWidth,
    pixelHeight: ktx.pixelHeight,
    pixelDepth: ktx.pixelDepth,
    layerCount: ktx.layerCount,
    faceCount: ktx.faceCount,
    levelCount: ktx.levelCount,
    supercompressionScheme: ktx.supercompressionScheme,
    levels: ktx.levels.map((level) => [level.levelData.length, level.uncompressedByteLength]),
    keyValues: Object.fromEntries(keyValues),
    descriptor: ktx.dataFormatDescriptor[0],
  };
}

const files = process.argv.slice(2).map((file) => {
  try {
    return { file, ...check(file) };
  } catch (error) {
    return { file, problems: [String(error)] };
  }
});
process.stdout.write(`${JSON.stringify({ files }, null, 1)}\n`);
process.exitCode = files.some((file) => file.problems.length > 0) ? 1 : 0;
