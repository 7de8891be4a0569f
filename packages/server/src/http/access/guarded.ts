import type { FastifyRequest } from 'fastify'

/** The part of a request that the guard and the code behind it read. */
export type GuardedRequest = Pick<
  FastifyRequest,
  | 'id'
  | 'method'
  | 'url'
  | 'headers'
  | 'params'
  | 'socket'
  | 'body'
  | 'route'
  | 'caller'
  | 'tenant'
  | 'clientIp'
>
