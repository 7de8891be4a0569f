import type { FastifyRequest } from 'fastify'

/** The part of a request that the guard and the code behind it read. */
export type GuardedRequest = Pick<
  FastifyRequest,
  | 'id'
  | 'method'
  | 'url'
  | 'headers'
  | 'raw'
  | 'params'
  | 'query'
  | 'socket'
  | 'body'
  | 'route'
  | 'caller'
  | 'tenant'
  | 'clientIp'
  | 'charge'
>

export function pathParam(req: GuardedRequest, name: string): string | undefined {
  const params = req.params
  if (typeof params !== 'object' || params === null) return undefined
  const value: unknown = Object.getOwnPropertyDescriptor(params, name)?.value
  return typeof value === 'string' ? value : undefined
}
