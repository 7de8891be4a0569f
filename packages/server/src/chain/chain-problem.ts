import { Problem } from '../kernel/problem.ts'
import { RpcError } from './json-rpc.ts'

/** Maps an RPC error to the problem shown to callers. Returns any other error unchanged. */
export function chainProblem(err: unknown): unknown {
  if (!(err instanceof RpcError)) return err
  return new Problem('chain_unavailable', operatorHint(err) ?? UNAVAILABLE, { cause: err })
}

/** Advice for failures that only the operator can fix. */
export function operatorHint(err: RpcError): string | undefined {
  return err.message.includes('CHAIN_RPC_URL') ? err.message : undefined
}

const UNAVAILABLE = 'The chain does not answer. Try again shortly.'
