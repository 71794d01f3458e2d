//! Entities that refer to each other.

use loadstone_store::{Db, Entity, Id, Ref};

use crate::places::Place;

#[derive(Entity, Debug, Clone, PartialEq)]
struct Company {
    id: Id<Company>,
    name: String,
    #[entity(on_delete = "set null")]
    parent: Option<Ref<Self>>,
}

#[derive(Entity, Debug, Clone, PartialEq)]
#[entity(unique(company, name), index(name, age))]
struct Person {
    id: Id<Person>,
    #[entity(max = 50)]
    name: String,
    age: i32,
    #[entity(on_delete = "cascade")]
    company: Ref<Company>,
}

#[derive(Entity, Debug, Clone, PartialEq)]
struct Car {
    id: Id<Car>,
    owner: Ref<Person>,
    driver: Option<Ref<Person>>,
}

fn company(db: &Db, name: &str, parent: Option<Ref<Company>>) -> Ref<Company> {
    Company { id: Id::NEW, name: name.into(), parent }.save(db).unwrap()
}

fn person(db: &Db, name: &str, age: i32, company: Ref<Company>) -> Ref<Person> {
    Person { id: Id::NEW, name: name.into(), age, company }.save(db).unwrap()
}

#[test]
fn a_table_is_made_after_those_that_it_refers_to() {
    for place in Place::all() {
        let db = place.open();
        Car::open(&db).unwrap();
        Car::open(&db).unwrap();
        assert_eq!((Company::all().count(&db), Person::all().count(&db)), (Ok(0), Ok(0)));
        assert_eq!((Car::DEPTH, Person::DEPTH, Company::DEPTH), (3, 2, 1));
    }
}

#[test]
fn many_connections_may_open_at_once() {
    for place in Place::all() {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| Car::open(&place.open()).unwrap());
            }
        });
        assert_eq!(Car::all().count(&place.open()), Ok(0));
    }
}

#[test]
fn rows_are_found_through_references() {
    for place in Place::all() {
        let db = place.open();
        Car::open(&db).unwrap();
        let group = company(&db, "Group", None);
        let works = company(&db, "Works", Some(group));
        let ann = person(&db, "Ann", 30, works);
        let bob = person(&db, "Bob", 40, works);
        let cid = person(&db, "Cid", 50, group);
        let first = Car { id: Id::NEW, owner: ann, driver: None }.save(&db).unwrap();
        let second = Car { id: Id::NEW, owner: ann, driver: Some(cid) }.save(&db).unwrap();
        let third = Car { id: Id::NEW, owner: bob, driver: Some(ann) }.save(&db).unwrap();

        let cars = |query: Vec<Car>| query.iter().map(|car| car.id.saved().unwrap()).collect::<Vec<_>>();
        assert_eq!(cars(ann.many(Car::columns().owner).all(&db).unwrap()), [first, second]);
        assert_eq!(cars(ann.many(Car::columns().driver).all(&db).unwrap()), [third]);
        let of_the_works =
            Car::find(|c| c.owner.matches(|p| p.age.ge(40).and(p.company.matches(|c| c.name.eq("Works")))));
        assert_eq!(cars(of_the_works.all(&db).unwrap()), [third]);
        let driven_by_none_of_the_group =
            Car::find(|c| !c.driver.matches(|p| p.company.matches(|c| c.name.eq("Group"))));
        assert_eq!(cars(driven_by_none_of_the_group.all(&db).unwrap()), [first, third]);
        let daughters = Company::find(|c| c.parent.matches(|c| c.name.eq("Group"))).all(&db).unwrap();
        assert_eq!(daughters, [works.load(&db).unwrap().unwrap()]);
        company(&db, "Small", Some(works));
        let of_the_same_table = Company::find(|c| c.parent.matches(|c| c.name.eq("Works")));
        assert_eq!(of_the_same_table.delete(&db), Ok(1));
    }
}

#[test]
fn what_is_referred_to_goes_by_the_rule_of_the_reference() {
    for place in Place::all() {
        let db = place.open();
        Car::open(&db).unwrap();
        let group = company(&db, "Group", None);
        let works = company(&db, "Works", Some(group));
        let ann = person(&db, "Ann", 30, works);
        let car = Car { id: Id::NEW, owner: ann, driver: None }.save(&db).unwrap();

        let lost = Car { id: Id::NEW, owner: Ref::new(12_345), driver: None }.save(&db).unwrap_err();
        assert!(lost.is_foreign_key(), "{lost}");
        let held = ann.delete(&db).unwrap_err();
        assert!(held.is_foreign_key(), "{held}");
        let held = works.delete(&db).unwrap_err();
        assert!(held.is_foreign_key(), "the cascade ends at the car: {held}");
        assert_eq!(group.delete(&db), Ok(true));
        assert_eq!(works.load(&db).unwrap().unwrap().parent, None);
        assert_eq!(car.delete(&db), Ok(true));
        assert_eq!(works.delete(&db), Ok(true));
        assert_eq!(Person::all().count(&db), Ok(0));
    }
}

#[test]
fn several_columns_may_be_unique_together() {
    for place in Place::all() {
        let db = place.open();
        Person::open(&db).unwrap();
        let (one, two) = (company(&db, "One", None), company(&db, "Two", None));
        person(&db, "Ann", 30, one);
        person(&db, "Ann", 30, two);
        let again = Person { id: Id::NEW, name: "Ann".into(), age: 31, company: one }.save(&db).unwrap_err();
        assert!(again.is_unique(), "{again}");
    }
}
