import type { paths } from './api.ts'

/** What a call takes and gives, read from the types of the interface. Nothing here runs. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The paths that have the method. */
export type Path<M extends Method> = {
  [P in keyof paths]: paths[P][Lowercase<M>] extends { responses: unknown } ? P : never
}[keyof paths]

export type Operation<M extends Method, P extends Path<M>> = paths[P][Lowercase<M>]

/** The answer's body; undefined where there is none, text where it is not JSON. */
export type Answer<M extends Method, P extends Path<M>> = AnswerOf<Operation<M, P>>

/** What the request's body may be; a text is sent as YAML, where the path takes YAML. */
export type Body<M extends Method, P extends Path<M>> =
  BodyPart<Operation<M, P>> extends { body?: infer B } ? Exclude<B, undefined> : never

export type Query<M extends Method, P extends Path<M>> =
  QueryPart<Operation<M, P>> extends { query?: infer Q } ? Exclude<Q, undefined> : never

export type CallOptions = {
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal | undefined
  /** Instead of one made for this call; the same key again gives the same answer for 24 hours. */
  idempotencyKey?: string
}

export type Options<M extends Method, P extends Path<M>> = OptionsOf<Operation<M, P>>

/** The options may be left out where nothing in them is needed. */
export type OptionsArgument<M extends Method, P extends Path<M>> = ArgumentOf<Operation<M, P>>

// Both go through the operations one by one: all their parts crossed would be too many for the
// compiler while it does not know the path yet.
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
  ? { query: Lax<Q> }
  : Op extends { parameters: { query?: infer Q } }
    ? [Exclude<Q, undefined>] extends [never]
      ? object
      : { query?: Lax<Exclude<Q, undefined>> | undefined }
    : object

/** What may be left out may also be undefined. */
type Lax<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] }

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
