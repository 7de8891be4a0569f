//! Trust policies (c2sp.org/tlog-policy).

use super::count;
use super::note::{Key, KeyType};
use std::collections::HashSet;

const NONE: &str = "none";

/// Much more than the 32 logs and witnesses that readers must accept.
const LINES_MAX: usize = 10_000;

struct Group {
    name: String,
    threshold: usize,
    members: Vec<String>,
}

pub struct Policy {
    pub logs: Vec<Key>,
    witnesses: Vec<(String, Key)>,
    groups: Vec<Group>,
    pub quorum: String,
}

impl Policy {
    pub fn parse(text: &str) -> Result<Policy, String> {
        let lines = text.strip_suffix('\n').ok_or("a policy must end in a line feed")?;
        if lines.split('\n').count() > LINES_MAX {
            return Err(format!("more than {} lines", LINES_MAX));
        }
        let mut reader = Reader::default();
        for (number, line) in lines.split('\n').enumerate() {
            reader.read(line).map_err(|fault| format!("line {}: {}", number + 1, fault))?;
        }
        let quorum = reader.quorum.ok_or("a policy must have a quorum line")?;
        let Reader { logs, witnesses, groups, .. } = reader;
        Ok(Policy { logs, witnesses, groups, quorum })
    }

    pub fn witness_keys(&self) -> impl Iterator<Item = &Key> {
        self.witnesses.iter().map(|(_, key)| key)
    }

    pub fn has_quorum(&self, cosigned: &[&Key]) -> bool {
        let by_key = self.witnesses.iter().filter(|(_, key)| cosigned.contains(&key));
        let mut reached: HashSet<&str> = by_key.map(|(name, _)| name.as_str()).collect();
        for group in &self.groups {
            let members = group.members.iter();
            if members.filter(|name| reached.contains(name.as_str())).count() >= group.threshold {
                reached.insert(&group.name);
            }
        }
        self.quorum == NONE || reached.contains(self.quorum.as_str())
    }
}

#[derive(Default)]
struct Reader {
    logs: Vec<Key>,
    witnesses: Vec<(String, Key)>,
    groups: Vec<Group>,
    quorum: Option<String>,
    names: HashSet<String>,
    members: HashSet<String>,
}

impl Reader {
    fn read(&mut self, line: &str) -> Result<(), String> {
        if line.bytes().any(|byte| (byte < 0x20 && byte != b'\t') || byte == 0x7f) {
            return Err("must not contain control characters".into());
        }
        let items: Vec<&str> =
            line.split(|c| c == ' ' || c == '\t').filter(|item| !item.is_empty()).collect();
        match items[..] {
            [] => Ok(()),
            [first, ..] if first.starts_with('#') => Ok(()),
            ["log", vkey] | ["log", vkey, _] => self.read_log(vkey),
            ["witness", name, vkey] | ["witness", name, vkey, _] => self.read_witness(name, vkey),
            ["group", name, threshold, _, ..] => self.read_group(name, threshold, &items[3..]),
            ["quorum", name] => self.read_quorum(name),
            _ => Err("not a line of a policy".into()),
        }
    }

    fn read_log(&mut self, vkey: &str) -> Result<(), String> {
        let key = Key::parse(vkey)?;
        if key.kind == KeyType::Cosignature {
            return Err("the key of a log must have signature type 1 or 6".into());
        }
        if self.logs.iter().any(|known| known.public_key == key.public_key) {
            return Err("this public key is already listed".into());
        }
        self.logs.push(key);
        Ok(())
    }

    fn read_witness(&mut self, name: &str, vkey: &str) -> Result<(), String> {
        let key = Key::parse(vkey)?;
        if key.kind == KeyType::Ed25519 {
            return Err("the key of a witness must have signature type 4 or 6".into());
        }
        if self.witnesses.iter().any(|(_, known)| known.public_key == key.public_key) {
            return Err("this public key is already listed".into());
        }
        self.define(name)?;
        self.witnesses.push((name.into(), key));
        Ok(())
    }

    fn read_group(&mut self, name: &str, threshold: &str, members: &[&str]) -> Result<(), String> {
        let threshold = match threshold {
            "all" => members.len(),
            "any" => 1,
            number => count(number).map_or(0, |threshold| threshold as usize),
        };
        if threshold < 1 || threshold > members.len() {
            return Err("the threshold must be all, any or a number of members".into());
        }
        for member in members {
            if !self.names.contains(*member) || !self.members.insert((*member).into()) {
                return Err(format!("{} is not defined above or already a member", member));
            }
        }
        self.define(name)?;
        let members = members.iter().map(|member| (*member).into()).collect();
        self.groups.push(Group { name: name.into(), threshold, members });
        Ok(())
    }

    fn read_quorum(&mut self, name: &str) -> Result<(), String> {
        if self.quorum.is_some() || (name != NONE && !self.names.contains(name)) {
            return Err("there must be one quorum line, with a name that is defined above".into());
        }
        self.quorum = Some(name.into());
        Ok(())
    }

    fn define(&mut self, name: &str) -> Result<(), String> {
        if name == NONE || !self.names.insert(name.into()) {
            return Err(format!("the name {} is taken", name));
        }
        Ok(())
    }
}
