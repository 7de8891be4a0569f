/** The part of `@google/adk` that the adapter imports, so that the SDK compiles without it. */
declare module '@google/adk' {
  export abstract class BasePlugin {
    constructor(name: string)
    readonly name: string
  }
}
