import type { Client } from '../client.ts'
import type { Body, CallOptions } from '../operation.ts'

const PACKS = '/v1/orgs/{org_id}/evidence-pack'
const PACK = '/v1/orgs/{org_id}/evidence-pack/{pack_id}'

/** Evidence packs: the records of a period, with proofs that none is missing. */
export function createEvidencePacksApi(client: Client) {
  const forOrg = (orgId: string, call?: CallOptions) => ({ ...call, params: { org_id: orgId } })
  const forPack = (orgId: string, packId: string, call?: CallOptions) => ({
    ...call,
    params: { org_id: orgId, pack_id: packId },
  })
  return {
    /** The pack is built in the background; poll `get` until its status is ready. */
    request: (orgId: string, body: Body<'POST', typeof PACKS>, call?: CallOptions) =>
      client.request('POST', PACKS, { ...forOrg(orgId, call), body }),
    list: (orgId: string, call?: CallOptions) => client.request('GET', PACKS, forOrg(orgId, call)),
    get: (orgId: string, packId: string, call?: CallOptions) =>
      client.request('GET', PACK, forPack(orgId, packId, call)),
    /** The response, whose body is the ZIP file. */
    download: (orgId: string, packId: string, call?: CallOptions): Promise<Response> =>
      client.raw('GET', `${PACK}/download`, {
        ...forPack(orgId, packId, call),
        headers: { accept: 'application/zip' },
      }),
  }
}
