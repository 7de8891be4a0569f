//! Verifies Touchstone's documents without the service. The exit code is 0 for a valid document, 1
//! for an invalid one, and 2 if a file cannot be read or is not of its format.
//!
//! - `touchstone-verify <journal> <proof>`: whether a risk proof is valid for its journal.
//! - `touchstone-verify receipt <receipt> <keys> [<arguments>]`: whether the receipt of a gateway
//!   decision is valid with the published keys, and whether it is about these arguments.
//! - `touchstone-verify log-proof <proof> <policy> [<entry>]`: whether an entry is in a log that the
//!   policy trusts. The entry is the extra data of the proof, unless a file is given.
//! - `touchstone-verify log <folder> <policy> [<checkpoint>]`: whether the files of a log lead to its
//!   checkpoint, and to an earlier checkpoint as well.
//! - `touchstone-verify --program-id`: prints the id of the program of risk proofs.
//! - `touchstone-verify --batch`: reads any number of journals and proofs from standard input, each
//!   part preceded by its length as four little-endian bytes, and prints one line per pair.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use touchstone_verifier::json::{self, Value};
use touchstone_verifier::log::checkpoint::{self, Checkpoint};
use touchstone_verifier::log::policy::Policy;
use touchstone_verifier::log::{mirror, proof};
use touchstone_verifier::published_keys::PublishedKeys;
use touchstone_verifier::{decision_receipt, Verifier};

const USAGE: &str = "usage: touchstone-verify <journal> <proof>
       touchstone-verify receipt <receipt.json> <keys.json> [<arguments.json>]
       touchstone-verify log-proof <proof> <policy> [<entry>]
       touchstone-verify log <folder> <policy> [<checkpoint>]
       touchstone-verify --program-id | --batch";

const COMMANDS: [&str; 3] = ["receipt", "log-proof", "log"];

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
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--program-id"] => {
            println!("{}", Verifier::risk()?.program_id());
            Ok(true)
        }
        ["--batch"] => batch(&Verifier::risk()?),
        ["receipt", receipt, keys] => verify_receipt(receipt, keys, None),
        ["receipt", receipt, keys, arguments] => verify_receipt(receipt, keys, Some(arguments)),
        ["log-proof", proof, policy] => verify_log_proof(proof, policy, None),
        ["log-proof", proof, policy, entry] => verify_log_proof(proof, policy, Some(entry)),
        ["log", folder, policy] => verify_log(folder, policy, None),
        ["log", folder, policy, earlier] => verify_log(folder, policy, Some(earlier)),
        [journal, proof] if !COMMANDS.contains(&journal) => {
            let read = |path: &str| std::fs::read(path).map_err(|err| format!("{}: {}", path, err));
            let outcome = Verifier::risk()?.verify(&read(journal)?, &read(proof)?);
            println!("{}", say(&outcome));
            Ok(outcome.is_ok())
        }
        _ => Err(USAGE.into()),
    }
}

/// All files are read first, so that an unreadable one is never reported as an invalid receipt.
fn verify_receipt(receipt: &str, keys: &str, arguments: Option<&str>) -> Result<bool, String> {
    let document = read_json(receipt)?;
    let published = PublishedKeys::read(&read_json(keys)?);
    let published = published.map_err(|problem| format!("{}: {}", keys, problem))?;
    let given = arguments.map(read_json).transpose()?;
    let checked = decision_receipt::verify(decision_receipt::find(&document), &published);
    let outcome = checked.and_then(|statement| match &given {
        Some(given) if !statement.is_about(given) => Err("not about these arguments".into()),
        _ => Ok(statement),
    });
    if let Ok(said) = &outcome {
        // Escaped, because a terminal could act on control characters in a name.
        let shown = |text: &str| text.escape_debug().to_string();
        let (id, agent) = (shown(said.decision_id), shown(said.agent_id));
        println!("{} of {} at {}", id, agent, shown(said.decided_at));
        println!("says {} to {}", said.decision, shown(said.tool));
    }
    println!("{}", say(&outcome));
    Ok(outcome.is_ok())
}

fn verify_log_proof(proof: &str, policy: &str, entry: Option<&str>) -> Result<bool, String> {
    let named = |problem: String| format!("{}: {}", proof, problem);
    let proof = proof::parse(&read_text(proof)?).map_err(named)?;
    let policy = read_policy(policy)?;
    let entry = match entry {
        Some(path) => std::fs::read(path).map_err(|err| format!("{}: {}", path, err))?,
        None => {
            proof.extra.clone().ok_or("the proof has no extra data: give the entry as a file")?
        }
    };
    let outcome = proof::verify(&proof, &entry, &policy);
    if let Ok(checkpoint) = &outcome {
        let origin = checkpoint.origin.escape_debug();
        println!("entry {} of {} in {}", proof.index, checkpoint.size, origin);
        println!("{}", String::from_utf8_lossy(&entry).escape_debug());
    }
    println!("{}", say(&outcome));
    Ok(outcome.is_ok())
}

fn verify_log(folder: &str, policy: &str, earlier: Option<&str>) -> Result<bool, String> {
    let folder = Path::new(folder);
    let policy = read_policy(policy)?;
    let current = read_text(&folder.join("checkpoint").to_string_lossy())?;
    let earlier = earlier.map(read_text).transpose()?;
    let read = |path: &str| std::fs::read(folder.join(path)).ok();
    let outcome = check_log(&current, earlier.as_deref(), &policy, &read);
    if let Ok(checkpoint) = &outcome {
        println!("{} entries in {}", checkpoint.size, checkpoint.origin.escape_debug());
    }
    println!("{}", say(&outcome));
    Ok(outcome.is_ok())
}

fn check_log(
    current: &str,
    earlier: Option<&str>,
    policy: &Policy,
    read: &mirror::Read,
) -> Result<Checkpoint, String> {
    let checkpoint = checkpoint::verify(current, policy)?;
    let leaves = mirror::leaves(checkpoint.size, read)?;
    if mirror::root(&leaves) != checkpoint.root {
        return Err("the entries do not lead to the root of the checkpoint".into());
    }
    if let Some(text) = earlier {
        let earlier = checkpoint::verify(text, policy)?;
        let known = leaves.get(..earlier.size as usize).ok_or("the earlier tree is larger")?;
        if earlier.origin != checkpoint.origin || mirror::root(known) != earlier.root {
            return Err("the log does not begin with the tree of the earlier checkpoint".into());
        }
    }
    Ok(checkpoint)
}

fn read_policy(path: &str) -> Result<Policy, String> {
    Policy::parse(&read_text(path)?).map_err(|problem| format!("{}: {}", path, problem))
}

fn read_text(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|err| format!("{}: {}", path, err))
}

fn read_json(path: &str) -> Result<Value, String> {
    let mut bytes = Vec::new();
    // One byte more than allowed, so that the parser sees that the file is too large.
    let limit = json::BYTES_MAX as u64 + 1;
    File::open(path)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .map_err(|err| err.to_string())
        .and_then(|_| json::parse(&bytes))
        .map_err(|problem| format!("{}: {}", path, problem))
}

fn say<T>(outcome: &Result<T, String>) -> String {
    match outcome {
        Ok(_) => "valid".into(),
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
