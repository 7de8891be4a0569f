import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type {
  HookClient,
  HookDecision,
  HookDialect,
  HookEvent,
  HookFailure,
  HookOutput,
} from '@touchstone/sdk/hooks'
import {
  type Connection,
  configFolder,
  connectionsFile,
  findConnection,
  readConnections,
} from '../connections.ts'
import { decide } from './decide.ts'
import { openJournal } from './journal.ts'
import { readJson } from './read-stdin.ts'

export type HookRun = {
  client: HookClient
  stdin: Readable
  env: Readonly<Record<string, string | undefined>>
  cwd: string
}

/** Below the 10 seconds that connect gives to hooks in the configuration of every client. */
const TIMEOUT_MS = 7_000
/** Codex gives the end of a session three seconds. */
const REPORT_MS = 2_000

/** Only the dialect that is needed is loaded, because a hook starts for every call. */
const LOAD: Record<HookClient, () => Promise<HookDialect>> = {
  'claude-code': async () => (await import('@touchstone/sdk/hooks/claude-code')).claudeCode,
  codex: async () => (await import('@touchstone/sdk/hooks/codex')).codex,
  cursor: async () => (await import('@touchstone/sdk/hooks/cursor')).cursor,
  'gemini-cli': async () => (await import('@touchstone/sdk/hooks/gemini-cli')).geminiCli,
  'copilot-cli': async () => (await import('@touchstone/sdk/hooks/copilot-cli')).copilotCli,
  opencode: async () => (await import('@touchstone/sdk/hooks/opencode')).opencode,
  windsurf: async () => (await import('@touchstone/sdk/hooks/windsurf')).windsurf,
  vscode: async () => (await import('@touchstone/sdk/hooks/vscode')).vscode,
}

/** Answers one event of a client: one JSON value in, one answer out. Never throws. */
export async function runHook(run: HookRun): Promise<HookOutput> {
  const found = connectionOf(run)
  const onError = found.connection?.on_error ?? 'block'
  const fail = (message: string): HookFailure => {
    return { decision: 'none', message, on_error: onError }
  }
  const timeoutMs = found.connection?.timeout_ms ?? TIMEOUT_MS
  const deadline = performance.now() + timeoutMs
  // The dialect is loaded while the input arrives.
  const [dialect, input] = await Promise.all([LOAD[run.client](), readJson(run.stdin, timeoutMs)])
  if (!input.ok) return dialect.answer(undefined, fail(input.reason))
  const event = dialect.read(input.value)
  if (event === undefined) return dialect.answer(undefined, fail('the input is no known event'))
  // The decision must be about the call that the client makes; a result may have any number.
  const ambiguity = event.event === 'pre_tool' ? input.ambiguity() : undefined
  if (ambiguity !== undefined) return dialect.answer(event, fail(ambiguity))
  const { connection, problem } = found
  if (connection === undefined) return dialect.answer(event, fail(problem))
  const leftMs = Math.max(1, deadline - performance.now())
  const decision = await answerEvent(run, connection, event, leftMs).catch((err: unknown) =>
    fail(err instanceof Error ? err.message : String(err)),
  )
  return dialect.answer(event, decision)
}

/** A connection whose agent may be known to the service alone. */
type Access = Omit<Connection, 'agent_id'> & { agent_id: string | undefined }

type Found =
  | { connection: Access; problem?: undefined }
  | { connection: undefined; problem: string }

/** The environment takes precedence over the file, field by field. */
function connectionOf({ client, env, cwd }: HookRun): Found {
  const file = connectionsFile(env)
  let saved: Connection | undefined
  try {
    saved = findConnection(readConnections(file), client, cwd)
  } catch (err) {
    return { connection: undefined, problem: err instanceof Error ? err.message : String(err) }
  }
  const url = env['TOUCHSTONE_URL'] || saved?.url
  const apiKey = env['TOUCHSTONE_KEY'] || saved?.api_key
  // Key and agent come from the same source, because a key is for its own agent. If the source names no
  // agent, the service takes the one that the key is bound to.
  const agentId = env['TOUCHSTONE_KEY'] ? env['TOUCHSTONE_AGENT'] || undefined : saved?.agent_id
  if (!url || !apiKey) {
    const problem = `${client} is not connected; run "touchstone connect ${client}"`
    return { connection: undefined, problem }
  }
  const base = saved ?? ({ mode: 'enforce', on_error: 'block' } as const)
  return { connection: { ...base, url, api_key: apiKey, agent_id: agentId } }
}

const PASS: HookDecision = {
  decision: 'allow',
  reasons: [],
  notices: [],
  enforced: true,
  approve_url: undefined,
  local: false,
}

async function answerEvent(
  { client, env }: HookRun,
  connection: Access,
  event: HookEvent,
  timeoutMs: number,
): Promise<HookDecision> {
  if (event.event === 'other') return PASS
  const { url, api_key: apiKey, agent_id: agentId } = connection
  const access = { url, apiKey }
  const { session } = event
  const open = () =>
    openJournal(join(configFolder(env), 'hooks'), client, agentId ?? apiKey, session ?? 'none')
  if (event.event === 'pre_tool') {
    const call = { access, agentId, client, session, call: event, timeoutMs }
    const decided = await decide(call)
    // Without notes, outcome and evidence are lost, but the decision stands.
    quietly(() => open().noteCall(event, decided, Date.now()))
    return decided
  }
  const target = { access, agentId, client, timeoutMs: Math.min(timeoutMs, REPORT_MS) }
  await report(target, open(), event).catch(() => undefined)
  return PASS
}

type Reports = typeof import('./report.ts')

async function report(
  target: Parameters<Reports['reportOutcomes']>[0],
  journal: ReturnType<typeof openJournal>,
  event: HookEvent,
): Promise<void> {
  if (event.event === 'thinking') return journal.noteThinking(event.thinking)
  const { reportEvidence, reportOutcomes } = await import('./report.ts')
  if (event.event === 'post_tool') {
    const outcome = journal.noteOutcome(event, event.outcome)
    if (outcome !== undefined) await reportOutcomes(target, journal, [outcome])
    return reportEvidence(target, journal, event)
  }
  await reportOutcomes(target, journal, journal.state().unreported)
  await reportEvidence(target, journal, event)
  if (event.event === 'session_end') journal.remove(Date.now())
}

function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // The caller says what is lost.
  }
}
