use super::*;

fn press(setup: &mut ModelSetup, code: KeyCode) -> Outcome {
    setup.key(Key::plain(code))
}

fn write(setup: &mut ModelSetup, text: &str) {
    for c in text.chars() {
        assert_eq!(setup.key(Key::char(c)), Outcome::Nothing);
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_server_is_named_tested_and_one_of_its_models_chosen() {
    let mut setup = ModelSetup::first();
    press(&mut setup, KeyCode::Down);
    press(&mut setup, KeyCode::Down);
    assert_eq!(press(&mut setup, KeyCode::Enter), Outcome::Nothing);
    write(&mut setup, "ftp://somewhere");
    press(&mut setup, KeyCode::Enter);
    assert!(setup.trouble.as_ref().is_some_and(|trouble| trouble.contains("http://")), "{:?}", setup.trouble);
    setup.key(Key::ctrl('u'));
    setup.paste(" http://127.0.0.1:9/v1\n");
    press(&mut setup, KeyCode::Enter);
    assert!(matches!(setup.step, Step::Key { .. }), "{setup:?}");
    write(&mut setup, "SHOP_KEY");
    let Outcome::Reach(model) = press(&mut setup, KeyCode::Enter) else { panic!("{setup:?}") };
    assert_eq!((model.base_url.as_str(), model.api_key_env.as_str()), ("http://127.0.0.1:9/v1", "SHOP_KEY"));

    // Refused: the key's place is asked again, as it was said.
    setup.reached(model.clone(), Err("The server refused the key.".into()));
    assert_eq!(setup.trouble.as_deref(), Some("The server refused the key."));
    let Outcome::Reach(model) = press(&mut setup, KeyCode::Enter) else { panic!("{setup:?}") };
    setup.reached(model, Ok(Some(names(&["small", "large"]))));
    write(&mut setup, "lar");
    let Outcome::Use(model) = press(&mut setup, KeyCode::Enter) else { panic!("{setup:?}") };
    assert_eq!((model.name.as_str(), model.api_key_env.as_str()), ("large", "SHOP_KEY"));
}

#[test]
fn a_key_that_was_written_in_place_of_its_name_is_forgotten() {
    let mut setup = ModelSetup::first();
    press(&mut setup, KeyCode::Down);
    press(&mut setup, KeyCode::Enter);
    write(&mut setup, "sk-verysecret");
    assert_eq!(press(&mut setup, KeyCode::Enter), Outcome::Nothing);
    assert!(setup.trouble.is_some());
    let Step::Key { field, .. } = &setup.step else { panic!("{setup:?}") };
    assert!(field.is_empty() && !format!("{setup:?}").contains("verysecret"));
}

#[test]
fn servers_of_this_machine_are_added_below() {
    let mut setup = ModelSetup::first();
    press(&mut setup, KeyCode::Down);
    let local =
        Offer::Local { name: "Ollama", base_url: "http://127.0.0.1:11434/v1".into(), models: names(&["a"]) };
    setup.found(vec![local]);
    let Step::Offers { marked } = setup.step else { panic!("{setup:?}") };
    assert_eq!((setup.offers.get(marked), setup.looking), (Some(&Offer::Hosted), false));
    setup.key(Key::char('4'));
    press(&mut setup, KeyCode::Enter);
    let Outcome::Use(model) = press(&mut setup, KeyCode::Enter) else { panic!("{setup:?}") };
    assert_eq!((model.name.as_str(), model.base_url.as_str()), ("a", "http://127.0.0.1:11434/v1"));
}

#[test]
fn a_name_that_no_list_has_can_be_typed() {
    let mut setup = ModelSetup::another();
    let model = ModelSettings { name: "small".into(), ..ModelSettings::default() };
    setup.listed(ModelList { model: model.clone(), offered: Ok(names(&["large", "small"])) });
    let Step::Model { pick, .. } = &mut setup.step else { panic!("{setup:?}") };
    assert_eq!(pick.choice(), Some(Choice::Name("small".into())), "the one in use is marked");
    write(&mut setup, "small-2");
    assert_eq!(
        press(&mut setup, KeyCode::Enter),
        Outcome::Use(ModelSettings { name: "small-2".into(), ..model })
    );
}

#[test]
fn no_list_leaves_the_name_to_be_typed_and_says_why() {
    let mut setup = ModelSetup::another();
    let model = ModelSettings { name: "small".into(), ..ModelSettings::default() };
    setup.listed(ModelList { model, offered: Err("Nothing answers.".into()) });
    assert_eq!(setup.trouble.as_deref(), Some("Nothing answers."));
    assert_eq!(press(&mut setup, KeyCode::Enter), Outcome::FindLocal, "another server is all there is");
    assert!(matches!(setup.step, Step::Offers { .. }) && !setup.offers.contains(&Offer::Demo));
}

#[test]
fn esc_goes_back_a_step_and_out() {
    let mut setup = ModelSetup::first();
    assert_eq!(press(&mut setup, KeyCode::Esc), Outcome::Close);
    press(&mut setup, KeyCode::Down);
    press(&mut setup, KeyCode::Enter);
    let Outcome::Reach(model) = press(&mut setup, KeyCode::Enter) else { panic!("{setup:?}") };
    assert_eq!(press(&mut setup, KeyCode::Esc), Outcome::Nothing);
    setup.reached(model, Ok(None));
    assert!(matches!(setup.step, Step::Key { .. }), "an answer that nobody waits for changes nothing");

    let mut setup = ModelSetup::another();
    assert_eq!(press(&mut setup, KeyCode::Esc), Outcome::Close);
    setup.listed(ModelList { model: ModelSettings::default(), offered: Ok(names(&["a"])) });
    assert_eq!(press(&mut setup, KeyCode::Esc), Outcome::Close);
}

#[test]
fn esc_keeps_what_was_written_before() {
    let mut setup = ModelSetup::first();
    setup.key(Key::char('3'));
    press(&mut setup, KeyCode::Enter);
    write(&mut setup, "http://127.0.0.1:9/v1");
    press(&mut setup, KeyCode::Enter);
    write(&mut setup, "SHOP_KEY");
    let Outcome::Reach(model) = press(&mut setup, KeyCode::Enter) else { panic!("{setup:?}") };
    setup.reached(model, Ok(Some(names(&["small"]))));
    assert!(matches!(setup.step, Step::Model { .. }));
    assert_eq!(press(&mut setup, KeyCode::Esc), Outcome::Nothing);
    assert!(matches!(&setup.step, Step::Key { field, .. } if field.text() == "SHOP_KEY"), "{setup:?}");
    assert_eq!(press(&mut setup, KeyCode::Esc), Outcome::Nothing);
    let address =
        |step: &Step| matches!(step, Step::Address { field } if field.text() == "http://127.0.0.1:9/v1");
    assert!(address(&setup.step), "{setup:?}");
    assert_eq!(press(&mut setup, KeyCode::Esc), Outcome::FindLocal);
    assert!(matches!(setup.step, Step::Offers { marked: 2 }), "{setup:?}");
    press(&mut setup, KeyCode::Enter);
    assert!(address(&setup.step), "it is there again on the way forward: {setup:?}");
}

#[test]
fn esc_while_a_server_is_asked_leads_back_to_the_key() {
    let mut setup = ModelSetup::first();
    setup.key(Key::char('2'));
    press(&mut setup, KeyCode::Enter);
    write(&mut setup, "SHOP_KEY");
    press(&mut setup, KeyCode::Enter);
    assert!(matches!(setup.step, Step::Testing { .. }));
    press(&mut setup, KeyCode::Esc);
    assert!(matches!(&setup.step, Step::Key { field, .. } if field.text() == "SHOP_KEY"), "{setup:?}");
}
