import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newToken } from '../../../kernel/ids.ts'
import type { AdmissionService } from './admission-service.ts'
import type { AssertedPerson } from './assertion.ts'
import type { SamlConfig } from './config-store.ts'
import type { Origin } from './ports.ts'
import type { Refusal } from './refusal.ts'
import { type LoginStep, loginStep, readResponse, serviceProviderOf } from './saml.ts'
import { createSsoStore } from './store.ts'

export type SamlDeps = { db: Db; clock: Clock; baseUrl: string; admission: AdmissionService }

export function createSamlSignIn(deps: SamlDeps) {
  return {
    async start(config: SamlConfig): Promise<{ step: LoginStep; requestId: string }> {
      // An xs:ID starts with a letter or an underscore.
      const requestId = newToken('_')
      const sp = serviceProviderOf(deps.baseUrl, config.orgId)
      return { step: await loginStep(sp, config.provider, requestId), requestId }
    },

    /**
     * Returns the dashboard's URL with a one-time code, or why the response is refused. The browser
     * is checked when the code is exchanged: this request comes from the provider's page, so the
     * browser does not send the cookie with it.
     */
    async accept(
      config: SamlConfig,
      samlResponse: string,
      origin: Origin,
    ): Promise<{ ok: true; url: string } | { ok: false; refusal: Refusal }> {
      const { orgId, provider, allowedDomains, groupsClaim } = config
      const sp = serviceProviderOf(deps.baseUrl, orgId)
      const now = deps.clock.now()
      const read = await readResponse(samlResponse, {
        sp,
        provider,
        allowedDomains,
        groupsClaim,
        now,
      })
      if (!read.ok) {
        const { refusal } = read
        if (read.authentic) await deps.admission.recordRefusal({ orgId, refusal, origin })
        return { ok: false, refusal }
      }
      const { identity } = read
      const outcome = await transact(deps.db, (tx) => use(deps, tx, { config, identity, origin }))
      if (!outcome.ok) {
        await deps.admission.recordRefusal({ orgId, refusal: outcome.refusal, origin })
      }
      return outcome
    },
  }
}

/** Uses up assertion and request, which also refuses responses that nobody here asked for. */
async function use(
  deps: SamlDeps,
  tx: Db,
  input: { config: SamlConfig; identity: AssertedPerson; origin: Origin },
): Promise<{ ok: true; url: string } | { ok: false; refusal: Refusal }> {
  const { config, identity, origin } = input
  const { orgId, provider } = config
  const store = createSsoStore(tx)
  if (!(await store.useAssertion(orgId, identity.assertionId, identity.expiresAt))) {
    return { ok: false, refusal: 'replayed' }
  }
  const asked = { orgId, requestId: identity.inResponseTo, provider: provider.entityId }
  const request = await store.takeRequest(asked, deps.clock.now())
  if (request === undefined) return { ok: false, refusal: 'request_unknown' }
  const { nameId: subject, email, name, groups } = identity
  const person = { subject, email, name, groups }
  return {
    ok: true,
    url: await deps.admission.admit(tx, { config, identity: person, request, origin }),
  }
}
