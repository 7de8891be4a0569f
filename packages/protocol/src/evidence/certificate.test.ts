import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../base/canonical-json.ts'
import { bytesToBase64, bytesToHex, hexToBytes } from '../base/encoding.ts'
import { keyId } from '../crypto/keys.ts'
import { ed25519PublicKey, signEd25519 } from '../crypto/signature.ts'
import { leafHash } from '../merkle/merkle.ts'
import { createMerkleTree } from '../merkle/merkle-tree.ts'
import { type TreeHead, treeHeadPayload, verifyTreeHead } from '../merkle/tree-head.ts'
import {
  assembleCertificate,
  type Certificate,
  certificateContent,
  certificateHash,
  signedPayload,
} from './certificate.ts'
import { chainHash } from './hash-chain.ts'
import { buildRecord, type RecordParts, recordHash } from './record.ts'

type Vectors = {
  seed: string
  base_url: string
  checkpoints: {
    parts: RecordParts & { issued_at: string }
    certificate: Certificate
    certificate_hash: string
  }[]
  tree_head: { head: TreeHead; payload: string; signature: string }
}
function readVectors(name: string): Vectors {
  const file = new URL(`../../../../vectors/attestation/${name}`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8'))
}
const vectors = readVectors('certificate.json')
/** A chain that continues from version 1.0.0 to 1.1.0. */
const newer = readVectors('certificate-1.1.json')
const seed = hexToBytes(vectors.seed)
const publicKey = ed25519PublicKey(seed)

/** Reissues all certificates of the vectors from their parts, as a service would. */
function issueAll(of: Vectors): { certificates: Certificate[]; root: Uint8Array } {
  const tree = createMerkleTree()
  let previous: string | null = null
  const certificates = of.checkpoints.map(({ parts }, position) => {
    const record = buildRecord(parts)
    const input = { previous, position, recordHash: recordHash(record) }
    const link = { ...input, chainHash: chainHash(input) }
    previous = link.chainHash
    const content = certificateContent({
      record,
      issuedAt: parts.issued_at,
      link,
      inclusion: parts.claims.synthetic ? null : include(link.chainHash),
      baseUrl: of.base_url,
    })
    return assembleCertificate(content, {
      keyId: keyId(publicKey),
      signature: signEd25519(signedPayload(content), seed),
    })
  })
  function include(ofChainHash: string) {
    const leaf = leafHash(hexToBytes(ofChainHash))
    const index = tree.append(leaf)
    const proof = tree.inclusionProof(index)
    return { leaf, index, size: tree.size, proof, root: tree.root() }
  }
  return { certificates, root: tree.root() }
}

describe('the certificates of the vectors', () => {
  it.each([{ of: vectors }, { of: newer }])(
    'are reproduced from their parts, byte for byte',
    ({ of }) => {
      const { certificates } = issueAll(of)
      for (const [i, { certificate, certificate_hash }] of of.checkpoints.entries()) {
        expect(certificates[i]).toEqual(certificate)
        expect(certificateHash(certificate)).toBe(certificate_hash)
      }
      expect(certificates).toHaveLength(of.checkpoints.length)
    },
  )

  it('have an origin and sign their URLs from version 1.1.0 on', () => {
    const signed = ({ certificate }: { certificate: Certificate }) =>
      JSON.parse(certificate.proofs.signature.signed_payload)
    for (const one of [...vectors.checkpoints, ...newer.checkpoints]) {
      const { version, subject, verification } = one.certificate
      const isNewer = version === '1.1.0'
      expect('provenance' in subject).toBe(isNewer)
      expect(signed(one).verification).toEqual(isNewer ? verification : undefined)
    }
    const versions = newer.checkpoints.map(({ certificate }) => certificate.version)
    expect(versions).toEqual(['1.0.0', '1.1.0', '1.1.0', '1.1.0', '1.1.0'])
    expect(newer.checkpoints[0]?.certificate).toEqual(vectors.checkpoints[0]?.certificate)
  })

  it('start with the certificate of the specification', () => {
    const [first] = vectors.checkpoints
    expect(first?.certificate_hash).toBe(
      'fe6f3f7d347d5ef191e3a1c0da3c230cf7c2d614243c04ae233a65081ffd793c',
    )
    expect(first?.certificate.proofs.signature.value).toBe(
      'jbUW6UOuetFv2BCjbfJzP7x4pyQ3C7xP5TyJ9uqSrwbwdkLmkgs6/rSM+yyo/8iuE1egDCOIl+V9gmUF/53iCg==',
    )
    expect(first?.certificate.certificate_id).toBe('cert-5072704576cf9042')
    expect(first?.certificate.proofs.merkle?.leaf_hash).toMatch(/^5cd8e08cee99703b/)
  })

  it('have a signed payload in canonical form', () => {
    for (const { certificate } of [...vectors.checkpoints, ...newer.checkpoints]) {
      const { signed_payload } = certificate.proofs.signature
      expect(canonicalJson(JSON.parse(signed_payload))).toBe(signed_payload)
    }
  })

  it('have no Merkle proof for a synthetic checkpoint', () => {
    const synthetic = vectors.checkpoints.find(({ parts }) => parts.claims.synthetic)
    const payload = JSON.parse(synthetic?.certificate.proofs.signature.signed_payload ?? '{}')
    expect(payload).toMatchObject({ leaf_index: null, merkle_root: null, tree_size: null })
  })
})

describe('the tree head', () => {
  const { head, payload, signature } = vectors.tree_head
  const proof = { signature, publicKey: bytesToHex(publicKey) }

  it('matches the published one', () => {
    expect(bytesToHex(issueAll(vectors).root)).toBe(head.merkle_root)
    const answer = { ...head, last_updated: 'now' }
    expect(treeHeadPayload(answer)).toBe(payload)
    expect(bytesToBase64(signEd25519(payload, seed))).toBe(signature)
    expect(verifyTreeHead(head, proof)).toBe(true)
  })

  it('does not verify if anything is changed', () => {
    expect(verifyTreeHead({ ...head, leaf_count: head.leaf_count + 1 }, proof)).toBe(false)
    expect(verifyTreeHead({ ...head, agent_id: 'agent-other' }, proof)).toBe(false)
    expect(verifyTreeHead({ ...head, merkle_root: '0'.repeat(64) }, proof)).toBe(false)
    expect(verifyTreeHead(head, { ...proof, signature: `${signature} ` })).toBe(false)
    expect(verifyTreeHead(head, { ...proof, publicKey: '0'.repeat(64) })).toBe(false)
  })
})
