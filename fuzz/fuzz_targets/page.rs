//! What a page, its styles and a style sheet refer to. Any bytes are all of them; every address is a part of them and
//! means something that can be asked for, and the same page in a window of any size refers to the same style sheets and
//! scripts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_workload::{
    OwnStyle, ReferenceKind, Viewport, declaration_references, own_styles, references, style_decode,
    style_references,
};

fuzz_target!(|input: (f64, f64, &[u8])| {
    let (width, density, page) = input;
    let within = |part: &[u8]| {
        let (all, part) = (page.as_ptr_range(), part.as_ptr_range());
        part.is_empty() || all.start <= part.start && part.end <= all.end
    };
    let mut pages = 0;
    let kept = |window| {
        let all = references(page, window).inspect(|one| assert!(within(one.address)));
        all.filter(|one| one.kind != ReferenceKind::Image).count()
    };
    for window in [Viewport { width, density }, Viewport { width: 1_280.0, density: 1.0 }] {
        let count = kept(window);
        assert!(pages == 0 || pages == count + 1, "{pages} {count}");
        pages = count + 1;
    }
    let mut meant = Vec::new();
    for one in style_references(page).chain(declaration_references(page)) {
        assert!(within(one.address));
        meant.clear();
        style_decode(one.address, &mut meant);
        assert!(meant.len() <= 5 * one.address.len());
        assert!(meant.iter().all(|b| b.is_ascii_graphic()));
    }
    for style in own_styles(page) {
        let (OwnStyle::Sheet(text) | OwnStyle::Attribute(text)) = style;
        assert!(within(text));
    }
});
