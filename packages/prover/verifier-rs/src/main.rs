//! `touchstone-verify <journal> <proof>` reports whether a proof is valid for its journal;
//! `--program-id` prints the id of the program; `--batch` reads any number of pairs from standard
//! input, each part preceded by its length as four little-endian bytes, and prints one line per
//! pair.

use std::io::{Read, Write};
use touchstone_verifier::Verifier;

const USAGE: &str = "usage: touchstone-verify <journal> <proof> | --program-id | --batch";

fn main() {
    match run() {
        Ok(true) => {}
        Ok(false) => std::process::exit(1),
        Err(problem) => {
            eprintln!("{}", problem);
            std::process::exit(2);
        }
    }
}

fn run() -> Result<bool, String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let verifier = Verifier::risk()?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--program-id"] => {
            println!("{}", verifier.program_id());
            Ok(true)
        }
        ["--batch"] => batch(&verifier),
        [journal, proof] => {
            let read = |path: &str| std::fs::read(path).map_err(|err| format!("{}: {}", path, err));
            let outcome = verifier.verify(&read(journal)?, &read(proof)?);
            println!("{}", say(&outcome));
            Ok(outcome.is_ok())
        }
        _ => Err(USAGE.into()),
    }
}

fn say(outcome: &Result<(), String>) -> String {
    match outcome {
        Ok(()) => "valid".into(),
        Err(reason) => format!("invalid: {}", reason),
    }
}

fn batch(verifier: &Verifier) -> Result<bool, String> {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    while let Some(journal) = part(&mut input)? {
        let proof = part(&mut input)?.ok_or("the last journal has no proof")?;
        let line = say(&verifier.verify(&journal, &proof));
        writeln!(output, "{}", line).map_err(|err| err.to_string())?;
    }
    Ok(true)
}

fn part(input: &mut impl Read) -> Result<Option<Vec<u8>>, String> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Ok(()) => {}
        Err(err) if err.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(err) => return Err(err.to_string()),
    }
    let mut bytes = Vec::new();
    let wanted = u64::from(u32::from_le_bytes(length));
    input.take(wanted).read_to_end(&mut bytes).map_err(|err| err.to_string())?;
    if bytes.len() as u64 == wanted {
        Ok(Some(bytes))
    } else {
        Err("a part is shorter than its declared length".into())
    }
}
