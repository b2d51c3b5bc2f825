//! Splitting text into documents.

mod common;

use rwkv::text::{documents, read};

fn split(text: &str) -> Vec<String> {
    documents("a.txt", text.as_bytes()).expect("documents").texts
}

fn refused(bytes: &[u8]) -> String {
    documents("a.txt", bytes).expect_err("no documents").to_string()
}

#[test]
fn documents_end_with_a_line_of_their_own() {
    let text = "  One.\nTwo.\n<|endoftext|>\n\nThree <|endoftext|> still three.\n<|endoftext|>\n";
    assert_eq!(split(text), ["One.\nTwo.", "Three <|endoftext|> still three."]);
}

#[test]
fn last_separator_may_be_missing() {
    assert_eq!(split("One.\n<|endoftext|>\nTwo."), ["One.", "Two."]);
    assert_eq!(split("One."), ["One."]);
}

#[test]
fn empty_documents_are_left_out() {
    let text = "<|endoftext|>\n \n<|endoftext|>\nOne.\n<|endoftext|>\n<|endoftext|>\n";
    let found = documents("a.txt", text.as_bytes()).expect("documents");
    assert_eq!(found.texts, ["One."]);
    assert_eq!(found.empty, 3);
}

#[test]
fn line_ends_and_marks_of_other_systems() {
    assert_eq!(split("\u{feff}One.\r\nTwo.\r\n<|endoftext|>\r\nThree."), ["One.\nTwo.", "Three."]);
}

#[test]
fn stories_are_complete() {
    let stories = read(&common::project().join("text/stories.txt")).expect("the project's text");
    assert_eq!(stories.empty, 0);
    let stories = stories.texts;
    assert_eq!(stories.len(), 154);
    assert!(stories[0].starts_with("Once upon a time"));
    assert!(stories.iter().all(|story| story == story.trim()));
}

#[test]
fn nothing_to_read() {
    for empty in ["", " \n\t\n", "\u{feff}"] {
        assert!(refused(empty.as_bytes()).starts_with("a.txt: empty"), "{empty:?}");
    }
    let message = refused(b"<|endoftext|>\n<|endoftext|>\n");
    assert!(message.starts_with("a.txt: no documents"), "{message}");
}

#[test]
fn not_utf8() {
    let message = refused(b"Caf\xe9 au lait");
    assert!(message.contains("a.txt: not UTF-8"), "{message}");
    assert!(message.contains("0xe9 at offset 3"), "{message}");
}

#[test]
fn no_such_file() {
    let message = read(&common::project().join("text/none.txt")).expect_err("no file").to_string();
    assert!(message.contains("none.txt: cannot be read"), "{message}");
}
