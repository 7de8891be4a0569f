import { createInterface } from 'node:readline'
import { isJsonObject } from '@touchstone/protocol/base'
import { type BundleVerification, verifyBundle } from '@touchstone/protocol/bundle'
import { hashCanonical } from '@touchstone/protocol/crypto'
import { type TrustedKey, verifyCertificate } from '@touchstone/protocol/evidence'
import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { CliError } from '../cli-error.ts'
import { command, type ExitCode } from '../command.ts'
import { keysIn, openLines, readJson, unreadable } from '../documents.ts'
import type { Io } from '../io.ts'
import { connectPublic } from '../service.ts'
import { fields, printable } from '../table.ts'

const KEYS = {
  keys: {
    type: 'string',
    value: 'FILE',
    summary: 'the published keys, as GET /v1/keys gave them; without, the service is asked',
  },
} as const

const OFFLINE = 'With --keys nothing is asked over the network.'

export const verifyCertificateCommand = command({
  path: ['verify', 'certificate'],
  summary: 'check the certificate of a checkpoint',
  details: OFFLINE,
  flags: KEYS,
  args: { file: { summary: 'the certificate, - for standard input' } },
  async run({ args, flags, io }) {
    const document = await readJson(args.file, io)
    const outcome = verifyCertificate(document, await keysFor(flags.keys, io))
    if (!outcome.wellFormed) {
      const [first] = outcome.problems
      throw new CliError(
        'unreadable',
        `${args.file}: no certificate: ${first?.path ?? ''} ${first?.message ?? ''}`,
      )
    }
    const { valid, checks, details } = outcome.verification
    const shown = Object.entries(checks).flatMap(([name, check]) =>
      check === null ? [] : [[name, check.valid] as const],
    )
    return answer(io, { valid, checks: shown, fault: valid ? undefined : details, about: {} })
  },
})

export const verifyBundleCommand = command({
  path: ['verify', 'bundle'],
  summary: 'check an evidence bundle and compute its score again',
  details: `${OFFLINE} "touchstone export AGENT --what bundle" fetches one.`,
  flags: KEYS,
  args: { file: { summary: 'the bundle, - for standard input' } },
  async run({ args, flags, io }) {
    const keys = await keysFor(flags.keys, io)
    const result = await verifyLines(args.file, keys, io)
    const [first] = result.faults
    return answer(io, {
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
  summary: 'check the receipt of a gateway decision, or of the proof of a risk score',
  details: `Which of the two it is shows in the file. ${OFFLINE} The receipt of a proof needs no keys at all.`,
  flags: {
    ...KEYS,
    arguments: {
      type: 'string',
      value: 'FILE',
      summary: 'of the call: check that the decision was about them',
    },
    inputs: {
      type: 'string',
      value: 'FILE',
      summary: 'of the assessment: check that the proof is about them',
    },
  },
  args: { file: { summary: 'the receipt or the answer around it, - for standard input' } },
  async run({ args, flags, io }) {
    const document = await readJson(args.file, io)
    const receipt = isJsonObject(document) ? (document['receipt'] ?? document) : document
    if (!isJsonObject(receipt)) throw new CliError('unreadable', `${args.file}: no receipt`)
    if ('proof' in receipt) return verifyProof(receipt, flags.inputs, io)
    const given = flags.arguments === undefined ? undefined : await readJson(flags.arguments, io)
    const outcome = verifyDecisionReceipt(receipt, await keysFor(flags.keys, io))
    const statement = outcome.valid ? outcome.statement : receipt['statement']
    const hash = isJsonObject(statement) ? statement['arguments_hash'] : undefined
    const isAboutCall = given === undefined || hash === hashCanonical(given)
    return answer(io, {
      valid: outcome.valid && isAboutCall,
      checks: [
        ['signature', outcome.valid],
        ...(given === undefined ? [] : ([['arguments', isAboutCall]] as const)),
      ],
      fault: outcome.valid ? undefined : outcome.fault,
      about: isJsonObject(statement) ? statement : {},
    })
  },
})

async function verifyProof(
  receipt: Record<string, unknown>,
  inputsFile: string | undefined,
  io: Io,
): Promise<ExitCode> {
  const { findReceipt, isAbout, verifyReceipt } = await import('@touchstone/prover')
  const found = findReceipt(receipt)
  if (found === undefined) {
    throw new CliError('unreadable', 'This is no receipt with its proof in it.')
  }
  const { valid, checks, journal, reason } = verifyReceipt(found)
  const opened = inputsFile === undefined ? undefined : await readJson(inputsFile, io)
  const inputs = isJsonObject(opened) ? (opened['inputs'] ?? opened) : opened
  // isAbout takes anything and says no to what is no such document.
  const about = opened === undefined || isAbout(journal, inputs as OpenedInputs)
  return answer(io, {
    valid: valid && about,
    checks: [
      ...Object.entries(checks),
      ...(opened === undefined ? [] : [['inputs', about] as const]),
    ],
    fault: reason ?? undefined,
    about: journal ?? {},
  })
}

type OpenedInputs = Parameters<typeof import('@touchstone/prover').isAbout>[1]

async function verifyLines(
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
  if (file !== undefined) return keysIn(await readJson(file, io), file)
  const { client, url } = await connectPublic(io)
  io.note(io.paint.faint(`keys of ${url}`))
  return keysIn(await client.request('GET', '/v1/keys'), url)
}

export type Verdict = {
  valid: boolean
  checks: readonly (readonly [name: string, ok: boolean])[]
  fault: string | undefined
  /** What the document says, now known to be true or not. */
  about: object
}

/** Prints a verdict and gives its exit code. */
export function answer(io: Io, { valid, checks, fault, about }: Verdict): ExitCode {
  const json = { valid, checks: Object.fromEntries(checks), fault: fault ?? null, about }
  io.result(json, () =>
    fields([
      ...Object.entries(about).map(([name, value]) => [name, shown(value)] as const),
      ...checks.map(
        ([name, ok]) => [name, ok ? io.paint.good('ok') : io.paint.bad('FAILED')] as const,
      ),
      ...(fault === undefined ? [] : [['fault', printable(fault)] as const]),
      ['valid', valid ? io.paint.good('yes') : io.paint.bad('no')],
    ]),
  )
  return valid ? 0 : 1
}

function shown(value: unknown): string {
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}
