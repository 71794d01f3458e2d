//! Words that sites draw from, all of our own choice.

/// The words of a slot of a template.
///
/// # Panics
/// When no slot has this letter.
pub(super) fn of_slot(letter: u8) -> &'static [&'static str] {
    match letter {
        b'q' => QUALITIES,
        b't' => THINGS,
        b'p' => PLACES,
        b'm' => ARTS,
        b'd' => DAYS,
        b's' => SEASONS,
        b'n' => NUMBERS,
        b'f' => FIRST_NAMES,
        _ => panic!("no slot is called {}", char::from(letter)),
    }
}

/// How a thing can be; all begin with a consonant, so that "a" can stand before them.
pub const QUALITIES: &[&str] = list![
    "bright" "brown" "calm" "careful" "cheerful" "clean" "crooked" "dusty" "faded" "fine" "folding" "gentle"
    "green" "heavy" "hidden" "large" "light" "little" "long" "narrow" "neat" "new" "painted" "patient"
    "plain" "polished" "proud" "quiet" "rare" "red" "round" "simple" "sturdy" "tall" "tidy" "warm"
    "well-kept" "white" "wide" "wooden"
];

/// Things; all begin with a consonant.
pub const THINGS: &[&str] = list![
    "banner" "barrel" "basket" "bench" "blanket" "boat" "book" "bottle" "bowl" "camera" "candle" "chair"
    "clock" "coat" "compass" "cupboard" "drum" "fiddle" "kettle" "kite" "lamp" "lantern" "letter" "map"
    "mirror" "notebook" "piano" "picture" "puzzle" "quilt" "radio" "saddle" "shelf" "suitcase" "table"
    "teapot" "telescope" "tent" "violin" "window"
];

/// Places, to stand behind "the".
pub const PLACES: &[&str] = list![
    "bakery" "barn" "bathhouse" "boathouse" "bridge" "castle yard" "chapel" "cinema" "clock tower"
    "courtyard" "ferry landing" "fire station" "fish market" "garden" "glasshouse" "green" "harbour" "hill"
    "library" "lighthouse" "market hall" "meadow" "mill" "museum" "orchard" "park" "pavilion" "pier"
    "quarry" "railway shed" "river" "school hall" "station" "theatre" "town hall" "warehouse"
];

/// Music and other arts.
pub const ARTS: &[&str] = list![
    "accordion music" "ballads" "brass music" "ceramics" "chess" "choir songs" "comedy" "cooking"
    "country dance" "drawing" "fencing" "fiddle tunes" "folk songs" "gardening" "jazz" "juggling" "knitting"
    "magic" "painting" "photography" "poetry" "puppetry" "salsa" "skating" "storytelling" "swing" "tango"
    "theatre" "weaving" "woodwork"
];

/// Days of the week.
pub const DAYS: &[&str] = list![
    "Monday" "Tuesday" "Wednesday" "Thursday" "Friday" "Saturday" "Sunday"
];

/// Seasons, and months that stand for one; "in" can stand before each.
pub const SEASONS: &[&str] = list![
    "spring" "summer" "autumn" "winter" "March" "May" "June" "September"
];

/// Numbers from two to twelve.
pub const NUMBERS: &[&str] = list![
    "two" "three" "four" "five" "six" "seven" "eight" "nine" "ten" "eleven" "twelve"
];

/// First names.
pub const FIRST_NAMES: &[&str] = list![
    "Ada" "Agnes" "Alan" "Alma" "Amir" "Anna" "Arthur" "Astrid" "Bela" "Bruno" "Carla" "Cecil" "Clara"
    "Dana" "David" "Dora" "Edgar" "Elena" "Emil" "Esther" "Eva" "Felix" "Fiona" "Frank" "Gloria" "Greta"
    "Hanna" "Henry" "Hugo" "Ida" "Ines" "Iris" "Jacob" "Jana" "Jonas" "Judith" "Karim" "Klara" "Laura"
    "Leila" "Leo" "Lucas" "Maria" "Martin" "Maya" "Milan" "Mira" "Nadia" "Nina" "Noah" "Olga" "Omar" "Oscar"
    "Paula" "Peter" "Rafael" "Rosa" "Samir" "Sofia" "Stella" "Theo" "Vera" "Walter" "Yara"
];

/// Last names, of five letters and more.
pub const LAST_NAMES: &[&str] = list![
    "Abbott" "Alderton" "Ashdown" "Barlow" "Bergman" "Birchwood" "Blackwell" "Bramley" "Brooks" "Calder"
    "Carver" "Castellan" "Clayton" "Cooper" "Crossley" "Dalton" "Draper" "Eastman" "Ellison" "Fairbanks"
    "Farrell" "Fletcher" "Fontaine" "Forester" "Gardner" "Gilmore" "Granger" "Hale-Moss" "Hartmann" "Hollis"
    "Ironside" "Jansen" "Keller" "Kirkby" "Lambert" "Larsson" "Lindholm" "Lockwood" "Marchetti" "Mason"
    "Mercer" "Miller" "Moreno" "Novak" "Northcott" "Okafor" "Oldfield" "Palmer" "Parrish" "Pemberton"
    "Petersen" "Quigley" "Ramsey" "Redmond" "Rossi-Hill" "Sanders" "Sheldon" "Silva" "Tanner" "Thornbury"
    "Underwood" "Vasquez" "Waverley" "Winslow"
];

/// First halves of the names of towns.
pub const TOWN_STARTS: &[&str] = list![
    "Alder" "Amber" "Ash" "Barrow" "Birch" "Bram" "Brook" "Clay" "Copper" "Deer" "Elm" "Fair" "Green"
    "Hazel" "Kings" "Linden" "Maple" "Mill" "North" "Oak" "River" "Silver" "Stone" "Winter"
];

/// Second halves of the names of towns.
pub const TOWN_ENDS: &[&str] = list![
    "bridge" "bury" "field" "ford" "gate" "haven" "mouth" "port" "ridge" "stead" "ton" "wick"
];

/// Names of streets, without their kind.
pub const STREETS: &[&str] = list![
    "Abbey" "Acorn" "Baker" "Bell" "Bridge" "Castle" "Cedar" "Chapel" "Church" "College" "Dock" "Elm" "Fern"
    "Garden" "Harbour" "High" "Hill" "King" "Lake" "Lime" "Market" "Mill" "Orchard" "Park" "Pine" "Queen"
    "River" "Rose" "Station" "Tower" "Walnut" "Wharf"
];

/// Countries.
pub const COUNTRIES: &[&str] = list![
    "Argentina" "Australia" "Austria" "Belgium" "Brazil" "Canada" "Denmark" "Estonia" "Finland" "France"
    "Germany" "Ghana" "Iceland" "Ireland" "Italy" "Japan" "Kenya" "Mexico" "Norway" "Poland" "Portugal"
    "Spain" "Sweden" "Uruguay"
];
