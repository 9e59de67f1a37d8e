"""Collects the results of the sections of gpu_check.sh in one JSON file.

usage: gpu_results.py OUT

Reads OUT/results.tsv (section, name, status, seconds, log, reason), the logs that it names and OUT/steps.json, and writes
OUT/gpu_check.json: [{section, name, value, unit, peer, status}]. `value` is a number with its unit, or a text (unit "text").
`peer` is the value to compare with: torchvision's, or the minimum time for the bytes that a kernel moves. `status` is pass, fail
or skip.
"""
import json
import os
import pathlib
import re
import sys

STATUS_OF_WORD = {"ok": "pass", "FAIL": "fail", "skip": "skip"}
CHECK = re.compile(r"^(ok|FAIL|skip) +(.{32}) (.*)$")
KERNEL = re.compile(r"^(.{30}) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$")
COPY = re.compile(r"^copying moves ([\d.]+) TB/s$")
SUMMARY = re.compile(r"^========= (?:ERROR|RACECHECK) SUMMARY: (\d+)")


def result(section, name, value, unit, peer=None, status="pass"):
    return {"section": section, "name": name, "value": value, "unit": unit, "peer": peer, "status": status}


def results_in_line(section, line):
    if found := CHECK.match(line):
        word, name, text = found.groups()
        return [result(section, name.strip(), text.strip(), "text", status=STATUS_OF_WORD[word])]
    if found := KERNEL.match(line):
        return [result(section, found[1].strip(), float(found[4]), "us", peer=float(found[3]))]
    if found := COPY.match(line):
        return [result(section, "copy", float(found[1]), "TB/s")]
    if found := SUMMARY.match(line):
        errors = int(found[1])
        return [result(section, "errors", errors, "errors", status="fail" if errors else "pass")]
    return []


def results_of(row, out):
    section, name, status, seconds, log, reason = row
    own = result(section, name, reason, "text", status=status) if reason else result(section, name, float(seconds or 0), "s",
                                                                                    status=status)
    collected = [own]
    if log:
        for line in pathlib.Path(log).read_text(errors="replace").splitlines():
            collected += results_in_line(section, line)
    steps = out / "steps.json"
    if section == "steps" and steps.exists():
        collected += [result(section, **each) for each in json.loads(steps.read_text())]
    return collected


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    rows = [line.split("\t") for line in (out / "results.tsv").read_text(errors="replace").splitlines()]
    collected = [each for row in rows for each in results_of(row, out)]
    lines = ",\n".join(json.dumps(each) for each in collected)
    partial = out / "gpu_check.json.partial"
    partial.write_text(f"[\n{lines}\n]\n")
    os.replace(partial, out / "gpu_check.json")


if __name__ == "__main__":
    main()
