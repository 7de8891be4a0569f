export type { Waiting } from './await-approval.ts'
export type { Escalation } from './escalation.ts'
export type { Evidence, Outcome } from './evidence.ts'
export type { LostEvidence } from './evidence-queue.ts'
export {
  type Admission,
  type AdmitOptions,
  createGuard,
  type Guard,
  type GuardOptions,
  type LocalPolicy,
} from './guard.ts'
export { GuardRefusal, type RefusalCode } from './guard-refusal.ts'
export {
  type CallContext,
  type GuardedTool,
  type GuardToolOptions,
  guardTool,
} from './guard-tool.ts'
export type { LostOutcome } from './outcome-queue.ts'
export type { Reason, ToolCall, Verdict } from './tool-call.ts'
