"""A guest book in MariaDB: newest entries, search, a form. `python3 guestbook.py` makes the tables and entries."""

import os
import sys

import flask
import pymysql

ENTRIES = int(os.environ.get("ENTRIES", "2000"))
WORDS = "apple bread cloud dance eagle flame grape honey island jungle kettle lemon market night ocean".split()
PAGE = """<!doctype html><title>Guest book</title><h1>Guest book</h1>
<form action="/search"><input name="word"></form>
<form action="/entries" method="post"><input name="author"><input name="text"></form>
{% if found is not none %}<p>{{ found }} entries</p>{% endif %}
<ul>{% for author, text in entries %}<li><b>{{ author }}</b> {{ text }}</li>{% endfor %}</ul></html>
"""

app = flask.Flask(__name__)
template = app.jinja_env.from_string(PAGE)


def database():
    """A connection for this request; gunicorn's workers are processes of one thread each."""
    if "database" not in flask.g:
        flask.g.database = connect()
    return flask.g.database


def connect():
    """To the database that the topology names."""
    env = os.environ
    return pymysql.connect(
        host=env["DATABASE_HOST"], port=int(env["DATABASE_PORT"]), user="loadstone", database="loadstone",
        password=env["DATABASE_PASSWORD"], autocommit=True,
    )  # fmt: skip


@app.teardown_appcontext
def close(_error):
    """Ends the request's connection."""
    if "database" in flask.g:
        flask.g.database.close()


def page(where="", *values):
    """The newest entries of those that are meant; of a search with their number."""
    with database().cursor() as cursor:
        found = None
        if where:
            cursor.execute(f"SELECT COUNT(*) FROM entry {where}", values)
            (found,) = cursor.fetchone()
        cursor.execute(f"SELECT author, text FROM entry {where} ORDER BY id DESC LIMIT 20", values)
        return template.render(entries=cursor.fetchall(), found=found)


@app.get("/")
def newest():
    return page()


@app.get("/search")
def search():
    # No index can help: the database reads every entry.
    word = flask.request.args.get("word", "")
    return page("WHERE text LIKE %s", f"%{word}%")


@app.post("/entries")
def write():
    form = flask.request.form
    with database().cursor() as cursor:
        cursor.execute("INSERT INTO entry (author, text) VALUES (%s, %s)", (form["author"], form["text"]))
    return flask.redirect("/", 303)


@app.get("/health")
def health():
    with database().cursor() as cursor:
        cursor.execute("SELECT 1 FROM entry LIMIT 1")
    return "well\n"


def make():
    """The table, with the same entries each time."""
    connection = connect()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS entry")
        cursor.execute(
            "CREATE TABLE entry (id INT AUTO_INCREMENT PRIMARY KEY, author VARCHAR(40), text VARCHAR(2000))"
        )
        count = len(WORDS)
        rows = [
            (f"guest{i}", " ".join(WORDS[(i * 7 + k * (i % 5 + 1)) % count] for k in range(40)))
            for i in range(ENTRIES)
        ]
        cursor.executemany("INSERT INTO entry (author, text) VALUES (%s, %s)", rows)
    connection.close()
    print(ENTRIES, "entries", file=sys.stderr)


if __name__ == "__main__":
    make()
