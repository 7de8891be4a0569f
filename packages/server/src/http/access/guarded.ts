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
>
