import type { paths } from './api.ts'

/** Request and response types of each operation, derived from the generated API types. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The paths that support the method. */
export type Path<M extends Method> = {
  [P in keyof paths]: paths[P][Lowercase<M>] extends { responses: unknown } ? P : never
}[keyof paths]

export type Operation<M extends Method, P extends Path<M>> = paths[P][Lowercase<M>]

/** The response body: text if it is not JSON, undefined if there is none. */
export type Answer<M extends Method, P extends Path<M>> = AnswerOf<Operation<M, P>>

/** The request body. A string is sent as YAML, on paths that accept YAML. */
export type Body<M extends Method, P extends Path<M>> =
  BodyPart<Operation<M, P>> extends { body?: infer B } ? Exclude<B, undefined> : never

export type Query<M extends Method, P extends Path<M>> =
  QueryPart<Operation<M, P>> extends { query?: infer Q } ? Exclude<Q, undefined> : never

export type CallOptions = {
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
  /** Replaces the generated key. Repeating a key replays the stored response for 24 hours. */
  idempotencyKey?: string
}

export type Options<M extends Method, P extends Path<M>> = OptionsOf<Operation<M, P>>

/** The options argument is optional if none of its members is required. */
export type OptionsArgument<M extends Method, P extends Path<M>> = ArgumentOf<Operation<M, P>>

// Both distribute over the operations: the cross product of all their parts would be too large for
// the compiler while the path is still a type parameter.
type OptionsOf<Op> = Op extends unknown
  ? CallOptions & ParamsPart<Op> & QueryPart<Op> & BodyPart<Op>
  : never

type ArgumentOf<Op> = Op extends unknown
  ? object extends OptionsOf<Op>
    ? [options?: OptionsOf<Op>]
    : [options: OptionsOf<Op>]
  : never

type ParamsPart<Op> = Op extends { parameters: { path: infer P } } ? { params: P } : object

type QueryPart<Op> = Op extends { parameters: { query: infer Q } }
  ? { query: AllowUndefined<Q> }
  : Op extends { parameters: { query?: infer Q } }
    ? [Exclude<Q, undefined>] extends [never]
      ? object
      : { query?: AllowUndefined<Exclude<Q, undefined>> | undefined }
    : object

/** Allows undefined for optional members. */
type AllowUndefined<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] }

type BodyPart<Op> = Op extends { requestBody: { content: infer C } }
  ? { body: BodyOf<C> }
  : Op extends { requestBody?: infer R }
    ? Exclude<R, undefined> extends { content: infer C }
      ? { body?: BodyOf<C> | undefined }
      : object
    : object

type BodyOf<C> = C extends { 'application/json': infer B }
  ? B | (C extends { 'application/yaml': unknown } ? string : never)
  : C extends { 'application/x-www-form-urlencoded': infer F }
    ? F
    : never

type AnswerOf<Op> = Op extends { responses: infer R } ? AnswerOfEach<R[keyof R]> : never

type AnswerOfEach<A> = A extends { content: infer C }
  ? C extends { 'application/json': infer B }
    ? B
    : string
  : undefined
