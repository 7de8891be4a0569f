import { ed25519PublicKey, signEd25519 } from '@touchstone/protocol/crypto'
import {
  appendToTiles,
  checkpointBody,
  createNoteKey,
  NO_QUORUM,
  signNote,
  tilePath,
  writeTlogPolicy,
} from '@touchstone/protocol/log'
import { leafHash } from '@touchstone/protocol/merkle'
import { describe, expect, it } from 'vitest'
import { lookAtLog, parseSeen, type SeenCheckpoint, tileReader } from './log-history.ts'

const ORIGIN = 'log.example/log'
const NOW = new Date('2026-03-02T12:00:00.000Z')

const keyOf = (fill: number) => {
  const seed = new Uint8Array(32).fill(fill)
  const key = createNoteKey({ name: ORIGIN, type: 'ed25519', publicKey: ed25519PublicKey(seed) })
  return { key, sign: (message: string | Uint8Array) => signEd25519(message, seed) }
}

/** A log that serves its checkpoints of these sizes, each when it is told to. */
async function logOf(sizes: readonly number[], { fill = 1, forkAt = 1000 } = {}) {
  const files = new Map<string, Uint8Array>()
  const notes = new Map<number, string>()
  const { key, sign } = keyOf(fill)
  let size = 0
  for (const next of sizes) {
    const leaves = Array.from({ length: next - size }, (_, i) =>
      leafHash(new TextEncoder().encode(`${size + i}${size + i >= forkAt ? ' forked' : ''}`)),
    )
    const read = async (tile: Parameters<typeof tilePath>[0]) =>
      files.get(tilePath(tile)) ?? new Uint8Array()
    const grown = await appendToTiles({ size, leaves }, read)
    for (const { tile, bytes } of grown.tiles) files.set(tilePath(tile), bytes)
    size = next
    notes.set(
      size,
      signNote(checkpointBody({ origin: ORIGIN, size, root: grown.root }), { key, sign }),
    )
  }
  const policy = { logs: [{ key }], witnesses: [], groups: [], quorum: NO_QUORUM }
  return {
    files,
    at: (served: number) => ({
      checkpoint: async () => notes.get(served) ?? '',
      policy: async () => writeTlogPolicy(policy),
      tile: tileReader(async (path) => files.get(path)),
    }),
  }
}

const seenAt = async (log: Awaited<ReturnType<typeof logOf>>, size: number) => {
  const look = await lookAtLog(log.at(size), undefined, new Date('2026-03-01T12:00:00.000Z'))
  if (look.kind !== 'same') throw new Error(look.reason)
  return look.seen
}

describe('a look at the log from the browser', () => {
  it('remembers the first checkpoint, and recognises every later one as the same history', async () => {
    const log = await logOf([200, 300, 600])
    let before: SeenCheckpoint | undefined
    for (const size of [200, 300, 300, 600]) {
      const look = await lookAtLog(log.at(size), before, NOW)
      expect(look).toMatchObject({ kind: 'same', size, before })
      if (look.kind === 'same') before = parseSeen(JSON.stringify(look.seen))
    }
  })

  it('reads the full tile if the log has deleted the partial one', async () => {
    const log = await logOf([200, 300])
    const before = await seenAt(log, 200)
    for (const path of log.files.keys()) if (path === 'tile/0/000.p/200') log.files.delete(path)
    expect(await lookAtLog(log.at(300), before, NOW)).toMatchObject({ kind: 'same' })
  })

  it('shows both checkpoints if the log signed two histories', async () => {
    const before = await seenAt(await logOf([200]), 200)
    const forked = await logOf([200, 300], { forkAt: 100 })
    for (const size of [200, 300]) {
      const look = await lookAtLog(forked.at(size), before, NOW)
      expect(look).toMatchObject({
        kind: 'fork',
        before,
        checkpoint: expect.stringContaining(ORIGIN),
      })
    }
  })

  it('tells an older checkpoint from another history', async () => {
    const log = await logOf([200, 300])
    const before = await seenAt(log, 300)
    expect(await lookAtLog(log.at(200), before, NOW)).toMatchObject({ kind: 'older' })
  })

  it('does not accept another key of the same name, or a changed checkpoint', async () => {
    const before = await seenAt(await logOf([200]), 200)
    const other = await logOf([200, 300], { fill: 2 })
    expect(await lookAtLog(other.at(300), before, NOW)).toMatchObject({ kind: 'invalid' })
    const log = (await logOf([200])).at(200)
    const text = (await log.checkpoint()).replace('\n200\n', '\n201\n')
    const changed = { ...log, checkpoint: async () => text }
    expect(await lookAtLog(changed, before, NOW)).toMatchObject({ kind: 'invalid' })
  })

  it('forgets what it stored if that cannot be read', () => {
    for (const text of [null, '', '{}', 'null', '{"v":1,"seen_at":1}', '{"v":2}']) {
      expect(parseSeen(text)).toBeUndefined()
    }
  })
})
