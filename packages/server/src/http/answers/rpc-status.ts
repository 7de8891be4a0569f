import { numberField, textField } from '../body/protobuf.ts'

/** Maps error statuses to google.rpc.Code; any other status is INVALID_ARGUMENT. */
const CODES: Readonly<Record<number, number>> = {
  401: 16,
  402: 7,
  403: 7,
  404: 5,
  409: 10,
  412: 9,
  429: 8,
  500: 13,
  502: 14,
  503: 14,
}
const INVALID_ARGUMENT = 3

export function rpcCodeOf(status: number): number {
  return CODES[status] ?? INVALID_ARGUMENT
}

/** Encodes google.rpc.Status as protobuf. */
export function statusMessage(problem: { status: number; message: string }): Buffer {
  return Buffer.concat([numberField(1, rpcCodeOf(problem.status)), textField(2, problem.message)])
}
