// The part of the log in the pack, and proofs of single entries (RFC 6962, c2sp.org/tlog-proof).
import { at, fault, leafHash, lines, nodeHash, parse, readText, records } from './common.mjs'

// A tree that grows from left to right: complete subtrees, and how many leaves they have.
export function createEdge() {
  const nodes = []
  return {
    push(hash, level) {
      let node = { hash, level }
      while (nodes.length > 0 && nodes.at(-1).level === node.level) {
        node = { hash: nodeHash(nodes.pop().hash, node.hash), level: node.level + 1 }
      }
      nodes.push(node)
    },
    root: () => nodes.map(({ hash }) => hash).reduceRight((right, left) => nodeHash(left, right)),
  }
}

// The levels of the complete subtrees between two sizes, left to right.
function levelsBetween(start, end, isLeft) {
  const levels = []
  for (let from = start; from < end; ) {
    let level = 0
    while ((isLeft || from % 2 ** (level + 1) === 0) && from + 2 ** (level + 1) <= end) level += 1
    levels.push(level)
    from += 2 ** level
  }
  return levels
}

function pushAll(edge, hashes, levels, what) {
  if (hashes.length !== levels.length) fault(`log/edges.json: wrong number of hashes ${what}`)
  for (const [i, hash] of hashes.entries()) edge.push(Buffer.from(hash, 'base64'), levels[i])
}

export async function readEntries(manifest, checkpoint) {
  const range = parse(readText(at('log/edges.json'))) ?? {}
  const { first, end, size } = range
  const isRange = [first, end, size].every(Number.isSafeInteger) && first <= end && end <= size
  if (!isRange || size !== checkpoint.size) {
    fault('log/edges.json: its sizes are not those of the checkpoint')
    return { own: new Map(), count: 0 }
  }
  const edge = createEdge()
  pushAll(edge, range.left, levelsBetween(0, first, true), 'before the entries')
  const read = await hashEntries(manifest, first, edge)
  pushAll(edge, range.right, levelsBetween(end, size, false), 'after the entries')
  if (read.count !== end - first) {
    fault(`log/entries.ndjson: has ${read.count} entries instead of ${end - first}`)
  } else if (size > 0 && !edge.root().equals(checkpoint.root)) {
    fault('log/entries.ndjson: the entries do not lead to the root of the checkpoint')
  }
  checkPeriod(manifest, range, read)
  return read
}

// Reads the entries, adds them to the tree, and keeps those of the organisation.
async function hashEntries({ tags, from, to }, first, edge) {
  const known = new Set(Object.values(tags))
  const read = { own: new Map(), count: 0, firstAt: undefined, lastAt: '' }
  for await (const { text, where } of lines('log/entries.ndjson')) {
    edge.push(leafHash(text), 0)
    const entry = parse(text)
    if (entry === undefined) fault(`${where} is not an entry`)
    const { at: time, org } = entry ?? {}
    if (known.has(org) && time >= from && time < to) read.own.set(first + read.count, entry)
    read.firstAt ??= time
    if (time > read.lastAt) read.lastAt = time
    read.count += 1
  }
  return read
}

// Entries are in the log some seconds after their time, so those beside the period are in the range.
function checkPeriod({ from, to }, { first, end, size }, { firstAt, lastAt }) {
  if (first > 0 && !(firstAt <= from)) fault('log/entries.ndjson: begins after the period did')
  if (end < size && !(lastAt >= to)) fault('log/entries.ndjson: ends before the period did')
}

function rootOf(leaf, index, size, path) {
  let [hash, node, last] = [leaf, index, size - 1]
  for (const sibling of path) {
    if (last === 0) return undefined
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash)
      while (node % 2 === 0 && node !== 0) {
        node = Math.floor(node / 2)
        last = Math.floor(last / 2)
      }
    } else hash = nodeHash(hash, sibling)
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? hash : undefined
}

// The entries that are proven one by one, also those before the range.
export async function readProofs(checkpoint, own) {
  const proven = new Map()
  const note = readText(at('log/checkpoint'))
  for await (const { value, where } of records('proofs.ndjson')) {
    const split = String(value.proof).indexOf('\n\n')
    const [header, extra, place, ...path] = String(value.proof).slice(0, split).split('\n')
    const bytes = Buffer.from(extra?.slice('extra '.length) ?? '', 'base64')
    const hashes = path.map((hash) => Buffer.from(hash, 'base64'))
    const root = rootOf(leafHash(bytes), value.index, checkpoint.size, hashes)
    const isGood =
      header === 'c2sp.org/tlog-proof@v1' &&
      place === `index ${value.index}` &&
      String(value.proof).slice(split + 2) === note &&
      root?.equals(checkpoint.root)
    if (isGood) proven.set(value.index, parse(bytes.toString('utf8')))
    else fault(`${where}: the proof of entry ${value.index} does not verify`)
  }
  for (const [index, { type }] of own) {
    if (!proven.has(index)) fault(`proofs.ndjson: the proof of entry ${index} (${type}) is missing`)
  }
  return proven
}
