import { createInterface } from 'node:readline'
import { isJsonObject } from '@touchstone/protocol/base'
import { type BundleVerification, verifyBundle } from '@touchstone/protocol/bundle'
import { hashCanonical } from '@touchstone/protocol/crypto'
import {
  attestedProvenance,
  type TrustedKey,
  verifyCertificate,
} from '@touchstone/protocol/evidence'
import {
  describeProven,
  type Parsed,
  type ProvenRecord,
  type TlogPolicy,
  verifyLogProof,
} from '@touchstone/protocol/log'
import { verifyDecisionReceipt, verifyReceiptLog } from '@touchstone/protocol/policy'
import { CliError } from '../cli-error.ts'
import { command, type ExitCode } from '../command.ts'
import { openLines, parseKeys, parsePolicy, readJson, readText, unreadable } from '../documents.ts'
import type { Io } from '../io.ts'
import { connectPublic } from '../service.ts'
import { fields, printable } from '../table.ts'

const KEYS = {
  keys: {
    type: 'string',
    value: 'FILE',
    summary: 'saved response of GET /v1/keys; default: fetched from the service',
  },
} as const

const OFFLINE = 'With --keys, no network request is made.'

const LOG = {
  policy: {
    type: 'string',
    value: 'FILE',
    summary:
      'trust policy for a proof of the log; default: that of the service, or with --keys none',
  },
} as const

export const verifyCertificateCommand = command({
  path: ['verify', 'certificate'],
  summary: 'verify the certificate of a checkpoint',
  details: `${OFFLINE} A certificate may have the proof that the log has the checkpoint; --policy says which log and witnesses to trust.`,
  flags: { ...KEYS, ...LOG },
  args: { file: { summary: 'the certificate; - for standard input' } },
  async run({ args, flags, io }) {
    const document = await readJson(args.file, io)
    const policy = await policyFor(flags, io)
    const outcome = verifyCertificate(document, await keysFor(flags.keys, io), policy)
    if (!outcome.wellFormed) {
      const [first] = outcome.problems
      throw new CliError(
        'unreadable',
        `${args.file}: not a certificate: ${first?.path ?? ''} ${first?.message ?? ''}`,
      )
    }
    const { valid, checks, details } = outcome.verification
    const shown = Object.entries(checks).flatMap(([name, check]) =>
      check === null ? [] : [[name, check.valid] as const],
    )
    const { certificate_id, version, subject, log } = outcome.certificate
    const about = {
      certificate_id,
      version,
      ...subject,
      provenance: attestedProvenance(subject),
      ...placeOf(log && verifyLogProof(log, policy)),
    }
    const lacksLog = log === undefined && isLogAsked(log, flags)
    return printVerdict(io, {
      valid: valid && !lacksLog,
      checks: lacksLog ? [...shown.filter(([name]) => name !== 'log'), ['log', false]] : shown,
      fault: valid ? (lacksLog ? `log: ${NO_PROOF}` : undefined) : details,
      about,
    })
  },
})

export const verifyBundleCommand = command({
  path: ['verify', 'bundle'],
  summary: 'verify an evidence bundle and recompute its score',
  details: `${OFFLINE} Get one with "touchstone export AGENT --what bundle".`,
  flags: KEYS,
  args: { file: { summary: 'the bundle; - for standard input' } },
  async run({ args, flags, io }) {
    const keys = await keysFor(flags.keys, io)
    const result = await verifyBundleFile(args.file, keys, io)
    const [first] = result.faults
    return printVerdict(io, {
      valid: result.ok,
      checks: [
        ['evidence', result.faultCount === 0],
        ['score', result.equal],
      ],
      fault: first && `line ${first.line}, ${first.place}: ${first.message}`,
      about: {
        agent_id: result.agentId,
        published: result.published,
        recomputed: result.recomputed,
        fault_count: result.faultCount,
      },
    })
  },
})

export const verifyReceiptCommand = command({
  path: ['verify', 'receipt'],
  summary: 'verify the receipt of a gateway decision, or of a proof of a risk score',
  details: `The kind of receipt is detected from the file. ${OFFLINE} A proof receipt needs keys only for the fields that the proof does not cover.`,
  flags: {
    ...KEYS,
    ...LOG,
    arguments: {
      type: 'string',
      value: 'FILE',
      summary: 'arguments of the call: check that the decision was about them',
    },
    inputs: {
      type: 'string',
      value: 'FILE',
      summary: 'inputs of the assessment: check that the proof is about them',
    },
  },
  args: {
    file: { summary: 'the receipt, or the API response that contains it; - for standard input' },
  },
  async run({ args, flags, io }) {
    const document = await readJson(args.file, io)
    const receipt = isJsonObject(document) ? (document['receipt'] ?? document) : document
    if (!isJsonObject(receipt)) throw new CliError('unreadable', `${args.file}: not a receipt`)
    if ('proof' in receipt) return verifyProof(receipt, flags, io)
    const log = isJsonObject(document) ? (document['log'] ?? undefined) : undefined
    return verifyDecision({ receipt, log }, flags, io)
  },
})

type DecisionFiles = {
  arguments?: string | undefined
  keys?: string | undefined
  policy?: string | undefined
}

/** `log` is the proof that the log has the batch of the receipt, if the document has one. */
async function verifyDecision(
  { receipt, log }: { receipt: Readonly<Record<string, unknown>>; log: unknown },
  files: DecisionFiles,
  io: Io,
): Promise<ExitCode> {
  const given = files.arguments === undefined ? undefined : await readJson(files.arguments, io)
  const outcome = verifyDecisionReceipt(receipt, await keysFor(files.keys, io))
  const statement = outcome.valid ? outcome.statement : receipt['statement']
  const hash = isJsonObject(statement) ? statement['arguments_hash'] : undefined
  const isAboutCall = given === undefined || hash === hashCanonical(given)
  const logged = isLogAsked(log, files) ? await verifyLogged(receipt, log, files, io) : undefined
  return printVerdict(io, {
    valid: outcome.valid && isAboutCall && logged?.ok !== false,
    checks: [
      ...checked(outcome.checks),
      ...(given === undefined ? [] : ([['arguments', isAboutCall]] as const)),
      ...(logged === undefined ? [] : ([['log', logged.ok]] as const)),
    ],
    fault: outcome.valid ? (argumentsFault(isAboutCall) ?? reasonOf(logged)) : outcome.fault,
    about: { ...(isJsonObject(statement) ? statement : {}), ...placeOf(logged) },
  })
}

/** A policy is named to find out whether the log has the record. */
function isLogAsked(log: unknown, { policy }: { policy?: string | undefined }): boolean {
  return log !== undefined || policy !== undefined
}

const NO_PROOF =
  'the file has no proof of the log. The service adds it to the decision or certificate a few seconds after it was made: get it again, with "touchstone decisions show ID --json" or GET /v1/checkpoints/{id}/certificate'

async function verifyLogged(
  receipt: unknown,
  log: unknown,
  files: DecisionFiles,
  io: Io,
): Promise<Parsed<ProvenRecord>> {
  if (log === undefined) return { ok: false, reason: NO_PROOF }
  return verifyReceiptLog(receipt, log, await policyFor(files, io))
}

function argumentsFault(isAboutCall: boolean): string | undefined {
  return isAboutCall ? undefined : 'the decision was about a call with other arguments'
}

function reasonOf(logged: Parsed<unknown> | undefined): string | undefined {
  return logged === undefined || logged.ok ? undefined : `log: ${logged.reason}`
}

/** A line about a proof of the log that holds. */
function placeOf(logged: Parsed<ProvenRecord> | undefined): { log?: string } {
  return logged?.ok === true ? { log: describeProven(logged.value) } : {}
}

/** The parts that were checked. */
function checked(checks: Readonly<Record<string, boolean | null>>): [string, boolean][] {
  return Object.entries(checks).flatMap(([name, ok]): [string, boolean][] =>
    ok === null ? [] : [[name, ok]],
  )
}

async function verifyProof(
  receipt: Record<string, unknown>,
  files: { inputs?: string | undefined; keys?: string | undefined },
  io: Io,
): Promise<ExitCode> {
  const { findReceipt, isAbout, verifyReceipt } = await import('@touchstone/prover')
  const proof = findReceipt(receipt)
  if (proof === undefined) {
    throw new CliError('unreadable', 'Not a receipt that contains its proof.')
  }
  const keys = files.keys === undefined ? undefined : await keysFor(files.keys, io)
  const { valid, checks, journal, reason } = verifyReceipt(proof, keys)
  const document = files.inputs === undefined ? undefined : await readJson(files.inputs, io)
  const inputs = isJsonObject(document) ? (document['inputs'] ?? document) : document
  // isAbout accepts any value and returns false if it is not an inputs document.
  const isAboutInputs = document === undefined || isAbout(journal, inputs as OpenedInputs)
  return printVerdict(io, {
    valid: valid && isAboutInputs,
    checks: [
      ...checked(checks),
      ...(document === undefined ? [] : [['inputs', isAboutInputs] as const]),
    ],
    fault: reason ?? undefined,
    about: journal ?? {},
  })
}

type OpenedInputs = Parameters<typeof import('@touchstone/prover').isAbout>[1]

async function verifyBundleFile(
  path: string,
  keys: readonly TrustedKey[],
  io: Io,
): Promise<BundleVerification> {
  const input = openLines(path, io)
  try {
    return await verifyBundle(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }), keys)
  } catch (err) {
    throw unreadable(path, err)
  }
}

/** The policy for proofs of the log: the one given, or that of the service whose keys are used. */
async function policyFor(
  { policy, keys }: { policy?: string | undefined; keys?: string | undefined },
  io: Io,
): Promise<TlogPolicy | undefined> {
  if (policy === undefined && keys !== undefined) return undefined
  return policy === undefined
    ? parsePolicy(await publishedPolicy(io), 'the policy of the service')
    : parsePolicy(await readText(policy, io), policy)
}

async function publishedPolicy(io: Io): Promise<string> {
  const { client } = await connectPublic(io)
  return (await client.raw('GET', '/v1/log/policy')).text()
}

async function keysFor(file: string | undefined, io: Io): Promise<readonly TrustedKey[]> {
  if (file !== undefined) return parseKeys(await readJson(file, io), file)
  const { client, url } = await connectPublic(io)
  io.note(io.paint.faint(`using the keys of ${url}`))
  return parseKeys(await client.request('GET', '/v1/keys'), url)
}

export type Verdict = {
  valid: boolean
  checks: readonly (readonly [name: string, ok: boolean])[]
  fault: string | undefined
  /** The content of the document. */
  about: object
}

/** Prints a verdict and returns its exit code. */
export function printVerdict(io: Io, { valid, checks, fault, about }: Verdict): ExitCode {
  const json = { valid, checks: Object.fromEntries(checks), fault: fault ?? null, about }
  io.result(json, () =>
    fields([
      ...Object.entries(about).map(([name, value]) => [name, format(value)] as const),
      ...checks.map(
        ([name, ok]) => [name, ok ? io.paint.good('ok') : io.paint.bad('FAILED')] as const,
      ),
      ...(fault === undefined ? [] : [['fault', printable(fault)] as const]),
      ['valid', valid ? io.paint.good('yes') : io.paint.bad('no')],
    ]),
  )
  return valid ? 0 : 1
}

function format(value: unknown): string {
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}
