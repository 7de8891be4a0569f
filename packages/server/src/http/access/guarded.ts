import type { FastifyRequest } from 'fastify'

/**
 * What the guard, and whatever runs behind it, asks of a request: the framework's has it all, and
 * so has a call that is answered without the framework (ADR 0026).
 */
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
