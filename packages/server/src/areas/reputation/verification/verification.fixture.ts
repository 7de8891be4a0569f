import { bytesToBase64, bytesToHex } from '@touchstone/protocol/base'
import {
  ed25519PublicKey,
  ed25519Signer,
  hashCanonical,
  publishedKey,
  sha256Hex,
} from '@touchstone/protocol/crypto'
import { buildRecord, rebuildCertificate } from '@touchstone/protocol/evidence'
import { type MerkleNode, nodeLookup, rootFromNodes } from '@touchstone/protocol/merkle'
import {
  type AssuranceInput,
  assess,
  assuredScore,
  componentScores,
  conservativeScore,
  rate,
} from '@touchstone/protocol/score'
import { sealAll } from '../../evidence/attestation/seal.fixture.ts'
import type { ProvableCheckpoint, PublishedScore } from './bundle-lines.ts'
import type { VerificationDeps } from './service.ts'

export const AGENT = 'agent-shown'
export const NOW = new Date('2026-03-01T12:00:00.000Z')

const SEED = new Uint8Array(32).fill(9)
const KEY = publishedKey(ed25519PublicKey(SEED), { createdAt: NOW.toISOString(), isActive: true })
export const KEYS = [KEY]

const sign = ed25519Signer(SEED)
const signer = {
  keyId: KEY.key_id,
  sign: (payload: string) => bytesToBase64(sign(payload)),
}

/** An agent with `length` clear checkpoints, no two of them alike. */
export function evidenceOf(length: number) {
  const records = Array.from({ length }, (_, number) => recordOf(number))
  const sealing = sealAll(
    { agentId: AGENT, length: 0, chainHash: null, leafCount: 0, edge: [] },
    records.map((record) => ({ record, analysed: true })),
    { ...signer, issuedAt: NOW.toISOString(), baseUrl: 'https://trust.example' },
  )
  const checkpoints = sealing.sealed.map((seal, i): ProvableCheckpoint => {
    const record = records[i] ?? recordOf(i)
    return { ...seal, record, flags: [], excluded: false, reclassification: null, receivedAt: NOW }
  })
  return { ...sealing, checkpoints }
}

export type World = ReturnType<typeof evidenceOf>

/** The score published from the first `length` checkpoints. */
export function publishedOf({ nodes }: World, length: number): PublishedScore {
  const basis = {
    checkpoints: { scored: length, clear: length, excluded: 0 },
    sessions: { total: 1, unstable: 0 },
    tracesVerified: 7,
    peers: { count: 0, pairScoreE4Sum: 0 },
    adjustmentE4: 0,
  }
  const assured: AssuranceInput = {
    clear: length,
    setAsideByBurst: 0,
    setAsideByNovelty: 0,
    effective: length,
    observed: 0,
    relayed: 0,
    days: length === 0 ? 0 : 1,
    spanDays: 0,
    claimed: true,
    decisionsAllowed: 0,
    outcomesKnown: 0,
    witnessed: false,
  }
  const input = { ...basis, nowMs: NOW.getTime(), violations: [] }
  const assurance = assess(assured)
  const conservative = conservativeScore(input, componentScores(input))
  const rated = rate(input)
  const root = bytesToHex(rootFromNodes(length, nodeLookup(nodes)))
  return {
    ...rated,
    agentId: AGENT,
    assurance,
    assuredScore: assuredScore(conservative, assurance.level),
    basis: { ...basis, assurance: assured },
    computedAt: NOW,
    chainLength: length,
    treeSize: length,
    root,
    driftedSessionIds: [],
  }
}

/** Answers every port from the evidence; a test overrides a port to count or change its calls. */
export function depsOf(world: World, published: PublishedScore | undefined): VerificationDeps {
  const { checkpoints, nodes, certificates, state } = world
  const stored = (wanted: readonly { level: number; index: number }[]): MerkleNode[] =>
    nodes.filter((node) => wanted.some((id) => id.level === node.level && id.index === node.index))
  return {
    clock: { now: () => NOW, nowMs: () => NOW.getTime() },
    agents: {
      getShown: async (_agentId, orgIds) => ({
        agent: { visibility: 'public' },
        own: orgIds.includes('org-own'),
      }),
    },
    scores: { published: async () => published },
    checkpoints: {
      findEnd: async () => state,
      findLeaf: async (_agentId, leafIndex) => checkpoints[leafIndex],
      listProvable: async (_agentId, from, limit) => checkpoints.slice(from, from + limit),
    },
    attestation: {
      signer: async () => signer,
      publishedKeys: async () => KEYS,
      nodesOf: async (_agentId, ids) => stored(ids),
      withLogProof: async (certificate) => certificate,
      rebuild: async (_agentId, links) =>
        links.map((link) => {
          const issued = certificates[link.position]
          if (issued === undefined) return undefined
          const issue = { keyId: KEY.key_id, issuedAt: NOW, baseUrl: 'https://trust.example' }
          const certificate = rebuildCertificate(link, { ...issued, ...issue }, nodeLookup(nodes))
          return { certificate, certificateHash: issued.certificateHash }
        }),
    },
    auditor: {
      verifyPresent: async () => ({
        status: { valid: true, auditedThrough: null, auditedAt: null, full: null },
        checked: {
          sinceAudit: state.length,
          unchecked: 0,
          sampled: 0,
          seed: '00',
          auditedAt: null,
        },
      }),
      requestFull: async () => ({ requestedAt: NOW, finishedAt: null }),
    },
    drift: { list: async () => ({ items: [] }) },
    coherence: { used: async () => ({ pairScores: [], adjustments: [] }) },
    onUnverified: () => undefined,
    onBroken: () => undefined,
  }
}

function recordOf(number: number) {
  return buildRecord({
    subject: {
      checkpoint_id: `ic-${number}`,
      agent_id: AGENT,
      session_id: 's',
      card_id: 'ac-1',
    },
    claims: {
      verdict: 'clear',
      concerns: [],
      confidence: 1,
      reasoning_summary: `Decision ${number}.`,
      analyzer: 'rules',
      analysis_model: 'rules-v1',
      analysis_duration_ms: 3,
      synthetic: false,
    },
    inputs: {
      thinking_block_hash: sha256Hex(`thinking ${number}`),
      output_block_hash: null,
      card_hash: hashCanonical({}),
      values_hash: hashCanonical([]),
      context_hash: hashCanonical([]),
      model_version: 'rules-v1',
      template_version: 'cp-1',
    },
    timestamp: new Date(NOW.getTime() - number * 60_000 - ((number * number) % 977)).toISOString(),
  })
}
