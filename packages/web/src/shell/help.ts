/** The document that explains a page, by the page's path in the organisation; the first match holds. */
const HELP = [
  [/^\/agents\/[^/]+\/(sessions|checkpoints|traces|drift)/, 'concepts/evidence'],
  [/^\/agents\/[^/]+\/violations/, 'guide/appeal'],
  [/^\/agents\/[^/]+\/card/, 'concepts/cards'],
  [/^\/agents\/[^/]+\/simulator/, 'concepts/score'],
  [/^\/agents\/[^/]+\/tools/, 'guide/mcp'],
  [/^\/agents\/[^/]+\/connections/, 'guide/model-gateway'],
  [/^\/agents\/[^/]+\/control/, 'guide/containment'],
  [/^\/agents/, 'guide/agents'],
  [/^\/connect/, 'connect/README'],
  [/^\/policies/, 'concepts/policies'],
  [/^\/decisions/, 'guide/gateway'],
  [/^\/approvals/, 'guide/gateway#require-approval'],
  [/^\/teams/, 'guide/teams'],
  [/^\/risk/, 'guide/risk'],
  [/^\/webhooks/, 'guide/webhooks'],
  [/^\/public-log/, 'guide/evidence-pack'],
  [/^\/on-chain/, 'guide/on-chain'],
  [/^\/settings\/api-keys/, 'guide/sign-in#api-keys'],
  [/^\/settings\/sso/, 'guide/sign-in#single-sign-on'],
  [/^\/settings\/approval-channels/, 'guide/gateway#require-approval'],
  [/^\/settings\/retention/, 'guide/run#retention'],
  [/^\/settings\/organisation/, 'guide/sign-in#second-factor'],
  [/^\/settings/, 'guide/sign-in#organisations'],
  [/^/, 'guide/dashboard'],
] as const satisfies readonly (readonly [RegExp, string])[]

export const HELP_TARGETS: readonly string[] = HELP.map(([, target]) => target)

/** The address of the help of a page of the console. */
export function helpFor(pathname: string): string {
  const path = pathname.replace(/^\/o\/[^/]+/, '')
  const target = HELP.find(([pattern]) => pattern.test(path))?.[1] ?? 'guide/dashboard'
  return `/docs/${target}`
}
