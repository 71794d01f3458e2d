//! People: reading, registering, changing, deleting.

use alloc::string::String;
use alloc::vec::Vec;

use loadstone_store::{Db, Result, Row, Value};
use loadstone_web::dates::Moment;

use super::{events, owned, sessions};
use crate::model::{Address, Listing, Person, PersonLink};

/// People on a page of a list.
pub(crate) const PAGE: usize = 24;

/// Whether an address belongs to one row alone: what was loaded is shared, what came later is not.
macro_rules! unshared {
    () => {
        "id > (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'accounts')"
    };
}

/// A person as a form gives them, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewPerson {
    pub username: String,
    /// The salted hash; none keeps the password that there is.
    pub password: Option<String>,
    pub firstname: String,
    pub lastname: String,
    pub email: String,
    pub telephone: String,
    pub timezone: String,
    pub summary: String,
    pub address: Address,
    pub has_image: bool,
}

/// Reads a person.
pub(crate) fn find(db: &Db, id: i64) -> Result<Option<Person>> {
    let sql = "SELECT u.id, u.username, u.firstname, u.lastname, u.email, u.telephone, u.timezone, u.summary, u.has_image, \
               a.street1, a.street2, a.city, a.state, a.zip, a.country, a.latitude, a.longitude \
               FROM user u JOIN address a ON a.id = u.address_id WHERE u.id = ?1";
    db.query_row(sql, &[id.into()], |row| {
        Ok(Person {
            id: row.int(0)?,
            username: owned(row, 1)?,
            firstname: owned(row, 2)?,
            lastname: owned(row, 3)?,
            email: owned(row, 4)?,
            telephone: owned(row, 5)?,
            timezone: owned(row, 6)?,
            summary: owned(row, 7)?,
            has_image: row.bool(8)?,
            address: address(row, 9)?,
        })
    })
}

/// Id and name of a person.
pub(crate) fn find_link(db: &Db, id: i64) -> Result<Option<PersonLink>> {
    db.query_row("SELECT id, username FROM user WHERE id = ?1", &[id.into()], link)
}

/// Id and password hash of a user name.
pub(crate) fn credentials(db: &Db, username: &str) -> Result<Option<(i64, String)>> {
    let sql = "SELECT id, password FROM user WHERE username = ?1";
    db.query_row(sql, &[username.into()], |row| Ok((row.int(0)?, owned(row, 1)?)))
}

/// Whether nobody has this user name, but for person `except`.
pub(crate) fn is_name_free(db: &Db, username: &str, except: i64) -> Result<bool> {
    let sql = "SELECT 1 FROM user WHERE username = ?1 AND id <> ?2";
    Ok(db.query_row(sql, &[username.into(), except.into()], |_| Ok(()))?.is_none())
}

/// People whose user name, first name or last name begins with `query`, in any letter case; by id.
pub(crate) fn search(db: &Db, query: &str, page: u32) -> Result<Listing<PersonLink>> {
    let (limit, offset) = (PAGE as i64 + 1, (i64::from(page) - 1) * PAGE as i64);
    let mut items = if query.is_empty() {
        let sql = "SELECT id, username FROM user ORDER BY id LIMIT ?1 OFFSET ?2";
        db.query_all(sql, &[limit.into(), offset.into()], link)?
    } else {
        let pattern = like_prefix(query);
        let sql = "SELECT id, username FROM user WHERE username LIKE ?1 ESCAPE '\\' OR firstname LIKE ?1 ESCAPE '\\' \
                   OR lastname LIKE ?1 ESCAPE '\\' ORDER BY id LIMIT ?2 OFFSET ?3";
        db.query_all(sql, &[(&pattern).into(), limit.into(), offset.into()], link)?
    };
    let more = items.len() > PAGE;
    items.truncate(PAGE);
    Ok(Listing { items, page, more })
}

/// Registers a person with their address. One transaction; returns the id.
///
/// # Errors
/// A unique constraint when the user name has just been taken.
pub(crate) fn add(db: &Db, person: &NewPerson, password: &str, now: Moment) -> Result<i64> {
    db.transaction(|db| {
        let address = add_address(db, &person.address)?;
        db.insert(
            "INSERT INTO user(username, password, firstname, lastname, email, telephone, timezone, summary, address_id, \
             has_image, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11) RETURNING id",
            &[
                (&person.username).into(),
                password.into(),
                (&person.firstname).into(),
                (&person.lastname).into(),
                (&person.email).into(),
                (&person.telephone).into(),
                (&person.timezone).into(),
                (&person.summary).into(),
                address.into(),
                person.has_image.into(),
                now.minutes().into(),
            ],
        )
    })
}

/// Changes a person; false when there is no such person (any more), and nothing is changed. A new password
/// ends every session of theirs but `session`.
///
/// # Errors
/// A unique constraint when the user name has just been taken.
pub(crate) fn update(db: &Db, id: i64, person: &NewPerson, session: &str, now: Moment) -> Result<bool> {
    db.transaction(|db| {
        let sql = "SELECT address_id FROM user WHERE id = ?1";
        let Some(old) = db.query_row(sql, &[id.into()], |row| row.int(0))? else { return Ok(false) };
        if person.password.is_some() {
            sessions::end_others(db, id, session)?;
        }
        let address = change_address(db, old, &person.address)?;
        db.execute(
            "UPDATE user SET username = ?2, password = coalesce(?3, password), firstname = ?4, lastname = ?5, email = ?6, \
             telephone = ?7, timezone = ?8, summary = ?9, address_id = ?10, has_image = CASE WHEN has_image = 1 THEN 1 ELSE ?11 END, \
             updated_at = ?12 WHERE id = ?1",
            &[
                id.into(),
                (&person.username).into(),
                person.password.as_deref().into(),
                (&person.firstname).into(),
                (&person.lastname).into(),
                (&person.email).into(),
                (&person.telephone).into(),
                (&person.timezone).into(),
                (&person.summary).into(),
                address.into(),
                person.has_image.into(),
                now.minutes().into(),
            ],
        )?;
        Ok(true)
    })
}

/// Deletes a person with all that is theirs. One transaction; returns the ids of their events.
pub(crate) fn delete(db: &Db, id: i64) -> Result<Vec<i64>> {
    db.transaction(|db| {
        let sql = "SELECT id FROM event WHERE user_id = ?1";
        let own = db.query_all(sql, &[id.into()], |row| row.int(0))?;
        // One by one, so that the tags of their events are counted down.
        for &event in &own {
            events::delete_in_transaction(db, event)?;
        }
        let sql = "SELECT address_id FROM user WHERE id = ?1";
        let address = db.query_row(sql, &[id.into()], |row| row.int(0))?;
        // Sessions, attendance, comments and friendships go with the person (ON DELETE CASCADE).
        db.execute("DELETE FROM user WHERE id = ?1", &[id.into()])?;
        let sql = concat!("DELETE FROM address WHERE id = ?1 AND ", unshared!());
        db.execute(sql, &[address.into()])?;
        Ok(own)
    })
}

/// Puts an address in the place of the one with id `old`, or beside it when others share that. Within a
/// transaction; returns its id.
pub(super) fn change_address(db: &Db, old: i64, address: &Address) -> Result<i64> {
    let sql = concat!(
        "UPDATE address SET street1 = ?2, street2 = ?3, city = ?4, state = ?5, zip = ?6, country = ?7, \
         latitude = ?8, longitude = ?9 WHERE id = ?1 AND ",
        unshared!()
    );
    let [street1, street2, city, state, zip, country, latitude, longitude] = columns(address);
    let values = [old.into(), street1, street2, city, state, zip, country, latitude, longitude];
    if db.execute(sql, &values)? > 0 { Ok(old) } else { add_address(db, address) }
}

/// Adds an address. Within a transaction; returns its id.
pub(super) fn add_address(db: &Db, address: &Address) -> Result<i64> {
    let sql = "INSERT INTO address(street1, street2, city, state, zip, country, latitude, longitude) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id";
    db.insert(sql, &columns(address))
}

fn columns(address: &Address) -> [Value<'_>; 8] {
    let Address { street1, street2, city, state, zip, country, latitude, longitude } = address;
    let street2 = (!street2.is_empty()).then_some(street2);
    [
        street1.into(),
        street2.into(),
        city.into(),
        state.into(),
        zip.into(),
        country.into(),
        latitude.into(),
        longitude.into(),
    ]
}

/// Reads an address from eight columns.
pub(super) fn address(row: &Row<'_>, first: usize) -> Result<Address> {
    Ok(Address {
        street1: owned(row, first)?,
        street2: row.opt_text(first + 1)?.map_or_else(String::new, String::from),
        city: owned(row, first + 2)?,
        state: owned(row, first + 3)?,
        zip: owned(row, first + 4)?,
        country: owned(row, first + 5)?,
        latitude: owned(row, first + 6)?,
        longitude: owned(row, first + 7)?,
    })
}

/// Reads (id, user name).
pub(super) fn link(row: &Row<'_>) -> Result<PersonLink> {
    Ok(PersonLink { id: row.int(0)?, username: owned(row, 1)? })
}

/// A LIKE pattern for texts that begin with `query`, whose own wildcards lose their meaning.
fn like_prefix(query: &str) -> String {
    let mut pattern = String::with_capacity(query.len() + 2);
    for character in query.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}
