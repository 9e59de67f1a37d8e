#!/usr/bin/env python3
"""Measures whether a suite of tests still catches faults: places small faults (mutants) in random functions and runs the suite on each.

  mutants.py plan OLD NEW --seed S --count N --out PLAN.json   chooses places in functions that are the same in both checkouts
  mutants.py apply PLAN.json CHECKOUT                          writes all mutants into a checkout, switched off
  mutants.py compile PLAN.json CHECKOUT BUILD                  drops the mutants that do not compile
  mutants.py reach BUILD --out REACH.json [--tests REGEX]      runs each test once and records the mutants that it executes
  mutants.py run PLAN.json REACH.json BUILD --out RESULT.json [--only N,N,…]
  mutants.py table PLAN.json NEW.json OLD.json                 a Markdown table of both results

The checkout with mutants is built once. LOCKSTEP_MUTANT=N switches mutant N on, in every process of a test. A test that never
executes a mutant cannot catch it, so `run` starts only the tests of REACH.json that do, and stops at the first that fails.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

FOLDERS = ('engine', 'widgets', 'app')
CTEST = shutil.which('ctest') or str(pathlib.Path(__file__).resolve().parents[2] / '.venv/bin/ctest')
SWITCH = '''\
// Switches of planted faults, see tests/stress/mutants.py.
#ifndef LOCKSTEP_MUTANT_SWITCH
#define LOCKSTEP_MUTANT_SWITCH
#include <cstdio>
#include <cstdlib>
inline bool lockstepMutant(int number) {
  static const char* const chosen = std::getenv("LOCKSTEP_MUTANT");
  static const char* const reached = std::getenv("LOCKSTEP_MUTANTS_REACHED");
  static bool noted[1000] = {};
  if (reached != nullptr && !noted[number]) {
    noted[number] = true;
    char path[4096];
    std::snprintf(path, sizeof path, "%s/%d", reached, number);
    if (std::FILE* file = std::fopen(path, "w")) std::fclose(file);
  }
  return chosen != nullptr && std::atoi(chosen) == number;
}
#endif
'''
FLIPPED = {'<': '>=', '>=': '<', '>': '<=', '<=': '>', '==': '!=', '!=': '=='}
COMPARISON = re.compile(r' (<|>|<=|>=|==|!=) ')
CONDITION = re.compile(r'^(\s*(?:\} else )?(?:if|while) \()(.*)(\)(?: \{| [^{}]*;)?)$')
RETURN = re.compile(r'^(\s*return )(.*)(;)$')
STATEMENT = re.compile(r'^\s+[A-Za-z_][\w.]*(?:(?:->|\.|\[|\()[^=]*\)| (?:[+*/|&-]?=) .*);$')
ONE = re.compile(r' ([+-]) 1\b(?![.\d])')
LOOP = re.compile(r'^(\s*for \([\w:]+(?: [\w:]+)* \w+ = )0(;.*)$')


def functions(path):
    """Definitions at the left margin of a formatted source: (first line, lines), from the signature to its closing brace."""
    lines = path.read_text().splitlines()
    start = None
    for number, line in enumerate(lines):
        if start is None:
            opens = line.endswith('{') and line[:1] not in (' ', '}', '#', '/', '')
            if opens and '(' in line and not re.match(r'namespace|class|struct|enum|union|extern|TEST|constexpr|template', line):
                start = number
        elif line[:1] == '}':
            if line == '}':
                yield start, lines[start:number + 1]
            start = None
        elif line[:1] not in (' ', ''):
            start = None


def flip(text):
    found = COMPARISON.search(text)
    if not found or len(COMPARISON.findall(text)) > 3:
        return None
    return text[:found.start(1)] + FLIPPED[found.group(1)] + text[found.end(1):]


def balanced(text):
    depth = 0
    for character in text:
        depth += {'(': 1, ')': -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def mutations(lines):
    """All mutations of a function: (offset, kind, the line with MUTANT in place of the switch)."""
    for offset, line in enumerate(lines[1:-1], 1):
        before = lines[offset - 1].rstrip()
        if 'constexpr' in line or 'static_assert' in line or '//' in line or '"' in line and line.count('"') % 2:
            continue
        for kind in (CONDITION, RETURN):
            match = kind.match(line)
            flipped = match and balanced(match.group(2)) and ';' not in match.group(2) and flip(match.group(2))
            if flipped and not re.search(r'\b(auto|const)\b|[^=!<>]=[^=]', match.group(2)) and '?' not in match.group(2):
                one, other = f'static_cast<bool>({flipped})', f'static_cast<bool>({match.group(2)})'
                yield offset, 'comparison', f'{match.group(1)}MUTANT ? {one} : {other}{match.group(3)}'
        if STATEMENT.match(line) and before[-1:] in '{;}' and balanced(line) and not re.match(r'\s*(return|delete|throw|using|goto|co_)\b', line):
            yield offset, 'dropped line', re.match(r'\s*', line).group() + 'if (!MUTANT) { ' + line.strip() + ' }'
        match = ONE.search(line)
        if match and before[-1:] in '{;}':
            yield offset, 'off by one', f'{line[:match.start()]} {match.group(1)} (MUTANT ? 2 : 1){line[match.end():]}'
        match = LOOP.match(line)
        if match:
            yield offset, 'off by one', f'{match.group(1)}(MUTANT ? 1 : 0){match.group(2)}'


def sources(root):
    return sorted(path for folder in FOLDERS for path in (root / folder).rglob('*.cpp'))


def plan(arguments):
    old, new = pathlib.Path(arguments.old), pathlib.Path(arguments.new)
    kept = {}
    for path in sources(new):
        for _, lines in functions(path):
            kept.setdefault('\n'.join(lines), []).append(str(path.relative_to(new)))
    chosen, random_ = [], random.Random(arguments.seed)
    candidates = []
    for path in sources(old):
        for start, lines in functions(path):
            text = '\n'.join(lines)
            if len(lines) >= 4 and len(kept.get(text, ())) == 1 and list(mutations(lines)):
                candidates.append((str(path.relative_to(old)), kept[text][0], text))
    random_.shuffle(candidates)
    kinds = ['comparison', 'dropped line', 'off by one']
    for old_file, new_file, text in candidates:
        if len(chosen) == arguments.count:
            break
        kind = kinds[len(chosen) % 3]
        possible = [m for m in mutations(text.split('\n')) if m[1] == kind]
        if possible:
            offset, kind, line = random_.choice(possible)
            chosen.append({'number': len(chosen) + 1, 'old': old_file, 'new': new_file, 'function': text, 'offset': offset,
                           'kind': kind, 'line': line})
    pathlib.Path(arguments.out).write_text(json.dumps(chosen, indent=1))
    print(f'{len(chosen)} mutants in {len({m["old"] for m in chosen})} files, of {len(candidates)} functions')


def place(mutant, root):
    """The file of a checkout that holds the mutant's function, and the line where it is."""
    for name in (mutant['new'], mutant['old']):
        path = root / name
        if path.exists():
            for start, lines in functions(path):
                if '\n'.join(lines) == mutant['function']:
                    return path, start + mutant['offset']
    return None, None


def switched(mutant):
    return mutant['line'].replace('MUTANT', f'lockstepMutant({mutant["number"]})')


def apply(arguments):
    root, edits = pathlib.Path(arguments.checkout), {}
    for mutant in json.loads(pathlib.Path(arguments.plan).read_text()):
        path, line = place(mutant, root)
        if path is None:
            sys.exit(f'mutant {mutant["number"]}: its function is no longer in {mutant["new"]}')
        edits.setdefault(path, {})[line] = switched(mutant)
    for path, changed in edits.items():
        lines = path.read_text().splitlines()
        for line, text in changed.items():
            lines[line] = text
        path.write_text(SWITCH + '\n'.join(lines) + '\n')


def compile_(arguments):
    root, build = pathlib.Path(arguments.checkout).resolve(), pathlib.Path(arguments.build)
    commands = {e['file']: e for e in json.loads((build / 'compile_commands.json').read_text())}
    plan_ = json.loads(pathlib.Path(arguments.plan).read_text())

    def passes(mutant):
        path, line = place(mutant, root)
        entry = commands.get(str(path))
        if entry is None:
            return False
        copy = path.with_name(f'mutant_{mutant["number"]}_{path.name}')
        lines = path.read_text().splitlines()
        lines[line] = switched(mutant)
        copy.write_text(SWITCH + '\n'.join(lines) + '\n')
        try:
            words = shlex.split(entry['command'].replace(str(path), str(copy)))
            return subprocess.run(words + ['-fsyntax-only'], cwd=entry['directory'], capture_output=True).returncode == 0
        finally:
            copy.unlink()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        kept = [m for m, good in zip(plan_, pool.map(passes, plan_)) if good]
    pathlib.Path(arguments.plan).write_text(json.dumps(kept, indent=1))
    print(f'{len(kept)} of {len(plan_)} mutants compile')


def tests_of(build, pattern):
    listed = subprocess.run([CTEST, '--show-only=json-v1'], cwd=build, capture_output=True, text=True, check=True).stdout
    # Tests of the sources run no code of theirs.
    names = [t['name'] for t in json.loads(listed)['tests'] if not t['name'].startswith('structure.') and re.search(pattern, t['name'])]
    return names or sys.exit(f'{build}: no test matches')


def run_test(build, name, **environment):
    """Returns (passed, seconds)."""
    started = time.monotonic()
    done = subprocess.run([CTEST, '-R', f'^{re.escape(name)}$', '--no-tests=error', '--timeout', '300'], cwd=build,
                          env=dict(os.environ, **environment), capture_output=True)
    return done.returncode == 0, time.monotonic() - started


def reach(arguments):
    """{test: {"passed", "seconds", "mutants"}} of every test, with all mutants off."""
    def one(name):
        with tempfile.TemporaryDirectory() as folder:
            passed, seconds = run_test(arguments.build, name, LOCKSTEP_MUTANTS_REACHED=folder, LOCKSTEP_MUTANT='0')
            return name, {'passed': passed, 'seconds': seconds, 'mutants': sorted(int(f) for f in os.listdir(folder))}

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(pool.map(one, tests_of(arguments.build, arguments.tests)))
    pathlib.Path(arguments.out).write_text(json.dumps(found, indent=1))
    print(f'{len(found)} tests, failed: {[n for n, t in found.items() if not t["passed"]]}')


def run(arguments):
    """{mutant: {"caught_by", "reached_by"}}, mutants side by side. A test never runs twice at the same time."""
    plan_, reached = (json.loads(pathlib.Path(p).read_text()) for p in (arguments.plan, arguments.reach))
    only = {int(n) for n in arguments.only.split(',')} if arguments.only else None
    out = pathlib.Path(arguments.out)
    results = json.loads(out.read_text()) if out.exists() else {}
    running, writing = {name: threading.Lock() for name in reached}, threading.Lock()

    def catches(test, number):
        with running[test]:
            # A test that fails without the mutant too catches nothing.
            return (not run_test(arguments.build, test, LOCKSTEP_MUTANT=str(number))[0]
                    and run_test(arguments.build, test, LOCKSTEP_MUTANT='0')[0])

    def one(mutant):
        number = mutant['number']
        layer, folder = mutant['old'].split('/')[:2]
        own = {'engine': f'{folder}.', 'widgets': f'widgets_{folder}.', 'app': 'app'}[layer]
        tests = [n for n, t in reached.items() if number in t['mutants'] and t['passed']]
        # Tests of the mutant's own folder first, then the quickest.
        tests.sort(key=lambda n: (not n.startswith(own), reached[n]['seconds']))
        caught = next((n for n in tests if catches(n, number)), None)
        with writing:
            results[str(number)] = {'caught_by': caught, 'reached_by': len(tests)}
            out.write_text(json.dumps(results, indent=1))
            print(f'{number} {mutant["kind"]} {mutant["old"]}: {caught or "missed"}, of {len(tests)} tests', flush=True)

    chosen = [m for m in plan_ if str(m['number']) not in results and (not only or m['number'] in only)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, chosen))


def table(arguments):
    plan_, new, old = (json.loads(pathlib.Path(p).read_text()) for p in (arguments.plan, arguments.new_result, arguments.old_result))
    print('| # | file | kind | new suite | old suite |\n|---|---|---|---|---|')
    for mutant in plan_:
        cells = []
        for result in (new, old):
            one = result.get(str(mutant['number']))
            cells.append('not run' if one is None else one['caught_by'] or f'missed ({one["reached_by"]} tests reach it)')
        print(f'| {mutant["number"]} | {mutant["old"]} | {mutant["kind"]} | {" | ".join(cells)} |')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)

    def verb(name, action, *positional, **options):
        added = verbs.add_parser(name)
        added.set_defaults(action=action)
        for argument in positional:
            added.add_argument(argument)
        for option, settings in options.items():
            added.add_argument(f'--{option}', **settings)

    out = {'required': True}
    verb('plan', plan, 'old', 'new', seed={'type': int, 'default': 1}, count={'type': int, 'default': 40}, out=out)
    verb('apply', apply, 'plan', 'checkout')
    verb('compile', compile_, 'plan', 'checkout', 'build')
    verb('reach', reach, 'build', out=out, tests={'default': '', 'metavar': 'REGEX'})
    verb('run', run, 'plan', 'reach', 'build', out=out, only={})
    verb('table', table, 'plan', 'new_result', 'old_result')
    arguments = parser.parse_args()
    arguments.action(arguments)


if __name__ == '__main__':
    main()
