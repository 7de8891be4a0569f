import type { HTTPMethods } from 'fastify'
import type { Feature, Operation } from '../../access.ts'

/**
 * public: no credential needed, a valid one widens the view, an invalid one is ignored.
 * user: any signed-in person. platform: platform administrators. Otherwise an operation of the
 * access table, in the organisation the path names or the caller acts for.
 */
export type Access = 'public' | 'user' | 'platform' | Operation

export type RouteRules = {
  access: Access
  /**
   * Where the organisation comes from: the agent or team in the path, or the handler, which knows
   * it from the body or a resource and enters it with `enterTenant`. By default the one in the path,
   * else the one the caller acts for. An agent must be of the one in the path, if both are.
   */
  tenantFrom?: 'agent' | 'team' | 'handler'
  /** The sections differ in what they call an agent that is not there (spec: governance §0). */
  unknownAgent?: 'not_found'
  /** Besides, at most this many a minute per caller and value of one path parameter. */
  perMinuteFor?: { param: string; limit: number }
  /**
   * Per caller and route, from the interface's Limits and spec: platform §3. `plan`: as often as the plan's
   * limit per second lets the caller, whatever a minute adds up to.
   */
  perMinute: number | 'plan' | 'unlimited'
  /** Sign-in routes count per client address even when a credential is shown. */
  limitBy?: 'address'
  /** Refused to people confined to one organisation, because it leads out of it (spec: platform §4.3). */
  leadsOut?: true
  /** The plan must include it, else 403; intelligence answers 402. */
  feature?: Feature
  /**
   * text: the teams area answers errors as `{"error": text}` only (spec: platform §1.3). rpc: as
   * google.rpc.Status, in the encoding of the request.
   */
  envelope?: 'text' | 'rpc'
  /** Fields of the answer that an idempotent replay shows as null. */
  secrets?: readonly string[]
  /** What bad input is answered with, where a section does not say 400 (spec: risk §0). */
  invalidAs?: 'validation_error'
  /** Statuses this route refuses with beyond those its rules imply; they go into the document. */
  refuses?: readonly number[]
  /** What the body, or what is read, may be; JSON unless a section says otherwise. */
  media?: 'json' | 'form' | 'document' | 'events' | 'protobuf'
}

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<RouteRules> {}
  interface FastifyRequest {
    /** The little of `routeOptions` that is asked for; those are made anew at each look. */
    route: {
      url: string | undefined
      method: HTTPMethods | HTTPMethods[]
      bodyLimit: number | undefined
      schema: FastifySchema | undefined
      config: FastifyContextConfig
    }
  }
}
