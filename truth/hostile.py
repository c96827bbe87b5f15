"""Holds that no name or string of a graph becomes code: python3 hostile.py FOLDER

The first file of the folder was exported from a graph with plain names, all others from the same graph with other ones. As syntax trees
they must be equal but for identifiers and strings. Files are read as Python reads them, declared encodings included.
"""
import ast, glob, sys, tokenize


def shape(path):
    with tokenize.open(path) as f:
        if f.encoding != "utf-8":
            sys.exit(f"{path} is read as {f.encoding}")
    with open(path, "rb") as f:
        tree = ast.parse(f.read())
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, str) and not isinstance(node, (ast.Import, ast.ImportFrom, ast.alias)):
                setattr(node, name, "_")
    return ast.dump(tree)


def main(folder):
    files = sorted(glob.glob(folder + "/*.py"))
    plain = shape(files[0])
    bad = [f for f in files[1:] if shape(f) != plain]
    for f in bad[:5]:
        print(f"{f} is another program:\n{open(f, encoding='utf-8').read()}")
    print(f"{len(files) - 1 - len(bad)} of {len(files) - 1} files with hostile names are the same program")
    return int(bool(bad) or len(files) < 20)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
