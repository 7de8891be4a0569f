/** The part of `@strands-agents/sdk` that the adapter imports, so that the SDK compiles without it. */
declare module '@strands-agents/sdk' {
  export const ExecuteToolStage: object
  export const InvokeModelStage: object
  export class TextBlock {
    constructor(text: string)
  }
  export class ToolResultBlock {
    constructor(result: { toolUseId: string; status: 'error'; content: TextBlock[] })
    readonly status: 'success' | 'error'
    readonly error?: Error
  }
}
