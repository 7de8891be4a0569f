import type { VerifyMessage, VerifyRequest } from './verification.ts'
import { verifyEvidence } from './verify-evidence.ts'

const tell = (message: VerifyMessage) => postMessage(message)

addEventListener('message', (event: MessageEvent<VerifyRequest>) => {
  verifyEvidence(event.data, (progress) => tell({ progress })).then(
    (verification) => tell({ verification }),
    (err: unknown) => tell({ failure: err instanceof Error ? err.message : String(err) }),
  )
})
