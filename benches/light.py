#!/usr/bin/env python3
"""What this crate costs as a build-dependency: without its default features, and with them.

    benches/light.py [FEATURES...]

A game with nothing but a build script that calls `vatpipe::build_script` is checked by cargo, offline and from nothing, once for
each list of features. Printed are the crates that are compiled, the processor seconds of cargo and all compilers, and
their ratio to the first list. FEATURES are `script`, `bake`, `default`; all three without any.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.abspath(os.path.join(os.path.dirname(__file__), '..'))
DEPENDENCIES = {
    'script': 'default-features = false, features = ["script"]',
    'bake': 'default-features = false, features = ["bake"]',
    'default': 'default-features = true',
}


def seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(features):
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        os.mkdir(path('src'))
        files = {
            'Cargo.toml': f'[package]\nname = "game"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n[build-dependencies]\n'
                          f"vatpipe = {{ path = '{HERE}', {DEPENDENCIES[features]} }}\n",
            'build.rs': 'fn main() { drop(vatpipe::build_script::build()); }\n',
            'src/lib.rs': '',
        }
        for name, text in files.items():
            with open(path(name), 'w') as file:
                file.write(text)
        shutil.copy(os.path.join(HERE, 'Cargo.lock'), folder)
        env = {**os.environ, 'CARGO_TARGET_DIR': path('target'), 'VATPIPE': '/nowhere', 'CARGO_INCREMENTAL': '0'}
        cargo = ['cargo', '--offline']
        tree = [*cargo, 'tree', '-e', 'normal,build', '--prefix', 'none', '--no-dedupe', '-f', '{p}']
        crates = subprocess.run(tree, cwd=folder, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
        crates = {line.split(' (')[0] for line in crates.splitlines() if line and not line.startswith('game ')}
        before = seconds()
        subprocess.run([*cargo, 'check', '-q'], cwd=folder, env=env, check=True)
        return len(crates), seconds() - before


def main():
    first = None
    for features in sys.argv[1:] or DEPENDENCIES:
        crates, used = measured(features)
        first = first or used
        print(f'{features}: {crates} crates, {used:.1f} processor seconds, {used / first:.1f} times the first', flush=True)


if __name__ == '__main__':
    main()
