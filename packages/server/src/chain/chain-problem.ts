import { Problem } from '../kernel/problem.ts'
import { RpcError } from './json-rpc.ts'

/** What a call of the chain threw, as callers are told. Rethrows anything else as it is. */
export function chainProblem(err: unknown): unknown {
  if (!(err instanceof RpcError)) return err
  return new Problem('chain_unavailable', operatorHint(err) ?? UNAVAILABLE, { cause: err })
}

/** Where only the operator can help, the message says how. */
export function operatorHint(err: RpcError): string | undefined {
  return err.message.includes('CHAIN_RPC_URL') ? err.message : undefined
}

const UNAVAILABLE = 'The chain does not answer. Try again shortly.'
