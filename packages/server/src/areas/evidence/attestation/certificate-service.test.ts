import { hexToBytes } from '@touchstone/protocol/base'
import { keccak256Hex } from '@touchstone/protocol/crypto'
import { certificateHash, verifyCertificate } from '@touchstone/protocol/evidence'
import {
  createMerkleTree,
  leafHash,
  type MerkleNode,
  nodeLookup,
  rootFromNodes,
  verifyConsistency,
  verifyInclusion,
  verifyTreeHead,
} from '@touchstone/protocol/merkle'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { transact } from '../../../kernel/db.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  createFakeCheckpoints,
  createNode,
  entryOf,
  type SealedRow,
  TEST_KEY_ID,
  TEST_SEED,
  tamper,
  vectors,
} from './attestation.fixture.ts'
import type { Rebuilt } from './certificate-service.ts'

const clock = testClock()
const database = await testDatabase()
const { db } = database
const checkpoints = createFakeCheckpoints()
const agents = {
  async get(agentId: string, orgIds: readonly string[]) {
    const own = orgIds.includes('org-1')
    if (agentId === 'hidden' && !own) throw new Problem('agent_not_found', 'No such agent.')
    return { own }
  },
}
const { service } = createNode(
  { db, clock, notices: await testNotices(database) },
  { seed: TEST_SEED, agents, checkpoints: checkpoints.port },
)
const NOBODY: string[] = []
const OWNER = ['org-1']

const seal = (wanted: Readonly<Record<string, readonly boolean[]>>) =>
  checkpoints.seal({ db, service, now: clock.now() }, wanted)

const MIXED = Array.from({ length: 17 }, (_, i) => i % 4 !== 2)

beforeAll(async () => {
  await seal({ mixed: MIXED.slice(0, 5), hidden: [true], synthetic: [false] })
  clock.advance(1500)
  await seal({ mixed: MIXED.slice(5), hidden: [true, false] })
})

/** The tree by definition, over the agent's sealed checkpoints. */
function treeOf(agentId: string) {
  const tree = createMerkleTree()
  for (const { chainHash, leafIndex } of checkpoints.rowsOf(agentId)) {
    if (leafIndex !== null) tree.append(leafHash(hexToBytes(chainHash)))
  }
  return tree
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const idOf = (row: SealedRow) => row.record.subject.checkpoint_id

function at(agentId: string, position: number): SealedRow {
  const row = checkpoints.rowsOf(agentId)[position]
  if (row === undefined) throw new Error(`${agentId} has no checkpoint ${position}`)
  return row
}

describe('seal', () => {
  it('stores all agents of a batch so that every certificate verifies and hashes as stored', async () => {
    for (const agentId of ['mixed', 'hidden', 'synthetic']) {
      const rows = checkpoints.rowsOf(agentId)
      const rebuilt = await service.rebuild(agentId, rows)
      expect(rebuilt).toHaveLength(rows.length)
      for (const one of rebuilt) {
        const outcome = verifyCertificate(one?.certificate, vectors.keys)
        expect(outcome).toMatchObject({ wellFormed: true, verification: { valid: true } })
        expect(one && certificateHash(one.certificate)).toBe(one?.certificateHash)
      }
    }
  })

  it('stores the rows in chain order with key id and time of issue', async () => {
    const rows = await service.findCertificates('mixed', 4, 2)
    expect(rows).toMatchObject([
      { position: 4, certificateId: at('mixed', 4).certificateId, keyId: TEST_KEY_ID },
      { position: 5, certificateId: at('mixed', 5).certificateId, baseUrl: vectors.base_url },
    ])
    const [before, after] = rows.map((row) => row.issuedAt.getTime())
    expect((after ?? 0) - (before ?? 0)).toBe(1500)
    expect(await service.findCertificates('mixed', MIXED.length, 9)).toEqual([])
  })

  it('stores complete subtrees only, each once', async () => {
    const { leafCount } = checkpoints.stateOf('mixed')
    expect(leafCount).toBe(13)
    const { rows } = await sql<MerkleNode>`select level, index, hash from merkle_node
      where agent_id = 'mixed'`.execute(db)
    const tree = treeOf('mixed')
    // 13 = 0b1101 has three ones.
    expect(rows).toHaveLength(2 * leafCount - 3)
    for (const { level, index, hash } of rows) {
      expect(hex(hash)).toBe(hex(tree.readNode(level, index)))
    }
    expect(hex(rootFromNodes(leafCount, nodeLookup(rows)))).toBe(hex(tree.root()))
  })

  it('rejects a position or leaf that is already sealed', async () => {
    const signer = await service.signer()
    const state = { agentId: 'mixed', length: 0, chainHash: null, leafCount: 0, edge: [] }
    const again = (analysed: boolean) =>
      transact(db, (tx) => {
        const batch = { state, entries: [entryOf('mixed', 0, analysed)] }
        return service.seal(tx, signer, [batch], clock.now())
      })
    await expect(again(true)).rejects.toThrow('duplicate key')
    await expect(again(false)).rejects.toThrow('duplicate key')
  })

  it('writes nothing for an empty batch', async () => {
    const signer = await service.signer()
    const state = checkpoints.stateOf('mixed')
    const made = await transact(db, (tx) =>
      service.seal(tx, signer, [{ state, entries: [] }], clock.now()),
    )
    expect(made).toEqual([{ state, sealed: [] }])
  })
})

describe('sealed data', () => {
  it.each([
    sql`update merkle_node set hash = hash`,
    sql`delete from merkle_node`,
    sql`truncate merkle_node`,
    sql`truncate merkle_node_3`,
    sql`update certificate set base_url = ''`,
    sql`delete from certificate`,
    sql`truncate certificate`,
    sql`truncate certificate_3`,
  ])('is immutable in the database: %#', async (change) => {
    await expect(change.execute(db)).rejects.toThrow('never changed')
  })
})

describe('getCertificate', () => {
  it('returns the certificate, without a Merkle proof for a synthetic checkpoint', async () => {
    const { value, isOwner } = await service.getCertificate(idOf(at('mixed', 2)), NOBODY)
    expect(isOwner).toBe(false)
    expect(value.proofs).toMatchObject({ chain: { position: 2 }, merkle: null })
    const analysed = await service.getCertificate(idOf(at('mixed', 3)), OWNER)
    expect(analysed.isOwner).toBe(true)
    expect(analysed.value.proofs.merkle).toMatchObject({ leaf_index: 2, tree_size: 3 })
  })

  it('gives the same answer for an unknown and a hidden checkpoint', async () => {
    const refusals = await Promise.all(
      ['ic-none', idOf(at('hidden', 0))].map((id) =>
        service.getCertificate(id, NOBODY).catch((err: unknown) => err),
      ),
    )
    expect(refusals[0]).toMatchObject({ code: 'checkpoint_not_found' })
    expect(refusals[1]).toEqual(refusals[0])
    expect((await service.getCertificate(idOf(at('hidden', 0)), OWNER)).isOwner).toBe(true)
  })
})

describe('proveInclusion', () => {
  it('returns a proof that verifies, for every leaf in every later tree', async () => {
    const tree = treeOf('mixed')
    for (const row of checkpoints.rowsOf('mixed')) {
      if (row.leafIndex === null) continue
      for (let size = row.leafIndex + 1; size <= tree.size; size++) {
        const { value } = await service.proveInclusion(idOf(row), NOBODY, size)
        expect(value).toMatchObject({ verified: true, treeSize: size, root: hex(tree.root(size)) })
        const proof = value.siblings.map((sibling) => hexToBytes(sibling.hash))
        const claim = { leaf: hexToBytes(value.leafHash), index: row.leafIndex, size, proof }
        expect(verifyInclusion(claim, tree.root(size))).toBe(true)
      }
    }
  })

  it('defaults to the current tree', async () => {
    const { value } = await service.proveInclusion(idOf(at('mixed', 0)), NOBODY, undefined)
    expect(value.treeSize).toBe(13)
  })

  it.each([0, 2, -1, 14])(
    'rejects a tree of %i leaves, which does not contain leaf 2',
    async (size) => {
      const proof = service.proveInclusion(idOf(at('mixed', 3)), NOBODY, size)
      await expect(proof).rejects.toMatchObject({ code: 'validation_error' })
    },
  )

  it('is not found for a synthetic or hidden checkpoint', async () => {
    const synthetic = service.proveInclusion(idOf(at('mixed', 2)), NOBODY, undefined)
    await expect(synthetic).rejects.toMatchObject({ code: 'not_found' })
    const hidden = service.proveInclusion(idOf(at('hidden', 0)), NOBODY, undefined)
    await expect(hidden).rejects.toMatchObject({ code: 'checkpoint_not_found' })
  })
})

describe('getTreeHead', () => {
  it('signs the root of the current tree with the active key', async () => {
    const { value } = await service.getTreeHead('mixed', NOBODY)
    expect(value).toMatchObject({
      merkleRoot: hex(treeOf('mixed').root()),
      leafCount: 13,
      treeDepth: 4,
      lastUpdated: clock.now(),
      keyId: TEST_KEY_ID,
    })
    const head = { agent_id: 'mixed', leaf_count: 13, merkle_root: value.merkleRoot }
    const publicKey = vectors.keys[0]?.public_key ?? ''
    expect(verifyTreeHead(head, { signature: value.signature, publicKey })).toBe(true)
  })

  it('is not found while the tree is empty', async () => {
    for (const agentId of ['synthetic', 'none']) {
      const head = service.getTreeHead(agentId, NOBODY)
      await expect(head).rejects.toMatchObject({ code: 'not_found' })
    }
  })
})

describe('proveConsistency', () => {
  it('proves that every tree is a prefix of every later one', async () => {
    const tree = treeOf('mixed')
    for (let second = 1; second <= tree.size; second++) {
      for (let first = 1; first <= second; first++) {
        const { value } = await service.proveConsistency('mixed', NOBODY, { first, second })
        const [firstRoot, secondRoot] = [tree.root(first), tree.root(second)]
        expect(value).toMatchObject({ firstRoot: hex(firstRoot), secondRoot: hex(secondRoot) })
        const proof = value.proof.map(hexToBytes)
        expect(verifyConsistency({ first, second, firstRoot, secondRoot, proof })).toBe(true)
      }
    }
  })

  it.each([
    [0, 3],
    [-1, 3],
    [4, 3],
    [3, 14],
    [14, 14],
  ])('refuses %i to %i of 13', async (first, second) => {
    const proof = service.proveConsistency('mixed', NOBODY, { first, second })
    await expect(proof).rejects.toMatchObject({ code: 'validation_error' })
  })
})

describe('erase', () => {
  it('keeps only the leaves, under the hash of the id', async () => {
    await seal({ leaving: [true, false, true, true], staying: [true] })
    const leaves = checkpoints
      .rowsOf('leaving')
      .filter((row) => row.leafIndex !== null)
      .map((row) => hex(leafHash(hexToBytes(row.chainHash))))
    await transact(db, (tx) => service.erase(tx, toAgentId('leaving')))
    const kept = await sql<{ leaf: string }>`select encode(leaf_hash, 'hex') as leaf
      from erased_leaf where id_hash = ${keccak256Hex('leaving')} order by leaf_index`.execute(db)
    expect(kept.rows.map((row) => row.leaf)).toEqual(leaves)
    expect(await service.findCertificates('leaving', 0, 10)).toEqual([])
    expect(await service.nodesOf('leaving', [{ level: 0, index: 0 }])).toEqual([])
    expect(await service.findCertificates('staying', 0, 10)).toHaveLength(1)
    expect(await service.nodesOf('staying', [{ level: 0, index: 0 }])).toHaveLength(1)
    for (const change of [sql`delete from erased_leaf`, sql`truncate erased_leaf`]) {
      await expect(change.execute(db)).rejects.toThrow('never changed')
    }
  })
})

describe('tampering with the database', () => {
  const isRight = (one: Rebuilt | undefined): boolean => {
    const outcome = verifyCertificate(one?.certificate, vectors.keys)
    if (one === undefined || !outcome.wellFormed || !outcome.verification.valid) return false
    return certificateHash(one.certificate) === one.certificateHash
  }

  /** Everything an outsider can check: the certificate, its hash, and proofs. */
  async function isNoticed(agentId: string): Promise<boolean> {
    const rows = checkpoints.rowsOf(agentId)
    const rebuilt = await service.rebuild(agentId, rows)
    const leaves = rows.filter((row) => row.leafIndex !== null)
    const proved = await Promise.all(
      leaves.map((row) => service.proveInclusion(idOf(row), NOBODY, undefined)),
    )
    return !(rebuilt.every(isRight) && proved.every(({ value }) => value.verified))
  }

  const ofCertificate = {
    'the signature': sql`signature = set_byte(signature, 9, get_byte(signature, 9) # 1)`,
    'the time of issue': sql`issued_at = issued_at + interval '1 millisecond'`,
    'the base URL': sql`base_url = base_url || '/'`,
    'the key': sql`key_id = 'key-0000000000000000'`,
    'the id': sql`certificate_id = certificate_id || '0'`,
    'the hash': sql`certificate_hash =
      set_byte(certificate_hash, 31, get_byte(certificate_hash, 31) # 1)`,
    'the place': sql`position = position + 1000`,
  }

  it.each(Object.entries(ofCertificate))(
    'is detected in a certificate: %s',
    async (what, change) => {
      const agentId = `changed-${what}`
      await seal({ [agentId]: [true, false, true] })
      expect(await isNoticed(agentId)).toBe(false)
      await tamper(
        db,
        sql`update certificate set ${change}
      where agent_id = ${agentId} and position = 1`,
      )
      expect(await isNoticed(agentId)).toBe(true)
    },
  )

  it('is detected for every node of the tree', async () => {
    await seal({ shaken: Array.from({ length: 7 }, () => true) })
    const { rows } = await sql<MerkleNode>`select level, index from merkle_node
      where agent_id = 'shaken'`.execute(db)
    for (const { level, index } of rows) {
      const flip = sql`update merkle_node set hash = set_byte(hash, 17, get_byte(hash, 17) # 128)
        where agent_id = 'shaken' and level = ${level} and index = ${index}`
      await tamper(db, flip)
      expect(await isNoticed('shaken'), `${level}/${index}`).toBe(true)
      await tamper(db, flip)
    }
    expect(await isNoticed('shaken')).toBe(false)
  })
})

describe('a missing stored part', () => {
  it('is an error, never a wrong answer', async () => {
    await seal({ holed: [true, true, true] })
    await tamper(db, sql`delete from certificate where agent_id = 'holed' and position = 0`)
    await tamper(db, sql`delete from merkle_node where agent_id = 'holed' and level = 1`)
    const rebuilt = await service.rebuild('holed', checkpoints.rowsOf('holed'))
    expect(rebuilt).toEqual([undefined, undefined, undefined])
    await expect(service.getCertificate(idOf(at('holed', 1)), NOBODY)).rejects.toThrow('is missing')
    await expect(service.getTreeHead('holed', NOBODY)).rejects.toThrow(RangeError)
  })
})
