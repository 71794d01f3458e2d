//! Users: reading and registering.

use alloc::string::String;

use loadstone_store::{Db, Result};
use loadstone_web::dates::Moment;

use super::{moment, owned};
use crate::model::User;

/// A user as a form gives them, checked.
pub(crate) struct NewUser {
    pub firstname: String,
    pub lastname: String,
    pub nickname: String,
    pub email: String,
    pub region: i64,
}

pub(crate) fn find(db: &Db, id: i64) -> Result<Option<User>> {
    let sql = "SELECT u.id, u.nickname, u.rating, u.creation_date, r.name, u.firstname, u.lastname, u.email \
               FROM users u JOIN regions r ON r.id = u.region WHERE u.id = ?1";
    db.query_row(sql, &[id.into()], |row| {
        Ok(User {
            id: row.int(0)?,
            nickname: owned(row, 1)?,
            rating: row.int(2)?,
            since: moment(row, 3)?,
            region: owned(row, 4)?,
            firstname: owned(row, 5)?,
            lastname: owned(row, 6)?,
            email: owned(row, 7)?,
        })
    })
}

/// Id and stored password of a nickname.
pub(crate) fn credentials(db: &Db, nickname: &str) -> Result<Option<(i64, String)>> {
    let sql = "SELECT id, password FROM users WHERE nickname = ?1";
    db.query_row(sql, &[nickname.into()], |row| Ok((row.int(0)?, owned(row, 1)?)))
}

/// Registers a user; the id, or none when somebody has the nickname.
pub(crate) fn add(db: &Db, new: &NewUser, password: &str, now: Moment) -> Result<Option<i64>> {
    let sql = "INSERT INTO users(firstname, lastname, nickname, password, email, rating, balance, creation_date, region) \
               VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, ?6, ?7) RETURNING id";
    let params = [
        (&new.firstname).into(),
        (&new.lastname).into(),
        (&new.nickname).into(),
        password.into(),
        (&new.email).into(),
        now.minutes().into(),
        new.region.into(),
    ];
    match db.insert(sql, &params) {
        Ok(id) => Ok(Some(id)),
        Err(error) if error.is_unique() => Ok(None),
        Err(error) => Err(error),
    }
}
