//! A whole log from its files (c2sp.org/tlog-tiles): every entry and every tile must lead to the
//! root of the checkpoint.

use crate::inclusion::{leaf_hash, node};
use crate::sha256::{digest, Digest};

const WIDTH: usize = 256;
const HASH_BYTES: usize = 32;

/// Returns the content of a file by its path below the log, such as `tile/0/000`.
pub type Read<'a> = dyn Fn(&str) -> Option<Vec<u8>> + 'a;

/// The path of a tile below the log; `level` is a number or `entries`.
pub fn path(level: &str, index: usize, width: usize) -> String {
    let mut groups = vec![format!("{:03}", index % 1000)];
    let mut rest = index / 1000;
    while rest > 0 {
        groups.insert(0, format!("x{:03}", rest % 1000));
        rest /= 1000;
    }
    let partial = if width < WIDTH { format!(".p/{}", width) } else { String::new() };
    format!("tile/{}/{}{}", level, groups.join("/"), partial)
}

/// The leaf hashes of all entries, after comparing every tile with them.
pub fn leaves(size: u64, read: &Read) -> Result<Vec<Digest>, String> {
    let size = usize::try_from(size).map_err(|_| "the log is too large".to_string())?;
    let mut hashes = Vec::new();
    for (index, width) in tiles(size) {
        let name = path("entries", index, width);
        let (bytes, held) = read_part(read, "entries", index, width)?;
        let entries = entries(&bytes, held).ok_or(format!("{} is malformed", name))?;
        hashes.extend(entries.into_iter().take(width).map(leaf_hash));
    }
    let all = hashes.clone();
    for level in 0.. {
        for (index, width) in tiles(hashes.len()) {
            let expected = hashes[index * WIDTH..index * WIDTH + width].concat();
            let (bytes, held) = read_part(read, &level.to_string(), index, width)?;
            if bytes.len() != held * HASH_BYTES || !bytes.starts_with(&expected) {
                let name = path(&level.to_string(), index, width);
                return Err(format!("{} does not match the rest of the log", name));
            }
        }
        hashes = hashes.chunks_exact(WIDTH).map(root).collect();
        if hashes.is_empty() {
            break;
        }
    }
    Ok(all)
}

/// MTH of RFC 6962 §2.1 over leaf hashes.
pub fn root(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => digest(&[]),
        [only] => *only,
        _ => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            node(&root(left), &root(right))
        }
    }
}

/// Index and width of the tiles over this many hashes.
fn tiles(hashes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..hashes).step_by(WIDTH).map(move |start| (start / WIDTH, WIDTH.min(hashes - start)))
}

/// The content of a file and its width. A log may have deleted a partial file once the full one
/// exists.
fn read_part(
    read: &Read,
    level: &str,
    index: usize,
    width: usize,
) -> Result<(Vec<u8>, usize), String> {
    let name = path(level, index, width);
    let full = || read(&path(level, index, WIDTH)).map(|bytes| (bytes, WIDTH));
    let part = read(&name).map(|bytes| (bytes, width)).or_else(full);
    part.ok_or(format!("{} is missing", name))
}

/// Exactly this many entries.
fn entries(bytes: &[u8], width: usize) -> Option<Vec<&[u8]>> {
    let mut rest = bytes;
    let mut entries = Vec::with_capacity(width);
    while !rest.is_empty() {
        let length = usize::from(u16::from_be_bytes(rest.get(..2)?.try_into().ok()?));
        entries.push(rest.get(2..2 + length)?);
        rest = &rest[2 + length..];
    }
    if entries.len() == width {
        Some(entries)
    } else {
        None
    }
}
