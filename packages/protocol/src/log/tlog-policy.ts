import { bytesToHex } from '../base/encoding.ts'
import { type KeyType, type NoteKey, parseVkey, writeVkey } from './note-key.ts'
import { hasControlCharacter, type Parsed, parseCount } from './parsed.ts'

/** Trust policies (c2sp.org/tlog-policy; spec: log §2): which logs, which witnesses, how many. */

export type PolicyLog = { key: NoteKey; url?: string }
export type PolicyWitness = { name: string; key: NoteKey; url?: string }
export type PolicyGroup = { name: string; threshold: number; members: string[] }

export type TlogPolicy = {
  logs: PolicyLog[]
  witnesses: PolicyWitness[]
  /** A group names only witnesses and groups before it. */
  groups: PolicyGroup[]
  /** A witness, a group, or `none`. */
  quorum: string
}

export const NO_QUORUM = 'none'

const LOG_TYPES: readonly KeyType[] = ['ed25519', 'ml-dsa-44']
const WITNESS_TYPES: readonly KeyType[] = ['cosignature', 'ml-dsa-44']

/** Much more than the 32 of each kind that readers must accept. */
const LINES_MAX = 10_000

/** `comments` are written first, one a line. */
export function writeTlogPolicy(policy: TlogPolicy, comments: readonly string[] = []): string {
  const lines = [
    ...comments.map((comment) => `# ${comment}`),
    ...policy.logs.map(({ key, url }) => words(['log', writeVkey(key), url])),
    ...policy.witnesses.map(({ name, key, url }) => words(['witness', name, writeVkey(key), url])),
    ...policy.groups.map((group) =>
      words(['group', group.name, String(group.threshold), ...group.members]),
    ),
    `quorum ${policy.quorum}`,
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function words(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(' ')
}

/** `reason` begins with the number of the line. */
export function parseTlogPolicy(text: string): Parsed<TlogPolicy> {
  const lines = text.split('\n')
  if (lines.pop() !== '') return { ok: false, reason: 'the last line must end in a line feed' }
  if (lines.length > LINES_MAX) return { ok: false, reason: `more than ${LINES_MAX} lines` }
  const reader = createPolicyReader()
  for (const [i, line] of lines.entries()) {
    const isText = !hasControlCharacter(line, '\t') && !line.includes('\x7f')
    const fault = isText ? reader.read(line) : 'must not contain control characters'
    if (fault !== undefined) return { ok: false, reason: `line ${i + 1}: ${fault}` }
  }
  return reader.end()
}

function createPolicyReader() {
  const policy: Omit<TlogPolicy, 'quorum'> = { logs: [], witnesses: [], groups: [] }
  const names = new Set<string>()
  const members = new Set<string>()
  const logKeys = new Set<string>()
  const witnessKeys = new Set<string>()
  let quorum: string | undefined

  function define(name: string): string | undefined {
    if (name === NO_QUORUM) return 'the name none has a fixed meaning'
    if (names.has(name)) return `the name ${name} is already defined`
    names.add(name)
    return undefined
  }

  const readers: Record<string, (items: string[]) => string | undefined> = {
    log([vkey = '', url, ...rest]) {
      if (rest.length > 0) return 'must be: log <vkey> [<url>]'
      const key = readKey(vkey, LOG_TYPES, logKeys)
      if (typeof key === 'string') return key
      policy.logs.push(url === undefined ? { key } : { key, url })
      return undefined
    },
    witness([name, vkey, url, ...rest]) {
      if (name === undefined || vkey === undefined || rest.length > 0) {
        return 'must be: witness <name> <vkey> [<url>]'
      }
      const key = readKey(vkey, WITNESS_TYPES, witnessKeys)
      if (typeof key === 'string') return key
      policy.witnesses.push(url === undefined ? { name, key } : { name, key, url })
      return define(name)
    },
    group([name, count, ...listed]) {
      if (name === undefined || count === undefined || listed.length === 0) {
        return 'must be: group <name> all|any|<k> <name>...'
      }
      const threshold = readThreshold(count, listed.length)
      if (threshold === undefined) return `the threshold must be all, any or 1 to ${listed.length}`
      for (const member of listed) {
        if (!names.has(member)) return `${member} is not defined above`
        if (members.has(member)) return `${member} is already a member of a group`
        members.add(member)
      }
      policy.groups.push({ name, threshold, members: listed })
      return define(name)
    },
    quorum([name, ...rest]) {
      if (name === undefined || rest.length > 0) return 'must be: quorum <name>'
      if (quorum !== undefined) return 'there must be exactly one quorum line'
      if (name !== NO_QUORUM && !names.has(name)) return `${name} is not defined above`
      quorum = name
      return undefined
    },
  }

  return {
    /** Returns what is wrong with the line, if anything. */
    read(line: string): string | undefined {
      const [keyword, ...items] = line.split(/[ \t]+/).filter((item) => item !== '')
      if (keyword === undefined || keyword.startsWith('#')) return undefined
      const reader = Object.hasOwn(readers, keyword) ? readers[keyword] : undefined
      return reader === undefined ? `unknown keyword ${keyword}` : reader(items)
    },
    end(): Parsed<TlogPolicy> {
      if (quorum === undefined) return { ok: false, reason: 'there is no quorum line' }
      const { logs, witnesses, groups } = policy
      return { ok: true, value: { logs, witnesses, groups, quorum } }
    },
  }
}

/** The key, or what is wrong with it. Keys are the same if their public keys are. */
function readKey(vkey: string, types: readonly KeyType[], known: Set<string>): NoteKey | string {
  const key = parseVkey(vkey)
  if (!key.ok) return `vkey: ${key.reason}`
  if (!types.includes(key.value.type)) {
    return types === LOG_TYPES
      ? 'the key of a log must have signature type 1 or 6'
      : 'the key of a witness must have signature type 4 or 6'
  }
  const name = bytesToHex(key.value.publicKey)
  if (known.has(name)) return 'this public key is already listed'
  known.add(name)
  return key.value
}

function readThreshold(text: string, members: number): number | undefined {
  if (text === 'all') return members
  if (text === 'any') return 1
  const threshold = parseCount(text)
  return threshold !== undefined && threshold >= 1 && threshold <= members ? threshold : undefined
}

/** Whether the cosignatures with these keys satisfy the quorum of the policy. */
export function hasQuorum(policy: TlogPolicy, cosigned: Iterable<NoteKey>): boolean {
  if (policy.quorum === NO_QUORUM) return true
  const keys = new Set([...cosigned].map(writeVkey))
  const reached = new Set(
    policy.witnesses.filter(({ key }) => keys.has(writeVkey(key))).map(({ name }) => name),
  )
  for (const { name, threshold, members } of policy.groups) {
    if (members.filter((member) => reached.has(member)).length >= threshold) reached.add(name)
  }
  return reached.has(policy.quorum)
}
