#!/usr/bin/env python3
"""Prints what a build cost: the seconds of all its jobs, per folder and per kind of job.

usage: build_cost.py BUILD_FOLDER [OLD_BUILD_FOLDER_OR_LOG]
       build_cost.py --jobs N BUILD_FOLDER     the N longest jobs

Reads .ninja_log, which holds the wall time of each job: build from nothing, on a quiet machine, with one job per core. With a
second build, that one is shown as "before".
"""
import pathlib
import re
import sys

KINDS = [('compiling moc output', re.compile(r'mocs_compilation')),
         ('precompiled headers', re.compile(r'\.gch$|_pch(_vectorised)?\.dir/|(^|/)lib\w+_pch')),
         ('moc (AUTOMOC)', re.compile(r'_autogen/|_autogen$')),
         ('compiling', re.compile(r'\.o$')),
         ('linking', re.compile(r'\.a$|\.so[.\d]*$|^bin/|^[^.]+$'))]


def jobs(path):
    """Returns (seconds, first output) of each job of a build folder or of a copy of its .ninja_log."""
    log = pathlib.Path(path)
    if log.is_dir():
        log = log / '.ninja_log'
    found = {}
    try:
        lines = log.read_text().splitlines()
    except OSError as error:
        sys.exit(f'build_cost.py: {log}: {error.strerror}')
    if not lines or not lines[0].startswith('# ninja log'):
        sys.exit(f'build_cost.py: {log}: not a log of ninja')
    for line in lines[1:]:
        start, end, _, output, command = line.split('\t')
        if not output.startswith('/'):  # by-products of a job stand again under their absolute paths
            found[(command, start, end)] = ((int(end) - int(start)) / 1000, output)
    return list(found.values())


def kind_of(output):
    return next((name for name, pattern in KINDS if pattern.search(output)), 'other')


def folder_of(output):
    """engine/ops/CMakeFiles/engine_ops.dir/cpu/nms.cpp.o -> engine/ops; generated code and the rest: where they are made."""
    folder = output.split('/CMakeFiles/')[0] if '/CMakeFiles/' in output else str(pathlib.PurePath(output).parent)
    parts = [p for p in folder.split('/') if not p.endswith('_autogen')]
    return '/'.join(parts[:2]) if parts and parts[0] in ('engine', 'app', 'widgets', 'tests', 'resources') else '(shared)'


def sums(path, key):
    total = {}
    for seconds, output in jobs(path):
        count, spent = total.get(key(output), (0, 0.0))
        total[key(output)] = (count + 1, spent + seconds)
    return total


def table(title, paths, key):
    columns = [sums(path, key) for path in paths]
    print(f'| {title} | ' + ' | '.join(('before: jobs | seconds', 'after: jobs | seconds') if len(paths) > 1 else ('jobs | seconds',)) + ' |')
    print('|---' * (1 + 2 * len(paths)) + '|')
    names = sorted(set().union(*columns), key=lambda n: -max(c.get(n, (0, 0))[1] for c in columns))
    rows = [(n, [c.get(n, (0, 0.0)) for c in columns]) for n in names]
    rows.append(('all', [tuple(map(sum, zip(*c.values()))) for c in columns]))
    for name, cells in rows:
        print(f'| {name} | ' + ' | '.join(f'{count} | {seconds:.0f}' for count, seconds in cells) + ' |')
    print()


def main(arguments):
    if len(arguments) == 3 and arguments[0] == '--jobs' and arguments[1].isdigit():
        for seconds, output in sorted(jobs(arguments[2]), reverse=True)[:int(arguments[1])]:
            print(f'{seconds:7.1f} {output}')
        return
    if len(arguments) not in (1, 2) or arguments[0].startswith('-'):
        sys.exit(__doc__)
    paths = arguments[::-1]
    table('kind of job', paths, kind_of)
    table('folder', paths, folder_of)


if __name__ == '__main__':
    main(sys.argv[1:])
