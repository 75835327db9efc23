"""Whether what a function costs depends on the runs before it, with many packages imported.

    python3 bench/python/packages.py VENV [--pessimum target/release/pessimum] [NAME ...]

For each importable package of the virtual environment (or for those named) two
small functions are searched: one that loops over its input and calls nothing of
the package, and one that calls something of it, where the table below knows
what. The search runs inputs in processes that have run others; its best one is
then run again in a new process. Prints the packages where a cost differs, where
runs are left out or the search complains, and a summary.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import tempfile

LOOP = """import {name}


def loop(s: str) -> int:
    n = 0
    for c in s:
        if c == "a":
            n += 1
    return n
"""

CALL = """import {name}
{more}


def loop(s: str) -> int:
    n = len(s)
    try:
        n = len(repr({call}))
    except Exception:
        pass
    while n > 5 and s[0] == "a":
        n -= 5
    return n
"""

# What is called: an expression, and what else has to be imported.
CALLS = {
    "attr": ("attr.make_class(s, ['x'])(1)", ""),
    "babel": ("babel.Locale.parse(s)", ""),
    "bleach": ("bleach.clean(s)", ""),
    "boltons": ("boltons.strutils.slugify(s)", "import boltons.strutils"),
    "bs4": ("bs4.BeautifulSoup(s, 'html.parser')", ""),
    "cachetools": ("cachetools.LRUCache(3)", ""),
    "chardet": ("chardet.detect(s.encode())", ""),
    "click": ("click.style(s)", ""),
    "commonmark": ("commonmark.commonmark(s)", ""),
    "configobj": ("configobj.ConfigObj([s])", ""),
    "croniter": ("croniter.croniter.is_valid(s)", ""),
    "cssselect": ("cssselect.parse(s)", ""),
    "dateutil": ("dateutil.parser.parse(s)", "import dateutil.parser"),
    "docutils": ("docutils.core.publish_string(s)", "import docutils.core"),
    "furl": ("furl.furl(s)", ""),
    "h11": ("h11.Request(method=s, target='/', headers=[])", ""),
    "html5lib": ("html5lib.parse(s)", ""),
    "humanize": ("humanize.intcomma(len(s))", ""),
    "hyperlink": ("hyperlink.URL.from_text(s)", ""),
    "idna": ("idna.encode(s)", ""),
    "inflect": ("inflect.engine().plural(s)", ""),
    "inflection": ("inflection.underscore(s)", ""),
    "jedi": ("jedi.Script(s).get_names()", ""),
    "jinja2": ("jinja2.Template(s).render()", ""),
    "jmespath": ("jmespath.compile(s)", ""),
    "jsonpointer": ("jsonpointer.JsonPointer(s)", ""),
    "jsonschema": ("jsonschema.Draft7Validator({'type': 'string'}).is_valid(s)", ""),
    "lark": ("lark.Lark('start: \"a\"+').parse(s)", ""),
    "mako": ("mako.template.Template(s).render()", "import mako.template"),
    "markdown": ("markdown.markdown(s)", ""),
    "markdown_it": ("markdown_it.MarkdownIt().render(s)", ""),
    "marshmallow": ("marshmallow.fields.Email().deserialize(s)", ""),
    "mistune": ("mistune.html(s)", ""),
    "mpmath": ("mpmath.mpf(len(s)) ** 0.5", ""),
    "natsort": ("natsort.natsorted([s, 'a1'])", ""),
    "networkx": ("networkx.path_graph(len(s))", ""),
    "num2words": ("num2words.num2words(len(s))", ""),
    "oauthlib": ("oauthlib.common.urldecode(s)", "import oauthlib.common"),
    "packaging": ("packaging.version.Version(s)", "import packaging.version"),
    "parso": ("parso.parse(s)", ""),
    "pathspec": ("pathspec.PathSpec.from_lines('gitwildmatch', [s])", ""),
    "phonenumbers": ("phonenumbers.parse(s, 'US')", ""),
    "pint": ("pint.UnitRegistry", ""),
    "ply": ("ply.lex.lex", "import ply.lex"),
    "pygments": ("pygments.highlight(s, pygments.lexers.PythonLexer(), pygments.formatters.HtmlFormatter())",
                 "import pygments.lexers, pygments.formatters"),
    "pyparsing": ("pyparsing.Word('ab').parse_string(s)", ""),
    "pytz": ("pytz.timezone(s)", ""),
    "requests": ("requests.Request('GET', 'http://a/' + s).prepare()", ""),
    "rich": ("rich.text.Text.from_markup(s)", "import rich.text"),
    "semver": ("semver.Version.parse(s)", ""),
    "simplejson": ("simplejson.loads(s)", ""),
    "six": ("six.ensure_str(s)", ""),
    "slugify": ("slugify.slugify(s)", ""),
    "sortedcontainers": ("sortedcontainers.SortedList(s)", ""),
    "soupsieve": ("soupsieve.compile(s)", ""),
    "sqlparse": ("sqlparse.format(s)", ""),
    "sympy": ("sympy.sympify(s)", ""),
    "tabulate": ("tabulate.tabulate([[s]])", ""),
    "tinycss2": ("tinycss2.parse_stylesheet(s)", ""),
    "toml": ("toml.loads(s)", ""),
    "tomlkit": ("tomlkit.parse(s)", ""),
    "toolz": ("toolz.frequencies(s)", ""),
    "traitlets": ("traitlets.Unicode().validate(None, s)", ""),
    "unidecode": ("unidecode.unidecode(s)", ""),
    "uritemplate": ("uritemplate.expand(s)", ""),
    "urllib3": ("urllib3.util.parse_url(s)", ""),
    "validators": ("validators.url(s)", ""),
    "voluptuous": ("voluptuous.Schema(str)(s)", ""),
    "webencodings": ("webencodings.lookup(s)", ""),
    "werkzeug": ("werkzeug.http.parse_options_header(s)", "import werkzeug.http"),
    "xmltodict": ("xmltodict.parse(s)", ""),
    "yaml": ("yaml.safe_load(s)", ""),
}

# What lists the packages that a distribution makes importable.
LIST = """import importlib.metadata, json, sys
found = importlib.metadata.packages_distributions()
print(json.dumps(sorted(name for name in found if name.isidentifier() and not name.startswith("_")
                        and name not in ("pip", "setuptools", "pkg_resources", "tests", "test"))))
"""


def check(arguments, python, name, source):
    """What is wrong; none if nothing is, False if the package cannot be imported."""
    with tempfile.TemporaryDirectory() as directory:
        file = os.path.join(directory, "subject.py")
        with open(file, "w") as out:
            out.write(source)

        def run(*words):
            return subprocess.run([arguments.pessimum, *words, "--python", python], cwd=directory, text=True,
                                  capture_output=True, timeout=600)

        found = run("worst", file, "--size", "4", "--paths", str(arguments.paths), "--quiet", "--json")
        if found.returncode or found.stderr.strip():
            said = (found.stderr or found.stdout).strip()
            return False if "cannot be imported" in said or "was not imported" in said or "when it was imported" in said \
                else said[-400:]
        result = json.loads(found.stdout)
        out = os.path.join(directory, "pessimum-out", "subject")
        again = run("run", file, "--size", "4", "--input", os.path.join(out, "input.json"), "--cost", "lines")
        wrong = []
        if result.get("left_out"):
            wrong.append(f"left out: {result['left_out'][:2]}")
        if str(result["cost"]["value"]) != again.stdout.strip():
            wrong.append(f"{result['cost']['value']} lines, but {again.stdout.strip() or again.stderr.strip()} in a new process")
        return "; ".join(wrong) or None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("venv")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--pessimum", default="target/release/pessimum")
    parser.add_argument("--paths", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    arguments.pessimum = os.path.abspath(arguments.pessimum)
    python = os.path.abspath(os.path.join(arguments.venv, "bin", "python"))
    names = arguments.names or json.loads(subprocess.run([python, "-c", LIST], check=True, text=True,
                                                         capture_output=True).stdout)
    work = [(name, "loop", LOOP.format(name=name)) for name in names]
    work += [(name, "call", CALL.format(name=name, call=CALLS[name][0], more=CALLS[name][1]))
             for name in names if name in CALLS]
    checked, differing, refused = 0, [], []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        def one(item):
            try:
                return item, check(arguments, python, item[0], item[2])
            except Exception as error:
                return item, f"{type(error).__name__}: {error}"
        for (name, what, _), wrong in pool.map(one, work):
            if wrong is False:
                refused.append(name)
                continue
            checked += 1
            if wrong:
                differing.append(name)
                print(f"{name} ({what}): {wrong}", flush=True)
    print(f"{checked} functions with {len(set(names) - set(refused))} packages, {len(differing)} differ; "
          f"not importable: {', '.join(sorted(set(refused))) or 'none'}")


if __name__ == "__main__":
    main()
