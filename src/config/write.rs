//! Writing the model into the settings file: the lines about it change, all
//! others stay as the person wrote them.

use super::{ConfigError, ModelSettings, Settings};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

/// Writes where the model is, what it is called and where its key comes from.
/// The file is for its owner only, and whole at any time.
///
/// # Errors
/// [`ConfigError`] if the file cannot be read or written, or is written in a
/// way in which a line cannot be changed without touching others.
pub fn write_model(path: &Path, model: &ModelSettings) -> Result<(), ConfigError> {
    let unreadable = |reason| ConfigError::Unreadable { path: path.to_owned(), reason };
    let unwritable = |reason| ConfigError::Unwritable { path: path.to_owned(), reason };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(unreadable(error)),
    };
    let text = with_model(&text, model, path)?;
    // A link, say into a directory of settings, stays one.
    let file = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    put(&file, &text).map_err(unwritable)
}

/// The text with these settings of the model.
fn with_model(text: &str, model: &ModelSettings, path: &Path) -> Result<String, ConfigError> {
    let before = Settings::parse(text, path)?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let pairs = [
        ("base_url", &before.model.base_url, &model.base_url),
        ("name", &before.model.name, &model.name),
        ("api_key_env", &before.model.api_key_env, &model.api_key_env),
        ("api_key_command", &before.model.api_key_command, &model.api_key_command),
    ];
    for (key, _, wanted) in pairs.into_iter().filter(|(_, is, wanted)| is != wanted) {
        set(&mut lines, key, wanted);
    }
    let after = lines.into_iter().map(|line| line + "\n").collect::<String>();
    // A file can say the same in many ways; what was not understood is not written.
    let mut expected = before;
    expected.model = ModelSettings { protocol: expected.model.protocol.clone(), ..model.clone() };
    expected.model.context_window = Settings::parse(text, path)?.model.context_window;
    match Settings::parse(&after, path) {
        Ok(read) if read == expected => Ok(after),
        Ok(_) | Err(_) => Err(ConfigError::Unchangeable { path: path.to_owned() }),
    }
}

/// Sets a key in the section `[model]`.
fn set(lines: &mut Vec<String>, key: &str, value: &str) {
    let line = format!("{key} = {}", toml::Value::from(value));
    let Some(head) = lines.iter().position(|line| line.trim_start().starts_with("[model]")) else {
        lines.extend(["[model]".to_owned(), line]);
        return;
    };
    let section = lines.iter().skip(head + 1).take_while(|line| !line.trim_start().starts_with('['));
    let at =
        section.into_iter().position(|line| line.split('=').next().is_some_and(|name| name.trim() == key));
    match at {
        Some(at) => lines[head + 1 + at] = line,
        None => lines.insert(head + 1, line),
    }
}

fn put(path: &Path, text: &str) -> io::Result<()> {
    let dir = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    let aside = dir.join(format!(".config.toml.{}", std::process::id()));
    // One that an earlier process of the same id left behind.
    let _ = fs::remove_file(&aside);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&aside)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.and_then(|()| fs::rename(&aside, path)).inspect_err(|_| drop(fs::remove_file(&aside)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn named(name: &str) -> ModelSettings {
        ModelSettings { name: name.into(), ..ModelSettings::default() }
    }

    fn change(text: &str, model: &ModelSettings) -> Result<String, String> {
        with_model(text, model, Path::new("config.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn only_the_lines_about_the_model_change() {
        assert_eq!(change("", &named("x")).unwrap(), "[model]\nname = \"x\"\n");
        let text = "# mine\n[model] # here\nname = \"old\"\n\n[limits]\ntool_calls = 7 # few\n";
        let changed = change(text, &named("a\"b")).unwrap();
        assert!(changed.contains("[model] # here\n") && changed.contains("tool_calls = 7 # few\n"));
        assert_eq!(Settings::parse(&changed, Path::new("")).unwrap().model.name, "a\"b");
        let kept = "[model]\ncontext_window = 9\n";
        let local = ModelSettings { base_url: "http://127.0.0.1:1/v1".into(), ..named("x") };
        let changed = change(kept, &local).unwrap();
        assert!(changed.contains("context_window = 9") && changed.contains("127.0.0.1:1/v1"), "{changed}");
    }

    #[test]
    fn what_cannot_be_changed_line_by_line_is_left_alone() {
        for text in ["model = { name = \"old\" }\n", "model.name = \"old\"\n"] {
            let error = change(text, &named("x")).unwrap_err();
            assert!(error.contains("Write it there yourself"), "{error}");
        }
        assert!(change("[model\n", &named("x")).is_err());
    }

    #[test]
    fn the_file_is_for_its_owner_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config/config.toml");
        write_model(&path, &named("x")).unwrap();
        write_model(&path, &named("y")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[model]\nname = \"y\"\n");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left aside");
    }
}
