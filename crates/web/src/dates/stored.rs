//! Moments as columns of typed storage: minutes since 1970-01-01 00:00.

use loadstone_store::entity::{ColumnKind, Field, Ordered};
use loadstone_store::{Result, Row, Value};

use super::Moment;

impl Field for Moment {
    type Argument<'a> = Self;
    const KIND: ColumnKind = ColumnKind::Integer;

    fn value(&self) -> Value<'_> {
        self.minutes().into()
    }

    fn argument<'a>(moment: Self) -> Value<'a> {
        moment.minutes().into()
    }

    fn read(row: &Row<'_>, column: usize) -> Result<Option<Self>> {
        Ok(row.opt_int(column)?.map(Self::from_minutes))
    }
}

impl Ordered for Moment {}
