//! Records through the database: inserted, updated and deleted, and compared after every step.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use loadstone_stats::Rng;
use loadstone_store::{Db, Entity, Id, Ref};

use crate::{Database, Failure, Line, Machine};

/// What is stored.
#[derive(Entity, Debug, Clone, PartialEq)]
struct Record {
    id: Id<Record>,
    serial: i64,
    revision: i64,
    body: Vec<u8>,
}

/// How many records, and of what size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Records {
    /// Where.
    pub database: Database,
    /// Bytes of a record's body.
    pub bytes: usize,
    /// How many.
    pub count: u32,
    /// Of the bodies and of the order in which records are updated and deleted.
    pub seed: u64,
}

impl Records {
    /// Each record in a transaction of its own: all are inserted, then all updated, then all deleted, the
    /// last two in random orders. After each step the record is read and compared; after each deletion one
    /// that must still be there. Three lines.
    ///
    /// # Errors
    /// When the database fails, or a record is not as it was written.
    pub fn one_by_one(&self, machine: &mut Machine<'_>) -> Result<u64, Failure> {
        let db = self.open(machine)?;
        let mut rows = Vec::new();
        self.phase(machine, "sql-insert", |phase, now_ns| {
            for serial in 0..self.count {
                let mut record = self.record(serial, 0);
                let row = phase.write(now_ns, || record.save(&db))?;
                rows.push(row);
                phase.expect(&db, row, Some(&record))?;
            }
            Ok(())
        })?;
        let order = self.order(1);
        self.phase(machine, "sql-update", |phase, now_ns| {
            for &serial in &order {
                let row = rows[serial as usize];
                let mut record = Record { id: row.into(), ..self.record(serial, 1) };
                phase.write(now_ns, || record.save(&db))?;
                phase.expect(&db, row, Some(&record))?;
            }
            Ok(())
        })?;
        let order = self.order(2);
        self.phase(machine, "sql-delete", |phase, now_ns| {
            for (step, &serial) in order.iter().enumerate() {
                let row = rows[serial as usize];
                phase.write(now_ns, || row.delete(&db))?;
                phase.expect(&db, row, None)?;
                if let Some(&next) = order.get(step + 1) {
                    let row = rows[next as usize];
                    phase.expect(&db, row, Some(&Record { id: row.into(), ..self.record(next, 1) }))?;
                }
            }
            phase.is_same(Record::all().count(&db)?, 0, "records are left")
        })?;
        Ok(3)
    }

    /// All records in one transaction, then read in one query and compared. Two lines.
    ///
    /// # Errors
    /// As [`Self::one_by_one`].
    pub fn in_bulk(&self, machine: &mut Machine<'_>) -> Result<u64, Failure> {
        let db = self.open(machine)?;
        self.phase(machine, "bulk-insert", |phase, now_ns| {
            phase.write(now_ns, || {
                db.transaction(|db| {
                    (0..self.count).try_for_each(|serial| self.record(serial, 0).save(db).map(drop))
                })
            })?;
            phase.is_same(Record::all().count(&db)?, self.count.into(), "records were inserted")
        })?;
        self.phase(machine, "bulk-scan", |phase, _| {
            let mut different = 0_u64;
            Record::all().each(&db, |record| {
                let is_same = record == Record { id: record.id, ..self.record(phase.checks as u32, 0) };
                phase.checks += 1;
                different += u64::from(!is_same);
                Ok(())
            })?;
            phase.is_same(different, 0, "records are not as they were written")?;
            phase.is_same(phase.checks - 1, self.count.into(), "records were read")
        })?;
        Ok(2)
    }

    fn open(&self, machine: &mut Machine<'_>) -> Result<Db, Failure> {
        let db = (machine.open)(&self.database)?;
        Record::open(&db)?;
        match Record::all().count(&db)? {
            0 => Ok(db),
            rows => Err(Failure::BadInput(format!("the database holds {rows} records; it must be empty"))),
        }
    }

    /// The record with a number; its bytes are those of a generator that was seeded with number and revision.
    fn record(&self, serial: u32, revision: i64) -> Record {
        let mut rng = Rng::stream(self.seed.wrapping_add(revision as u64), serial.into());
        let mut body = Vec::with_capacity(self.bytes + 8);
        while body.len() < self.bytes {
            body.extend(rng.next_u64().to_le_bytes());
        }
        body.truncate(self.bytes);
        Record { id: Id::NEW, serial: serial.into(), revision, body }
    }

    /// All numbers in a random order (Fisher and Yates).
    fn order(&self, stream: u64) -> Vec<u32> {
        let mut rng = Rng::stream(!self.seed, stream);
        let mut order: Vec<u32> = (0..self.count).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, rng.below(last as u64 + 1) as usize);
        }
        order
    }

    /// Runs and times a phase, and writes its line.
    fn phase(
        &self,
        machine: &mut Machine<'_>,
        name: &str,
        mut work: impl FnMut(&mut Phase, &mut dyn FnMut() -> u64) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut phase = Phase { write_ns: 0, checks: 0 };
        let began = (machine.now_ns)();
        work(&mut phase, machine.now_ns)?;
        let ns = (machine.now_ns)() - began;
        let line = self.database.describe(Line::new(name));
        let line = line.number("record", self.bytes as u64).number("seed", self.seed);
        let line = line.number("iterations", self.count.into()).number("ns", ns);
        let line = if phase.write_ns > 0 { line.number("write_ns", phase.write_ns) } else { line };
        (machine.line)(&line.number("checks", phase.checks).end());
        Ok(())
    }
}

/// What a phase has done so far.
struct Phase {
    write_ns: u64,
    checks: u64,
}

impl Phase {
    fn write<T>(
        &mut self,
        now_ns: &mut dyn FnMut() -> u64,
        work: impl FnOnce() -> loadstone_store::Result<T>,
    ) -> Result<T, Failure> {
        let began = now_ns();
        let value = work()?;
        self.write_ns += now_ns() - began;
        Ok(value)
    }

    fn expect(&mut self, db: &Db, row: Ref<Record>, wanted: Option<&Record>) -> Result<(), Failure> {
        self.checks += 1;
        let found = row.load(db)?;
        if found.as_ref() == wanted {
            return Ok(());
        }
        Err(Failure::WrongValue(format!(
            "row {row:?} is {}, expected {}",
            told(found.as_ref()),
            told(wanted)
        )))
    }

    fn is_same(&mut self, found: u64, wanted: u64, what: &str) -> Result<(), Failure> {
        self.checks += 1;
        if found == wanted {
            return Ok(());
        }
        Err(Failure::WrongValue(format!("{found} {what}, expected {wanted}")))
    }
}

/// A record without its bytes.
fn told(record: Option<&Record>) -> String {
    record.map_or("absent".into(), |record| {
        format!("record {} in revision {} with {} bytes", record.serial, record.revision, record.body.len())
    })
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::{Task, memory};

    fn run(words: &str, spoil: &'static str) -> Result<Vec<String>, Failure> {
        let mut lines = Vec::new();
        let mut time = 0;
        let mut machine = Machine {
            now_ns: &mut || {
                time += 1;
                time
            },
            line: &mut |line| lines.push(line.to_string()),
            open: &mut |database| {
                let db = memory(database)?;
                Record::open(&db)?;
                db.exec_batch(spoil)?;
                Ok(db)
            },
        };
        Task::from_arguments(words.split(' '))?.run(&mut machine)?;
        Ok(lines)
    }

    /// One program has one database in memory, so this is one test.
    #[test]
    fn what_is_wrong_in_the_database_is_found() {
        let trigger = "CREATE TRIGGER spoil AFTER UPDATE ON record WHEN new.serial = 7 \
                       BEGIN UPDATE record SET body = x'00' WHERE id = new.id; END";
        let error = run("sql record=8 iterations=20", trigger).unwrap_err();
        let wanted = "is record 7 in revision 1 with 1 bytes, expected record 7 in revision 1 with 8 bytes";
        assert!(matches!(&error, Failure::WrongValue(message) if message.contains(wanted)), "{error:?}");
        assert!(error.line().starts_with(r#"{"name":"error","kind":"wrong-value","message":"row #"#));
        let again = run("bulk iterations=20", "").unwrap_err();
        assert!(matches!(&again, Failure::Database(_)), "{again:?}");
    }
}
