import { canonicalJson } from '../base/canonical-json.ts'
import { base64ToBytes, hexToBytes } from '../base/encoding.ts'
import { verifyEd25519 } from '../crypto/signature.ts'

/** An agent's tree at one point in time: root and size belong together (see merkle.ts). */
export type TreeHead = { agent_id: string; leaf_count: number; merkle_root: string }

/** The text signed in the response of GET /v1/agents/{id}/merkle-root. */
export function treeHeadPayload({ agent_id, leaf_count, merkle_root }: TreeHead): string {
  return canonicalJson({ agent_id, leaf_count, merkle_root })
}

/** The signature is base64 and the public key hex, both as returned by the API. */
export function verifyTreeHead(
  head: TreeHead,
  { signature, publicKey }: { signature: string; publicKey: string },
): boolean {
  const bytes = base64ToBytes(signature)
  if (bytes === undefined) return false
  return verifyEd25519({
    signature: bytes,
    message: treeHeadPayload(head),
    publicKey: hexToBytes(publicKey),
  })
}
