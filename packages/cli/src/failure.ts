import { ApiError } from '@touchstone/sdk'
import { CliError } from './cli-error.ts'
import type { Paint } from './paint.ts'
import { reasonOf, unreachableReason } from './reason.ts'
import { printable } from './table.ts'

type Failure = { error: string; message: string; status?: number; request_id?: string | undefined }

/** One-line error message, for a terminal or as JSON. */
export function describeFailure(err: unknown, { json, paint }: { json: boolean; paint: Paint }) {
  const failure = failureOf(err)
  return json
    ? JSON.stringify(failure)
    : `${paint.bad('touchstone:')} ${printable(failure.message)}`
}

function failureOf(err: unknown): Failure {
  if (err instanceof CliError) return { error: err.code, message: err.message }
  if (err instanceof ApiError) {
    const { status, code, requestId } = err
    const message = `${err.message} (${status} ${code})${detailsOf(err)}${adviceOf(err)}`
    return { error: code, message, status, request_id: requestId }
  }
  if (isUnreachable(err)) {
    return {
      error: 'unreachable',
      message: `The service does not answer: ${unreachableReason(err)}`,
    }
  }
  return { error: 'failed', message: reasonOf(err) }
}

function adviceOf({ status, message }: ApiError): string {
  const isUnknownAgent = status === 404 && message.startsWith('No such agent')
  return isUnknownAgent ? ' "touchstone agents list" lists the agents.' : ''
}

function detailsOf({ details }: ApiError): string {
  const lines = details.map(({ path = '', message = '' }) => ` ${path} ${message}`.trimEnd())
  return lines.length === 0 ? '' : `:${lines.join(';')}`
}

/** fetch reports a failed connection as a TypeError with this message. */
export function isUnreachable(err: unknown): boolean {
  return err instanceof TypeError && err.message === 'fetch failed'
}
