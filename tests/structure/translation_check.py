"""Checks that each tr() of the views lies in a class whose context lupdate knows and the program asks for.

usage: translation_check.py SOURCE_FOLDER | --self-test
"""
import pathlib
import re
import sys

# Comments, strings, characters and directives: they hide braces and calls.
HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#[^\n]*', re.S | re.M)
CLASS = re.compile(r"\b(?:class|struct)\s+((?:\w+::)*\w+)(?:\s+final)?\s*(?::[^:].*)?$", re.S)  # head of its definition
MEMBER = re.compile(r"^[^()=]*?\b((?:\w+::)+)~?\w+\s*\(", re.S)  # head of the definition of a class's function
TOKEN = re.compile(r"[{};]|\bQ_(?:OBJECT\b|DECLARE_TR_FUNCTIONS\()|(?<![\w.>])((?:\w+::)*)(?:tr|QT_TR_NOOP)\(")


def calls_in(text):
    """Yields (class, line, token) of each macro of a class and of each tr(); the class is empty outside of one."""
    text = HIDDEN.sub(lambda m: re.sub(r".", "", m[0]), text)
    scopes, starts, start = [], [], 0  # of each open brace: its class or None (namespace), and where its statement begins
    for at in TOKEN.finditer(text):
        head = text[start : at.start()]
        owner = next((scope for scope in reversed(scopes) if scope), "")
        member = MEMBER.match(head)
        if member and all(scope is None for scope in scopes):
            owner = member[1].removesuffix("::")
        if at[0] == "{":
            kind = CLASS.search(head)
            is_namespace = re.search(r"\bnamespace\b[\w\s:]*$", head)
            scopes.append(None if is_namespace else "::".join(filter(None, (owner, kind[1]))) if kind else owner)
            starts.append(start)
        elif at[0] == "}" and scopes:
            scopes.pop()
            begin = starts.pop()
            goes_on = re.match(r"\s*[,{)]", text[at.end() :])  # as after a braced initialiser
            start = begin if goes_on else at.end()
            continue
        if at[0] in "{};":
            start = at.end()
        else:
            yield owner, text.count("\n", 0, at.start()) + 1, at[0]


def faults_of(files):
    """Faults of {path: text}. Classes are told apart by their names without namespaces."""
    found = [(path, *call) for path, text in files.items() for call in calls_in(text)]
    known = {owner for _, owner, _, token in found if owner and token.startswith("Q_")}
    for path, owner, line, token in found:
        asked = (token[: token.rfind("::")] if "::" in token else owner).split("::")
        # A nested class uses tr() of the one around it; classes of Qt have contexts of their own.
        has_context = re.match("Q[A-Z]", asked[0]) or any("::".join(asked[:i]) in known for i in range(1, len(asked) + 1))
        if not token.startswith("Q_") and not has_context:
            yield f"{path}:{line}: {token}) in {'::'.join(asked) or 'no class'}, which has neither Q_OBJECT nor Q_DECLARE_TR_FUNCTIONS"


def main():
    if sys.argv[1] == "--self-test":
        header = (
            "class A : public QObject {\n  Q_OBJECT\n  struct Impl;\n};\n"
            "struct Text {\n  int a;\n  Q_DECLARE_TR_FUNCTIONS(Page)\n};\n"
        )
        bad = [
            'QString f() { return tr("x"); }',
            'namespace {\nQString f() { return tr("x"); }\n}\nvoid A::g() {}',
            'void B::f() { g([] { return tr("x"); }); }',
            'class B : public A {\n  QString f() { return tr("x"); }\n};',
            'const QString kName = tr("x");',
            'const char* const kName = QT_TR_NOOP("x");',
            'QString f() { return B::tr("x"); }',
            'namespace n {\nvoid f() { A::g(tr("x")); }\n}',
            'void A::f() {}\nvoid g() { const auto tr = [](const char* text) { return text; }; tr("x"); }',
        ]
        good = [
            'A::A() : B(tr("x")), c_{tr("y")}, d_([] { return int{1}; }), e_(tr("z")) { if (e) tr("z"); }',
            'void A::f() { g([this] { return tr("{"); }); }',
            'void A::Impl::f() { tr("x"); }',
            'QString f() { return Text::tr("x"); }',
            'QString f() { return QObject::tr("x"); }',
            '// tr("x")\nQString f() { return QCoreApplication::translate("Page", "tr("); }',
        ]
        missed = [t for t in bad if not list(faults_of({"a.h": header, "a.cpp": t}))]
        wrong = [f for t in good for f in faults_of({"a.h": header, "a.cpp": t})]
        print("missed:", missed, "wrong:", wrong)
        return 1 if missed or wrong else 0
    root = pathlib.Path(sys.argv[1])
    files = [f for top in ("widgets", "app") for f in (root / top).rglob("*") if f.suffix in {".h", ".cpp"}]
    faults = list(faults_of({str(f.relative_to(root)): f.read_text() for f in sorted(files)}))
    print(f"{len(files)} files, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
