-- Statements whose answers must be the same however SQLite was built. Blank lines separate them; each answers with one
-- column. What they answered is in statements.txt.
SELECT 1

SELECT 1e0

SELECT quote(1e0) || ' ' || CAST(1e0 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 1e0, 1e0, 1e0, 1e0, 1e0)

SELECT 0.1

SELECT quote(0.1) || ' ' || CAST(0.1 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 0.1, 0.1, 0.1, 0.1, 0.1)

SELECT 1.5

SELECT quote(1.5) || ' ' || CAST(1.5 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 1.5, 1.5, 1.5, 1.5, 1.5)

SELECT -0.0

SELECT quote(-0.0) || ' ' || CAST(-0.0 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', -0.0, -0.0, -0.0, -0.0, -0.0)

SELECT 1e15

SELECT quote(1e15) || ' ' || CAST(1e15 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 1e15, 1e15, 1e15, 1e15, 1e15)

SELECT 1e16

SELECT quote(1e16) || ' ' || CAST(1e16 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 1e16, 1e16, 1e16, 1e16, 1e16)

SELECT 123456789.123456789

SELECT quote(123456789.123456789) || ' ' || CAST(123456789.123456789 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 123456789.123456789, 123456789.123456789, 123456789.123456789, 123456789.123456789, 123456789.123456789)

SELECT 1e-5

SELECT quote(1e-5) || ' ' || CAST(1e-5 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 1e-5, 1e-5, 1e-5, 1e-5, 1e-5)

SELECT 1e-4

SELECT quote(1e-4) || ' ' || CAST(1e-4 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 1e-4, 1e-4, 1e-4, 1e-4, 1e-4)

SELECT 1e100

SELECT quote(1e100) || ' ' || CAST(1e100 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 1e100, 1e100, 1e100, 1e100, 1e100)

SELECT 1e308

SELECT quote(1e308) || ' ' || CAST(1e308 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 1e308, 1e308, 1e308, 1e308, 1e308)

SELECT 1e308*10

SELECT quote(1e308*10) || ' ' || CAST(1e308*10 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 1e308*10, 1e308*10, 1e308*10, 1e308*10, 1e308*10)

SELECT -1e308*10

SELECT quote(-1e308*10) || ' ' || CAST(-1e308*10 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', -1e308*10, -1e308*10, -1e308*10, -1e308*10, -1e308*10)

SELECT 2.2250738585072014e-308

SELECT quote(2.2250738585072014e-308) || ' ' || CAST(2.2250738585072014e-308 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 2.2250738585072014e-308, 2.2250738585072014e-308, 2.2250738585072014e-308, 2.2250738585072014e-308, 2.2250738585072014e-308)

SELECT 4.9406564584124654e-324

SELECT quote(4.9406564584124654e-324) || ' ' || CAST(4.9406564584124654e-324 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 4.9406564584124654e-324, 4.9406564584124654e-324, 4.9406564584124654e-324, 4.9406564584124654e-324, 4.9406564584124654e-324)

SELECT 0.1+0.2

SELECT quote(0.1+0.2) || ' ' || CAST(0.1+0.2 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 0.1+0.2, 0.1+0.2, 0.1+0.2, 0.1+0.2, 0.1+0.2)

SELECT 1.0/3

SELECT quote(1.0/3) || ' ' || CAST(1.0/3 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 1.0/3, 1.0/3, 1.0/3, 1.0/3, 1.0/3)

SELECT 100.0*1.1

SELECT quote(100.0*1.1) || ' ' || CAST(100.0*1.1 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 100.0*1.1, 100.0*1.1, 100.0*1.1, 100.0*1.1, 100.0*1.1)

SELECT 9007199254740993.0

SELECT quote(9007199254740993.0) || ' ' || CAST(9007199254740993.0 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 9007199254740993.0, 9007199254740993.0, 9007199254740993.0, 9007199254740993.0, 9007199254740993.0)

SELECT 0.30000000000000004

SELECT quote(0.30000000000000004) || ' ' || CAST(0.30000000000000004 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 0.30000000000000004, 0.30000000000000004, 0.30000000000000004, 0.30000000000000004, 0.30000000000000004)

SELECT 5e-324/2

SELECT quote(5e-324/2) || ' ' || CAST(5e-324/2 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 5e-324/2, 5e-324/2, 5e-324/2, 5e-324/2, 5e-324/2)

SELECT 1.7976931348623157e308

SELECT quote(1.7976931348623157e308) || ' ' || CAST(1.7976931348623157e308 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 1.7976931348623157e308, 1.7976931348623157e308, 1.7976931348623157e308, 1.7976931348623157e308, 1.7976931348623157e308)

SELECT 123456.7890e3

SELECT quote(123456.7890e3) || ' ' || CAST(123456.7890e3 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 123456.7890e3, 123456.7890e3, 123456.7890e3, 123456.7890e3, 123456.7890e3)

SELECT 3.14159265358979323846

SELECT quote(3.14159265358979323846) || ' ' || CAST(3.14159265358979323846 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 3.14159265358979323846, 3.14159265358979323846, 3.14159265358979323846, 3.14159265358979323846, 3.14159265358979323846)

SELECT -2.5e-10

SELECT quote(-2.5e-10) || ' ' || CAST(-2.5e-10 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', -2.5e-10, -2.5e-10, -2.5e-10, -2.5e-10, -2.5e-10)

SELECT 1e22

SELECT quote(1e22) || ' ' || CAST(1e22 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 1e22, 1e22, 1e22, 1e22, 1e22)

SELECT 1e23

SELECT quote(1e23) || ' ' || CAST(1e23 AS TEXT)

SELECT printf('%.3f|%g|%e|%.15g|%!.17g', 1e23, 1e23, 1e23, 1e23, 1e23)

SELECT quote(CAST('12abc' AS INTEGER)) || quote(CAST('12abc' AS REAL)) || quote(CAST('12abc' AS NUMERIC)) || typeof('12abc' + 0)

SELECT quote(CAST('  7 ' AS INTEGER)) || quote(CAST('  7 ' AS REAL)) || quote(CAST('  7 ' AS NUMERIC)) || typeof('  7 ' + 0)

SELECT quote(CAST('1e3' AS INTEGER)) || quote(CAST('1e3' AS REAL)) || quote(CAST('1e3' AS NUMERIC)) || typeof('1e3' + 0)

SELECT quote(CAST('0x10' AS INTEGER)) || quote(CAST('0x10' AS REAL)) || quote(CAST('0x10' AS NUMERIC)) || typeof('0x10' + 0)

SELECT quote(CAST('.5' AS INTEGER)) || quote(CAST('.5' AS REAL)) || quote(CAST('.5' AS NUMERIC)) || typeof('.5' + 0)

SELECT quote(CAST('-' AS INTEGER)) || quote(CAST('-' AS REAL)) || quote(CAST('-' AS NUMERIC)) || typeof('-' + 0)

SELECT quote(CAST('9223372036854775807' AS INTEGER)) || quote(CAST('9223372036854775807' AS REAL)) || quote(CAST('9223372036854775807' AS NUMERIC)) || typeof('9223372036854775807' + 0)

SELECT quote(CAST('9223372036854775808' AS INTEGER)) || quote(CAST('9223372036854775808' AS REAL)) || quote(CAST('9223372036854775808' AS NUMERIC)) || typeof('9223372036854775808' + 0)

SELECT quote(CAST('1.0e-7xyz' AS INTEGER)) || quote(CAST('1.0e-7xyz' AS REAL)) || quote(CAST('1.0e-7xyz' AS NUMERIC)) || typeof('1.0e-7xyz' + 0)

SELECT quote(CAST(x'313233' AS INTEGER)) || quote(CAST(x'313233' AS REAL)) || quote(CAST(x'313233' AS NUMERIC)) || typeof(x'313233' + 0)

SELECT quote(7/2)

SELECT quote(-7/2)

SELECT quote(7%3)

SELECT quote(-7%3)

SELECT quote(7/0)

SELECT quote(1<<62)

SELECT quote(1<<64)

SELECT quote(-1>>1)

SELECT quote(~5)

SELECT quote(5&3|8)

SELECT quote(9223372036854775807+1)

SELECT quote(-9223372036854775808)

SELECT quote(abs(-5))

SELECT quote(round(2.5))

SELECT quote(round(-2.5))

SELECT quote(round(2.345,2))

SELECT quote(round(1e15+0.5))

SELECT quote(max(1,2.5,'a'))

SELECT quote(min(NULL,1))

SELECT quote(coalesce(NULL,NULL,3))

SELECT quote(nullif(2,2))

SELECT quote(iif(1>2,'a','b'))

SELECT quote('a'||1||2.0)

SELECT quote(1 IS NOT NULL)

SELECT quote(NULL = NULL)

SELECT quote(NULL IS NULL)

SELECT quote(1 BETWEEN 0 AND 2)

SELECT quote(3 IN (1,2,3))

SELECT quote(NULL IN (1,2))

SELECT quote(1 = 1.0)

SELECT quote('1' = 1)

SELECT quote('a' < 'B')

SELECT quote('a' < 'B' COLLATE NOCASE)

SELECT quote(x'00' < 'a')

SELECT quote(length('grüße'))

SELECT quote(upper('grüße x'))

SELECT quote(lower('ÄÖ X'))

SELECT quote(substr('grüße',2,3))

SELECT quote(substr('abc',-2))

SELECT quote(instr('grüße','ß'))

SELECT quote(replace('a.b.c','.','--'))

SELECT quote(trim('  x '))

SELECT quote(rtrim('xxaxx','x'))

SELECT quote(ltrim('xxaxx','x'))

SELECT quote(hex('ß€'))

SELECT quote(unhex('4142'))

SELECT quote(char(65,8364,128512))

SELECT quote(unicode('😀'))

SELECT quote(quote('it''s'))

SELECT quote(quote(x'00ff'))

SELECT quote(zeroblob(3))

SELECT quote(printf('%5d|%-5d|%05d|%+d|%x|%X|%o|%c|%s|%q|%%',42,42,42,42,255,255,8,'z','s','it''s'))

SELECT quote(printf('%,d',1234567890))

SELECT quote(printf('%.2s|%10s|%-10s|','abc','abc','abc'))

SELECT quote(soundex_is_not_there)

SELECT quote(typeof(1.0))

SELECT quote(typeof(x''))

SELECT quote(like('a%','ABC'))

SELECT quote(glob('a*','ABC'))

SELECT quote(concat('a',NULL,1))

SELECT quote(concat_ws('-','a',NULL,1))

SELECT quote(octet_length('€'))

SELECT quote(sign(-3))

SELECT quote('abc' LIKE 'A%') || quote('abc' LIKE 'A%' ESCAPE '\') || quote('abc' GLOB 'A%')

SELECT quote('abc' LIKE '_b_') || quote('abc' LIKE '_b_' ESCAPE '\') || quote('abc' GLOB '_b_')

SELECT quote('abc' LIKE 'a_') || quote('abc' LIKE 'a_' ESCAPE '\') || quote('abc' GLOB 'a_')

SELECT quote('grüße' LIKE 'GRÜSSE') || quote('grüße' LIKE 'GRÜSSE' ESCAPE '\') || quote('grüße' GLOB 'GRÜSSE')

SELECT quote('grüße' LIKE 'gr%e') || quote('grüße' LIKE 'gr%e' ESCAPE '\') || quote('grüße' GLOB 'gr%e')

SELECT quote('10%' LIKE '10\%') || quote('10%' LIKE '10\%' ESCAPE '\') || quote('10%' GLOB '10\%')

SELECT quote('' LIKE '') || quote('' LIKE '' ESCAPE '\') || quote('' GLOB '')

SELECT quote('' LIKE '%') || quote('' LIKE '%' ESCAPE '\') || quote('' GLOB '%')

SELECT quote('a%b' LIKE 'a\%b') || quote('a%b' LIKE 'a\%b' ESCAPE '\') || quote('a%b' GLOB 'a\%b')

SELECT quote('Zürich' LIKE 'z_rich') || quote('Zürich' LIKE 'z_rich' ESCAPE '\') || quote('Zürich' GLOB 'z_rich')

SELECT quote(date('2008-10-22'))

SELECT quote(date('2008-10-22','+1 month','start of month','-1 day'))

SELECT quote(time('12:34:56.789'))

SELECT quote(datetime(0,'unixepoch'))

SELECT quote(datetime(1224676800,'unixepoch'))

SELECT quote(julianday('2000-01-01 12:00'))

SELECT quote(strftime('%Y-%m-%d %H:%M:%f %j %w %W %s','2008-02-29 23:59:59.5'))

SELECT quote(date('2007-02-29'))

SELECT quote(date('0000-01-01'))

SELECT quote(date('9999-12-31','+1 day'))

SELECT quote(unixepoch('1970-01-02'))

SELECT quote(timediff('2008-10-22','2007-01-01'))

CREATE TABLE person(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, age INTEGER CHECK (age >= 0), score REAL NOT NULL DEFAULT 0.5) STRICT

CREATE TABLE visit(person_id INTEGER NOT NULL REFERENCES person ON DELETE CASCADE, day INTEGER NOT NULL, PRIMARY KEY (person_id, day)) STRICT, WITHOUT ROWID

CREATE TABLE log(line TEXT NOT NULL) STRICT

CREATE INDEX person_age ON person(age, name)

CREATE TRIGGER person_added AFTER INSERT ON person BEGIN INSERT INTO log VALUES ('added ' || new.id || ' ' || new.name); END

CREATE TRIGGER person_aged AFTER UPDATE OF age ON person WHEN new.age <> old.age BEGIN INSERT INTO log VALUES (old.name || ' ' || old.age || ' -> ' || new.age); INSERT INTO log SELECT 'of ' || count(*) FROM person; END

CREATE TRIGGER person_gone BEFORE DELETE ON person BEGIN SELECT CASE WHEN old.name = 'root' THEN raise(ABORT, 'root stays') END; INSERT INTO log VALUES ('gone ' || old.name); END

CREATE VIEW adult AS SELECT id, name, age FROM person WHERE age >= 18

INSERT INTO person(name, age) VALUES ('root', 40), ('Ärmel', 17), ('anna', 30), ('Bob', NULL), ('bob', 30)

INSERT INTO person(name, age, score) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT 'user' || i, (i * 7919) % 90, (i * 31 % 1000) / 7.0 FROM n

INSERT INTO visit SELECT id, (id * 17 + k.value_) % 365 FROM person, (SELECT 1 AS value_ UNION ALL SELECT 2 UNION ALL SELECT 5) AS k

SELECT count(*) FROM log

SELECT line FROM log ORDER BY rowid LIMIT 7

SELECT name FROM person ORDER BY name LIMIT 10

SELECT name FROM person ORDER BY name COLLATE NOCASE DESC LIMIT 10

SELECT name FROM person ORDER BY age DESC NULLS LAST, id LIMIT 10 OFFSET 5

SELECT name || ' ' || quote(score) FROM person ORDER BY score DESC, id LIMIT 10

SELECT age || ': ' || count(*) || ' ' || quote(sum(score)) || ' ' || quote(avg(score)) || ' ' || max(name) FROM person WHERE age < 20 GROUP BY age ORDER BY age

SELECT age % 10 || ' ' || group_concat(name, ',') FROM (SELECT age, name FROM person WHERE id < 40 ORDER BY id) GROUP BY age % 10 HAVING count(*) > 2 ORDER BY 1

SELECT quote(total(score)) || quote(sum(age)) || quote(avg(age)) || count(age) || count(DISTINCT age) FROM person

SELECT DISTINCT age / 30 FROM person ORDER BY 1

SELECT name FROM person WHERE name LIKE 'USER1_' ORDER BY id

SELECT name FROM person WHERE name LIKE '%ä%' OR name LIKE '%Ä%' ORDER BY id

SELECT name FROM person WHERE name GLOB 'user4[0-3]?' ORDER BY name

SELECT p.name || ' ' || count(v.day) FROM person p LEFT JOIN visit v ON v.person_id = p.id AND v.day < 100 WHERE p.id <= 12 GROUP BY p.id ORDER BY p.id

SELECT name FROM person WHERE EXISTS (SELECT 1 FROM visit WHERE person_id = person.id AND day = 3) ORDER BY id

SELECT name FROM person WHERE id IN (SELECT person_id FROM visit WHERE day BETWEEN 10 AND 12) ORDER BY name

SELECT name FROM adult ORDER BY age, name LIMIT 5

SELECT 'a' UNION SELECT 'b' UNION ALL SELECT 'b' ORDER BY 1

SELECT id FROM person WHERE id < 5 INTERSECT SELECT person_id FROM visit EXCEPT SELECT 2 ORDER BY 1

WITH RECURSIVE f(a, b) AS (SELECT 0, 1 UNION ALL SELECT b, a + b FROM f LIMIT 92) SELECT max(a) FROM f

WITH RECURSIVE t(x) AS (SELECT 1.0 UNION ALL SELECT x * 1.37 FROM t LIMIT 300) SELECT quote(max(x)) || quote(sum(x)) FROM t

SELECT id || ' ' || row_number() OVER (ORDER BY age, id) || ' ' || rank() OVER (ORDER BY age) || ' ' || quote(sum(score) OVER (ORDER BY id ROWS 2 PRECEDING)) FROM person ORDER BY id LIMIT 6

SELECT lag(name, 1, '-') OVER w || lead(name) OVER w || ntile(3) OVER w FROM person WHERE id < 6 WINDOW w AS (ORDER BY id)

INSERT INTO person(name) VALUES ('anna')

INSERT INTO person(name, age) VALUES ('x', -1)

INSERT INTO person(name, age) VALUES ('x', 'old')

INSERT INTO person(name) VALUES (NULL)

INSERT INTO visit VALUES (99999, 1)

INSERT OR IGNORE INTO person(name) VALUES ('anna')

INSERT INTO person(name, age) VALUES ('anna', 31) ON CONFLICT (name) DO UPDATE SET age = excluded.age + 1 RETURNING age

UPDATE person SET age = age + 1 WHERE id IN (1, 2, 3) RETURNING name || age

DELETE FROM person WHERE name = 'root'

DELETE FROM person WHERE id BETWEEN 100 AND 110

SELECT count(*) FROM visit

SELECT line FROM log WHERE line NOT LIKE 'added%' ORDER BY rowid

REPLACE INTO person(id, name, age) VALUES (7, 'seven', 7)

SELECT name || age FROM person WHERE id = 7

INSERT INTO person(name) VALUES ('last') RETURNING id

BEGIN

DELETE FROM visit

SAVEPOINT a

INSERT INTO visit VALUES (1, 1)

ROLLBACK TO a

SELECT count(*) FROM visit

ROLLBACK

SELECT count(*) FROM visit

BEGIN IMMEDIATE

UPDATE person SET score = score * 1.1 WHERE id % 3 = 0

COMMIT

SELECT quote(sum(score)) FROM person

ALTER TABLE log ADD COLUMN at INTEGER NOT NULL DEFAULT 5

SELECT sum(at) FROM log

ALTER TABLE log RENAME COLUMN at TO moment

CREATE TABLE copy AS SELECT name, age FROM person WHERE age IS NOT NULL

SELECT sql FROM sqlite_schema ORDER BY name

SELECT nothing FROM person

SELECT * FROM nowhere

SELEC 1

SELECT 'unended

SELECT count(*) FROM sqlite_sequence

PRAGMA integrity_check

PRAGMA foreign_key_check

PRAGMA page_size

VACUUM

SELECT quote(sum(length(name) * id)) FROM person

PRAGMA integrity_check

CREATE TABLE wide(body TEXT, raw BLOB)

INSERT INTO wide WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) SELECT printf('%.*c', i * 700, char(96 + i % 26)), zeroblob(i * 1000) FROM n

SELECT sum(length(body)) || ' ' || sum(length(raw)) FROM wide

SELECT substr(body, 20000, 5) FROM wide WHERE length(body) > 20000 ORDER BY body

UPDATE wide SET raw = CAST(body AS BLOB) WHERE rowid % 2

SELECT sum(length(raw)) FROM wide

CREATE INDEX wide_body ON wide(substr(body, 1, 1), length(body)) WHERE length(body) > 5000

SELECT length(body) FROM wide WHERE substr(body, 1, 1) = 'c' AND length(body) > 5000 ORDER BY length(body)

DROP TABLE wide

DROP TABLE copy

REINDEX

ANALYZE

SELECT tbl || ' ' || quote(idx) || ' ' || stat FROM sqlite_stat1 ORDER BY tbl, idx

PRAGMA integrity_check
