import { createInterface } from 'node:readline'
import { isJsonObject } from '@touchstone/protocol/base'
import { type BundleVerification, verifyBundle } from '@touchstone/protocol/bundle'
import { hashCanonical } from '@touchstone/protocol/crypto'
import {
  attestedProvenance,
  type TrustedKey,
  verifyCertificate,
} from '@touchstone/protocol/evidence'
import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { CliError } from '../cli-error.ts'
import { command, type ExitCode } from '../command.ts'
import { openLines, parseKeys, readJson, unreadable } from '../documents.ts'
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

export const verifyCertificateCommand = command({
  path: ['verify', 'certificate'],
  summary: 'verify the certificate of a checkpoint',
  details: OFFLINE,
  flags: KEYS,
  args: { file: { summary: 'the certificate; - for standard input' } },
  async run({ args, flags, io }) {
    const document = await readJson(args.file, io)
    const outcome = verifyCertificate(document, await keysFor(flags.keys, io))
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
    const { certificate_id, version, subject } = outcome.certificate
    const about = { certificate_id, version, ...subject, provenance: attestedProvenance(subject) }
    return printVerdict(io, { valid, checks: shown, fault: valid ? undefined : details, about })
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
    const given = flags.arguments === undefined ? undefined : await readJson(flags.arguments, io)
    const outcome = verifyDecisionReceipt(receipt, await keysFor(flags.keys, io))
    const statement = outcome.valid ? outcome.statement : receipt['statement']
    const hash = isJsonObject(statement) ? statement['arguments_hash'] : undefined
    const isAboutCall = given === undefined || hash === hashCanonical(given)
    return printVerdict(io, {
      valid: outcome.valid && isAboutCall,
      checks: [
        ...checked(outcome.checks),
        ...(given === undefined ? [] : ([['arguments', isAboutCall]] as const)),
      ],
      fault: outcome.valid ? argumentsFault(isAboutCall) : outcome.fault,
      about: isJsonObject(statement) ? statement : {},
    })
  },
})

function argumentsFault(isAboutCall: boolean): string | undefined {
  return isAboutCall ? undefined : 'the decision was about a call with other arguments'
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
