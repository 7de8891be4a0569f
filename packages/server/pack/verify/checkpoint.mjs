// Keys and checkpoints (c2sp.org/signed-note, tlog-cosignature, tlog-policy).
import { createPublicKey, verify } from 'node:crypto'
import { at, fault, given, readText, sha256, stop } from './common.mjs'

const ED25519 = 0x01
const COSIGNATURE = 0x04
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex')

function parseVkey(text) {
  const [name, id, ...rest] = text.split('+')
  const material = Buffer.from(rest.join('+'), 'base64')
  const own = sha256(`${name}\n`, material).subarray(0, 4).toString('hex')
  if (!name || own !== id) stop(`${text}: not a verifier key`)
  return { name, id, type: material[0], raw: material.subarray(1) }
}

function verifyEd25519({ raw }, message, signature) {
  const key = createPublicKey({
    key: Buffer.concat([ED25519_SPKI, raw]),
    format: 'der',
    type: 'spki',
  })
  return signature.length === 64 && verify(null, Buffer.from(message), key, signature)
}

function isSignedBy(key, body, signature) {
  if (key.type === ED25519) return verifyEd25519(key, body, signature)
  if (key.type !== COSIGNATURE || signature.length !== 72) return undefined
  const time = signature.readBigUInt64BE(0)
  return verifyEd25519(key, `cosignature/v1\ntime ${time}\n${body}`, signature.subarray(8))
}

function parsePolicy(text) {
  const policy = { logs: [], witnesses: new Map(), groups: [], quorum: undefined }
  for (const line of text.split('\n')) {
    const [word, ...items] = line.split(/[ \t]+/).filter(Boolean)
    if (word === 'log') policy.logs.push(parseVkey(items[0]))
    else if (word === 'witness') policy.witnesses.set(items[0], parseVkey(items[1]))
    else if (word === 'group') policy.groups.push(items)
    else if (word === 'quorum') policy.quorum = items[0]
    else if (word !== undefined && !word.startsWith('#')) stop(`policy: unknown keyword ${word}`)
  }
  if (policy.logs.length === 0 || !policy.quorum) stop('policy: a log and a quorum are needed')
  return policy
}

function hasQuorum({ witnesses, groups, quorum }, cosigners) {
  const reached = new Set([...witnesses.keys()].filter((name) => cosigners.has(name)))
  for (const [name, threshold, ...members] of groups) {
    const needed =
      threshold === 'all' ? members.length : threshold === 'any' ? 1 : Number(threshold)
    if (members.filter((member) => reached.has(member)).length >= needed) reached.add(name)
  }
  return quorum === 'none' || reached.has(quorum)
}

function readPolicy() {
  if (given.vkey)
    return { logs: [parseVkey(given.vkey)], witnesses: new Map(), groups: [], quorum: 'none' }
  if (given.policy) return parsePolicy(readText(given.policy))
  console.log(
    'WARNING: without --policy or --vkey, the keys are those that the pack itself names.\n' +
      'Anybody can make such a pack. Get the policy of the log from somebody you trust.',
  )
  return parsePolicy(readText(at('log/policy.txt')))
}

// The signatures of known keys by label. One that does not verify spoils the checkpoint.
function signersOf(note, body, keys) {
  const signers = new Set()
  for (const line of note.slice(body.length + 1).split('\n')) {
    const [, name, encoded] = /^— (\S+) (\S+)$/u.exec(line) ?? []
    const bytes = Buffer.from(encoded ?? '', 'base64')
    const id = bytes.subarray(0, 4).toString('hex')
    const known = keys.filter(([, key]) => key.name === name && key.id === id)
    for (const [label, key] of known) {
      if (isAccepted(key, body, bytes.subarray(4))) signers.add(label)
    }
  }
  return signers
}

function isAccepted(key, body, signature) {
  const isGood = isSignedBy(key, body, signature)
  if (isGood === undefined) {
    console.log(`A signature of ${key.name} has a type that is not read here, and does not count.`)
  } else if (!isGood) fault(`log/checkpoint: the signature of ${key.name} does not verify`)
  return isGood === true
}

export function readCheckpoint() {
  const policy = readPolicy()
  const note = readText(at('log/checkpoint'))
  const body = note.slice(0, note.lastIndexOf('\n\n') + 1)
  const [origin, size, root] = body.split('\n')
  const logs = policy.logs.filter(({ name }) => name === origin).map((key) => ['', key])
  if (!signersOf(note, body, logs).has('')) fault(`log/checkpoint: not signed by the log ${origin}`)
  const cosigners = signersOf(note, body, [...policy.witnesses])
  if (!hasQuorum(policy, cosigners)) {
    fault(`log/checkpoint: the cosignatures do not reach the quorum ${policy.quorum}`)
  }
  return { origin, size: Number(size), root: Buffer.from(root ?? '', 'base64'), cosigners }
}
