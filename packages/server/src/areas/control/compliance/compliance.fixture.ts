import type { Amendment, Comment, Reclassification, Snapshot, Violation } from './records.ts'

const AT = new Date('2026-03-01T10:00:00.000Z')
const HASH = 'a'.repeat(64)

export const aComment = (changes: Partial<Comment> = {}): Comment => ({
  id: 'vc-1',
  checkpointId: 'ic-1',
  author: 'user-1',
  text: 'The card lacked it.',
  createdAt: AT,
  prevHash: '0'.repeat(64),
  entryHash: HASH,
  ...changes,
})

export const aViolation = (changes: Partial<Violation> = {}): Violation => ({
  checkpointId: 'ic-1',
  sessionId: 'sess-1',
  linkedTraceId: 'tr-1',
  verdict: 'boundary_violation',
  violationType: 'UNBOUNDED_ACTION',
  severity: 'high',
  description: 'Something that is not allowed.',
  cardId: 'ac-1',
  timestamp: AT,
  reclassifiedAs: 'card_gap',
  reclassificationId: 'rcl-1',
  countsAgainstScore: false,
  certificateHash: HASH,
  policy: { verdict: 'fail', violations: 1, warnings: 0 },
  loosenedBy: ['amend-1'],
  said: { count: 1, latest: [aComment()] },
  ...changes,
})

export const aReclassification = (changes: Partial<Reclassification> = {}): Reclassification => ({
  reclassificationId: 'rcl-1',
  checkpointId: 'ic-1',
  agentId: 'agent-1',
  originalType: 'UNBOUNDED_ACTION',
  newType: 'card_gap',
  reason: 'The card lacked it.',
  cardAmendmentId: 'amend-1',
  approvedBy: 'user-1',
  createdAt: AT,
  scoreBefore: 700,
  scoreAfter: 750,
  recomputedAt: AT,
  ...changes,
})

export const anAmendment = (changes: Partial<Amendment> = {}): Amendment => ({
  amendmentId: 'amend-1',
  agentId: 'agent-1',
  field: 'autonomy_envelope.bounded_actions',
  previousValue: ['search'],
  newValue: ['search', 'delete_rows'],
  reason: 'It was left out.',
  linkedReclassificationId: 'rcl-1',
  createdAt: AT,
  fromVersion: 1,
  toVersion: 2,
  createdBy: 'user-1',
  ...changes,
})

export const aSnapshot = (changes: Partial<Snapshot> = {}): Snapshot => ({
  weekStart: '2026-03-01',
  score: 750,
  grade: 'A',
  checkpointCount: 60,
  components: { integrity_ratio: 900 },
  assurance: 1,
  assuredScore: 749,
  ...changes,
})
