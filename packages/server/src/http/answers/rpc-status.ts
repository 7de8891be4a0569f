import { numberField, textField } from '../body/protobuf.ts'

/** google.rpc.Code of the statuses we refuse with; what is missing here is an invalid argument. */
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

/** google.rpc.Status in protobuf. */
export function statusMessage(problem: { status: number; message: string }): Buffer {
  return Buffer.concat([numberField(1, rpcCodeOf(problem.status)), textField(2, problem.message)])
}
