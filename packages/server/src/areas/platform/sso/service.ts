import { type Db, transact } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import { type ConfigDeps, createConfigService } from './config-service.ts'
import { createConfigStore } from './config-store.ts'
import { createEnforcement } from './enforcement-service.ts'
import { createOidcClient } from './oidc-client.ts'
import { createSignInService } from './sign-in-service.ts'
import { createSsoStore } from './store.ts'

export type SsoDeps = ConfigDeps

export type SsoService = ReturnType<typeof createSsoService>

export function createSsoService(deps: SsoDeps) {
  const client = createOidcClient(deps)
  const enforcement = createEnforcement(deps)
  const configuration = createConfigService({ ...deps, client, evict: enforcement.evict })
  const signIns = createSignInService({ ...deps, client })
  return {
    find: configuration.find,
    configure: configuration.configure,
    remove: configuration.remove,
    test: configuration.test,

    checkDomain: signIns.checkDomain,
    metadata: signIns.metadata,
    login: signIns.login,
    accept: signIns.accept,
    callback: signIns.callback,
    exchange: signIns.exchange,

    /**
     * The organisations among these that accept only their own single sign-on, except for owners.
     */
    enforcedOrgs: enforcement.enforcedOrgs,

    close: lifecycle.close,
    reopen: lifecycle.reopen,
    erase: lifecycle.erase,

    /** Deletes expired requests, codes and used assertions; returns how many. */
    purge: (now: Date): Promise<number> =>
      transact(deps.db, (tx) => createSsoStore(tx).deleteExpired(now)),
  }
}

/**
 * Reactions to the deletion, restoration and erasure of an organisation. A deleted organisation
 * keeps its configuration and domains until it is erased, so that it can be restored, but nobody
 * can sign in with them.
 */
const lifecycle = {
  close: (tx: Db, orgId: OrgId): Promise<void> => createConfigStore(tx).setClosed(orgId, true),

  reopen: (tx: Db, orgId: OrgId): Promise<void> => createConfigStore(tx).setClosed(orgId, false),

  async erase(tx: Db, orgId: OrgId): Promise<void> {
    await createConfigStore(tx).delete(orgId)
    await createSsoStore(tx).deleteAssertionsOf(orgId)
  },
}
