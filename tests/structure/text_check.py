"""Checks the texts of the views: each with a count, tr("%n image(s)", "", count), has its English plural forms, and none
uses a word that the program has replaced.

usage: text_check.py SOURCE_FOLDER LUPDATE [--update] | --self-test

--update adds new texts to resources/translations/lockstep_en.ts and drops unused ones. It makes the forms by the rule that
"(s)" and "(es)" are "" for one, and "s" and "es" for several; other forms ("is", "are") are written by hand.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

TS = "resources/translations/lockstep_en.ts"
# Comments, and runs of adjacent strings.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#[^\n]*|((?:"(?:\\.|[^"\\\n])*"\s*)+)', re.S | re.M)
# A count before a plural, without a form for one.
COUNTED = re.compile(r"%L?[1-9] (?:(?!has |have )\w+ )?(?:annotation|card|class|detection|epoch|error|file|image|instance|line|object|parameter|"
                     r"prediction|rank|record|result|run|step|tag|warning)(?:e?s)\b(?!/)")
REPLACED = {re.compile(r"\bheld[- ]out\b", re.I): "validation"}
UNFINISHED = re.compile(r"<source>([^<]*)</source>\s*<translation type=\"unfinished\">\s*<numerusform></numerusform>"
                        r"\s*<numerusform></numerusform>\s*</translation>")


def strings_of(text):
    """Yields (line, string) of C++ source, adjacent strings joined, escapes as they are written."""
    for at in TOKEN.finditer(text):
        if at[1]:
            parts = re.findall(r'"((?:\\.|[^"\\\n])*)"', at[1])
            yield text.count("\n", 0, at.start()) + 1, "".join(parts)


def run_lupdate(lupdate, root, ts):
    guesses = [word for heuristic in ("sametext", "similartext") for word in ("-disable-heuristic", heuristic)]
    subprocess.run([lupdate, "-silent", "-pluralonly", "-no-obsolete", *guesses, "-locations", "none", "-I", ".", "app", "widgets", "-ts", ts],
                   cwd=root, check=True, stderr=subprocess.DEVNULL)


def forms_of(source):
    return source.replace("(s)", "").replace("(es)", ""), source.replace("(s)", "s").replace("(es)", "es")


def filled(ts):
    def forms(at):
        one, several = forms_of(at[1])
        return (f"<source>{at[1]}</source>\n        <translation>\n            <numerusform>{one}</numerusform>\n"
                f"            <numerusform>{several}</numerusform>\n        </translation>")

    return UNFINISHED.sub(forms, ts)


def messages_of(ts):
    """{(context, source): forms, or nothing if they are unfinished}"""
    found = {}
    for context in ElementTree.fromstring(ts).iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            done = translation.get("type") is None
            forms = [form.text or "" for form in translation.iter("numerusform")] if done else []
            found[context.findtext("name"), message.findtext("source")] = forms
    return found


def faults_of(ts, updated, strings):
    """ts: the committed text; updated: what lupdate makes of it; strings: (place, string) of the sources."""
    messages, known = messages_of(ts), messages_of(updated)
    for (context, source), forms in known.items():
        if len(forms) != 2 or not all(forms):
            yield f"{context}: '{source}' has no English plural forms: run this script with --update"
        elif any("(s)" in form or "(es)" in form for form in forms) or not re.search("%L?n", forms[1]) or forms[0] == forms[1]:
            yield f"{context}: '{source}' has wrong plural forms: {forms}"
    for context, source in messages.keys() - known.keys():
        yield f"{context}: '{source}' is not used any more: run this script with --update"
    sources = {source for _, source in known}
    for place, string in strings:
        plain = string.replace("\\n", "\n").replace('\\"', '"')
        if re.search("%L?n", string) and plain not in sources:
            yield f"{place}: lupdate does not find the count of '{string}'; write it as tr(\"…\", \"\", count)"
        elif plain not in sources and ("(s)" in string or "(es)" in string or COUNTED.search(string)):
            yield f"{place}: '{string}' has a plural, but no form for one; write it as tr(\"%n image(s)\", \"\", count)"
        for word, better in REPLACED.items():
            if word.search(string):
                yield f"{place}: '{string}': write {better}"


def self_test():
    entry = "<message numerus=\"yes\"><source>{}</source><translation{}>{}</translation></message>"
    form = "<numerusform>{}</numerusform>"

    def ts(*messages):
        return f"<TS><context><name>A</name>{''.join(messages)}</context></TS>"

    good = entry.format("%n cat(s)", "", form.format("%n cat") + form.format("%n cats"))
    new = entry.format("%n dog(s)", ' type="unfinished"', form.format("") + form.format(""))
    wrong = entry.format("%n dog(s)", "", form.format("%n dogs") * 2)
    place = ("a.cpp:1", "%n cat(s)")
    assert not list(faults_of(ts(good), ts(good), [place]))
    assert list(faults_of(ts(good), ts(good, new), []))
    assert list(faults_of(ts(good, wrong), ts(good, wrong), []))
    assert list(faults_of(ts(good), ts(), []))
    assert list(faults_of(ts(good), ts(good), [("a.cpp:1", "%Ln bird(s)")]))
    assert list(faults_of(ts(good), ts(good), [("a.cpp:1", "%1 bird(s)")]))
    assert list(faults_of(ts(good), ts(good), [("a.cpp:1", "all %L1 large images")]))
    assert list(faults_of(ts(good), ts(good), [("a.cpp:1", "No held-out images")]))
    assert not list(faults_of(ts(good), ts(good), [("a.cpp:1", "tab.held_out_images"), ("a.cpp:2", "%1 has results")]))
    assert not list(faults_of(filled(ts(good, new)), ts(good, filled(new)), []))
    assert list(strings_of('f(tr("a "\n  "b"), \'"\');  // "c"')) == [(1, "a b")]
    return 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    root, lupdate = pathlib.Path(arguments[0]), arguments[1]
    ts = root / TS
    if "--update" in arguments:
        run_lupdate(lupdate, root, ts)
        ts.write_text(filled(ts.read_text()))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / ts.name
        shutil.copy(ts, copy)
        run_lupdate(lupdate, root, copy)
        updated = copy.read_text()
    files = [f for top in ("widgets", "app") for f in sorted((root / top).rglob("*")) if f.suffix in {".h", ".cpp"}]
    strings = [(f"{f.relative_to(root)}:{line}", string) for f in files for line, string in strings_of(f.read_text())]
    faults = list(faults_of(ts.read_text(), updated, strings))
    print(f"{len(messages_of(updated))} texts with a count, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
