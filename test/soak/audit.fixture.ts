import { hexToBytes } from '@touchstone/protocol/base'
import { type Certificate, type TrustedKey, verifyCertificate } from '@touchstone/protocol/evidence'
import { parseTlogPolicy, type TlogPolicy, verifyLogProof } from '@touchstone/protocol/log'
import { createMerkleTree, leafHash } from '@touchstone/protocol/merkle'
import { type DecisionReceipt, verifyDecisionReceipt } from '@touchstone/protocol/policy'
import type { Service } from '#harness/process.ts'
import type { Write } from './load.fixture.ts'
import { fail } from './world.fixture.ts'

const CONNECTIONS = 8

/** Faults of the data by kind: ids and reasons, all empty if nothing is. */
export type Findings = {
  /** Acknowledged, but not found. */
  lostCheckpoints: string[]
  lostDecisions: string[]
  /** Chains with a gap, or a root that differs from that of their certificates. */
  brokenChains: string[]
  invalidCertificates: string[]
  invalidReceipts: string[]
  /** Signed batches of which a decision is missing. */
  tornBatches: string[]
  /** Without a valid proof that the log has them. */
  unlogged: string[]
  /** Checkpoints whose webhook did not arrive. */
  undelivered: string[]
}

export type Audited = { findings: Findings; checkpoints: number; decisions: number }

type Auditor = { service: Service; key: string }
type Keys = readonly TrustedKey[]

/** Reads everything through the API and verifies it with the published keys alone. */
export async function audit(
  auditor: Auditor,
  given: { agents: readonly string[]; writes: readonly Write[]; delivered: ReadonlySet<string> },
): Promise<Audited> {
  const { keys } = await read(auditor, '/v1/keys')
  const findings = noFindings()
  const checkpoints: string[] = []
  for (const agent of given.agents) {
    checkpoints.push(...(await auditChain(auditor, agent, keys, findings)))
  }
  const receipts = await listReceipts(auditor)
  auditReceipts(receipts, keys, findings)
  const decisions = receipts.map(({ statement }) => statement.decision_id)
  findings.lostCheckpoints = lost(given.writes, 'checkpoint', checkpoints)
  findings.lostDecisions = lost(given.writes, 'decision', decisions)
  await auditLog(auditor, [...checkpoints, ...decisions], findings)
  findings.undelivered = checkpoints.filter((id) => !given.delivered.has(id))
  return { findings, checkpoints: checkpoints.length, decisions: decisions.length }
}

function lost(writes: readonly Write[], kind: Write['kind'], found: readonly string[]): string[] {
  const ids = new Set(found)
  return writes.filter((write) => write.kind === kind && !ids.has(write.id)).map(({ id }) => id)
}

// biome-ignore lint/suspicious/noExplicitAny: an audit reads any field of a body
async function read({ service, key }: Auditor, path: string): Promise<any> {
  const { status, body } = await service.call('GET', path, { token: key })
  if (status !== 200) fail(`GET ${path}: ${status} ${JSON.stringify(body)}`)
  return body
}

/** Calls the function for each item, several at a time. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values()
  const worker = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
}

async function listCheckpoints(auditor: Auditor, agent: string): Promise<string[]> {
  const ids: string[] = []
  for (let page = 1; ; page += 1) {
    const path = `/v1/agents/${agent}/checkpoints?per_page=100&page=${page}`
    const { checkpoints } = await read(auditor, path)
    if (checkpoints.length === 0) return ids
    for (const { checkpoint_id } of checkpoints) ids.push(checkpoint_id)
  }
}

/** Verifies every certificate of an agent, their order and their root. Returns the checkpoints. */
async function auditChain(
  auditor: Auditor,
  agent: string,
  keys: Keys,
  findings: Findings,
): Promise<string[]> {
  const ids = await listCheckpoints(auditor, agent)
  const certificates: Certificate[] = []
  await forEach(ids, async (id) => {
    const certificate = await read(auditor, `/v1/checkpoints/${id}/certificate`)
    const outcome = verifyCertificate(certificate, [...keys])
    const isValid = outcome.wellFormed && outcome.verification.valid
    if (!isValid || certificate.subject.checkpoint_id !== id) findings.invalidCertificates.push(id)
    else certificates.push(certificate)
  })
  certificates.sort((a, b) => a.proofs.chain.position - b.proofs.chain.position)
  const links = certificates.map(({ proofs }) => proofs.chain)
  links.forEach((link, at) => {
    const previous = at === 0 ? null : links[at - 1]?.chain_hash
    if (link.position !== at || link.prev_chain_hash !== previous) {
      findings.brokenChains.push(`${agent}: position ${at}`)
    }
  })
  const tree = createMerkleTree()
  for (const { claims, proofs } of certificates) {
    if (!claims.synthetic) tree.append(leafHash(hexToBytes(proofs.chain.chain_hash)))
  }
  const head = await read(auditor, `/v1/agents/${agent}/merkle-root`)
  const root = Buffer.from(tree.root()).toString('hex')
  if (head.merkle_root !== root || head.leaf_count !== tree.size) {
    findings.brokenChains.push(`${agent}: root of ${tree.size} leaves`)
  }
  return ids
}

async function listReceipts(auditor: Auditor): Promise<DecisionReceipt[]> {
  const receipts: DecisionReceipt[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await read(auditor, `/v1/decisions?limit=200${after}`)
    for (const { receipt } of page.decisions) receipts.push(receipt)
    cursor = page.next_cursor
  }
  return receipts
}

function auditReceipts(receipts: readonly DecisionReceipt[], keys: Keys, findings: Findings): void {
  const batches = new Map<string, { size: number; indexes: Set<number> }>()
  for (const receipt of receipts) {
    const { decision_id: id } = receipt.statement
    if (!verifyDecisionReceipt(receipt, [...keys]).valid) findings.invalidReceipts.push(id)
    if (receipt.batch === undefined) continue
    const { root, size, index } = receipt.batch
    const batch = batches.get(root) ?? { size, indexes: new Set() }
    batch.indexes.add(index)
    batches.set(root, batch)
  }
  for (const [root, { size, indexes }] of batches) {
    if (indexes.size !== size) findings.tornBatches.push(root)
  }
}

/** Asks for the proof of every record, and verifies it by the policy of the log. */
async function auditLog(
  auditor: Auditor,
  ids: readonly string[],
  findings: Findings,
): Promise<void> {
  const policy = await readPolicy(auditor)
  await forEach(ids, async (id) => {
    const answer = await fetch(`${auditor.service.url}/v1/log/proof/${id}`, {
      headers: { authorization: `Bearer ${auditor.key}`, accept: 'application/json' },
    })
    const text = await answer.text()
    const isLogged = answer.status === 200 && verifyLogProof(JSON.parse(text), policy).ok
    if (!isLogged) findings.unlogged.push(`${id}: ${answer.status}`)
  })
}

async function readPolicy({ service }: Auditor): Promise<TlogPolicy> {
  const answer = await fetch(`${service.url}/v1/log/policy`)
  const policy = parseTlogPolicy(await answer.text())
  return policy.ok ? policy.value : fail(policy.reason)
}

export function noFindings(): Findings {
  return {
    lostCheckpoints: [],
    lostDecisions: [],
    brokenChains: [],
    invalidCertificates: [],
    invalidReceipts: [],
    tornBatches: [],
    unlogged: [],
    undelivered: [],
  }
}
