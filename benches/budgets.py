#!/usr/bin/env python3
"""What budgets cost on real characters: the table of docs/budgets.md.

    benches/budgets.py VATPIPE [CHARACTER...] > docs/budgets.md

VATPIPE is a release build of the program. Models are those of ../shared/corpus, which are not part of the project. All
figures are the program's own, from `vatpipe build --plan --message-format json`; bytes are those of the clips' texels on
the GPU. Beside them stands what other bakers write: `rgba16f` at 30 frames a second, whatever comes of it.
"""

import json
import os
import subprocess
import sys
import tempfile

CORPUS = os.path.abspath(os.path.join(os.path.dirname(__file__), '../../shared/corpus'))
CHARACTERS = {
    'Fox': ('Fox.glb', None, 0.01),
    'Greenman': ('greenman.glb', None, 1),
    'Manta ray': ('Manta_ray.glb', None, 1),
    'Robot': ('RobotExpressive.glb', ['Walking', 'Idle', 'Jump', 'Wave'], 1),
    'Knight': ('Knight.glb', ['Walking_A', 'Idle', '1H_Melee_Attack_Chop'], 1),
}
BUDGETS = ['1cm', '1mm', '0.1mm']
CAP = 240


def plan(program, folder, name, output, lines):
    model, clips, _ = CHARACTERS[name]
    text = f'[output]\ndir = "out"\n{output}[characters.it]\nsource = "it.glb"\n{lines}'
    if clips:
        text += f'clips = {json.dumps(clips)}\n'
    with open(os.path.join(folder, 'vat.toml'), 'w') as file:
        file.write(text)
    link = os.path.join(folder, 'it.glb')
    if os.path.lexists(link):
        os.remove(link)
    with open(os.path.join(CORPUS, model), 'rb') as source, open(link, 'wb') as copy:
        copy.write(source.read())
    command = [program, 'build', '--plan', '--message-format', 'json']
    env = dict(os.environ, VATPIPE_CACHE_DIR=os.path.join(folder, 'cache'))
    out = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True).stdout
    messages = [json.loads(line) for line in out.splitlines()]
    clips = [m for m in messages if m['reason'] == 'clip-plan']
    if not clips:
        sys.exit(f'{name}: {out}')
    return [clip['candidates'][clip['chosen']] for clip in clips]


def length(metres):
    return f'{metres * 1000:.3g} mm'


def size(count):
    return f'{count / 1e6:.2f} MB' if count >= 1e6 else f'{count / 1e3:.0f} kB'


def several(values):
    return ', '.join(dict.fromkeys(values))


def row(name, budget, chosen, plain):
    total, base = (sum(c['bytes'] for c in cs) for cs in (chosen, plain))
    missed = sum(not c['passes'] for c in chosen)
    kept = 'kept' if not missed else f'missed by {missed} of {len(chosen)} clips'
    formats = several((c.get('format') or '-') + (' + residual' if c.get('residual') else '') for c in chosen)
    rates = several(f"{c['asked_fps']:g}" for c in chosen)
    worst = max(c['sample'] for c in chosen)
    return f'| {name} | {budget} | {kept} | {formats} | {rates} | {length(worst)} | {size(total)} | {total / base:.2f} |'


def main():
    program, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(CHARACTERS)
    print(HEAD)
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted:
            # Fox is a hundred times as large as a fox.
            unit = CHARACTERS[name][2]
            plain = plan(program, folder, name, '', 'format = "rgba16f"\nfps = 30\n')
            worst = max(c['sample'] for c in plain)
            total = sum(c['bytes'] for c in plain)
            print(f"| {name} | none | | rgba16f | 30 | {length(worst)} | {size(total)} | 1 |", flush=True)
            for budget in BUDGETS:
                for platforms in ('', 'platforms = ["mobile"]\n'):
                    value = budget if unit == 1 else f"{float(budget[:-2]) / unit:g}{budget[-2:]}"
                    lines = f'format = "auto"\nfps = "auto"\nmax_fps = {CAP}\nmax_error = "{value}"\n'
                    lines += 'residual = true\n' if platforms else ''
                    label = budget + (', mobile' if platforms else '')
                    label += f' (x {1 / unit:g})' if unit != 1 else ''
                    print(row(name, label, plan(program, folder, name, platforms, lines), plain), flush=True)


HEAD = f"""# What budgets cost

`format = "auto"`, `fps = "auto"` with `max_fps = {CAP}`, and a `max_error`, on characters of others (Khronos's sample models and CC0 packs, which are not
part of this repository); the first row of each is `rgba16f` at 30 frames a second, as other bakers write it, with the error that this has. *Rates* and
*formats* are those taken, clip by clip; *error* is the worst of all clips, at and between frames, on the bytes as written. *Bytes* are on the GPU,
sheets of normals counted; the *ratio* is to the first row. A budget is missed where no rate up to the cap keeps it, mostly as the motion has a kink
between frames; the nearest candidate stands in the row then. *mobile* is `platforms = ["mobile"]` with `residual = true`: formats in blocks may be taken.

Made by `benches/budgets.py`, from the program's own JSON.

| character | budget | | formats | rates | error | bytes | ratio |
|---|---|---|---|---|---|---|---|"""

if __name__ == '__main__':
    main()
