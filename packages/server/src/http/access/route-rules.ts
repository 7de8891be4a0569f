import type { HTTPMethods } from 'fastify'
import type { Feature, Operation } from '../../access.ts'
import type { GuardedRequest } from './guarded.ts'

/**
 * public: no credential required; a valid one may show more, an invalid one is ignored.
 * user: any signed-in user. platform: platform administrators. Otherwise an operation of the
 * access table, in the organisation that the path names or the caller acts for.
 */
export type Access = 'public' | 'user' | 'platform' | Operation

export type RouteRules = {
  access: Access
  /**
   * The source of the organisation: the agent or team in the path, or the handler, which finds it
   * in the body or a resource and calls `enterTenant`. Default: the organisation in the path, or
   * else the one that the caller acts for. An agent must belong to the organisation in the path.
   */
  tenantFrom?: 'agent' | 'team' | 'handler'
  /** Runs before role and scope are checked, for refusals that must not depend on them. */
  checkFirst?: (req: GuardedRequest) => Promise<void>
  /** The body has the id of a new agent, which is taken as it was given. */
  registersAgent?: true
  /** How often a request answered 409 counts towards the limit per minute. */
  conflictCost?: number
  /** The handler counts a request with several calls as often as it costs. */
  costFrom?: 'handler'
  /**
   * handler: the handler confines keys that are bound to an agent (see bound-key.ts). key: a body without
   * an agent is about the agent of the key.
   */
  agentFrom?: 'handler' | 'key'
  /** The list in the body whose items name agents, if its schema leaves the items open. */
  agentsIn?: string
  /** Shows the state of an agent, which keys with the scope decide can read (spec: decisions §6). */
  showsAgentState?: true
  /** The error code for an unknown agent, which differs between areas (spec: governance §0). */
  unknownAgent?: 'not_found'
  /** A further limit per minute, caller and value of one path parameter. */
  perMinuteFor?: { param: string; limit: number }
  /**
   * Requests per minute, caller and route (spec: interface, Limits; spec: platform §3). `plan`: only
   * the plan's limit per second applies.
   */
  perMinute: number | 'plan' | 'unlimited'
  /** Sign-in routes count per client address even if the request has a credential. */
  limitBy?: 'address'
  /** Reaches beyond one organisation, so it is denied to users confined to one (spec: platform §4.3). */
  crossesOrgs?: true
  /** Answers 403 unless the plan includes the feature; 402 for intelligence. */
  feature?: Feature
  /**
   * The shape of errors. text: `{"error": text}`, for teams (spec: platform §1.3). rpc:
   * google.rpc.Status, in the encoding of the request.
   */
  envelope?: 'text' | 'rpc'
  /**
   * Reads of the route can go to a read replica: replica, as the primary would answer; stale, also
   * while there is no primary, which the answer then says. For routes that write nothing.
   */
  reads?: 'replica' | 'stale'
  /** The handler decides whether the first answer to an Idempotency-Key still holds. */
  replays?: 'handler'
  /** Fields of the response that are null in an idempotent replay. */
  secrets?: readonly string[]
  /** The error code for invalid input, if not 400 (spec: risk §0). */
  invalidAs?: 'validation_error'
  /** Error statuses for the OpenAPI document, besides those that the rules imply. */
  refuses?: readonly number[]
  /** Rejects integers in a JSON body that a double cannot hold. */
  exactIntegers?: true
  /**
   * The handler gets the bytes of the body, and parses and validates them itself or has a worker thread
   * do it.
   */
  parses?: 'worker' | 'handler'
  /** Media types of the body and the response; default JSON. */
  media?: 'json' | 'form' | 'document' | 'events' | 'protobuf'
}

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<RouteRules> {}
  interface FastifyRequest {
    /** Cached part of `routeOptions`, which Fastify creates again on each access. */
    route: {
      url: string | undefined
      method: HTTPMethods | HTTPMethods[]
      bodyLimit: number | undefined
      schema: FastifySchema | undefined
      config: FastifyContextConfig
    }
  }
}
