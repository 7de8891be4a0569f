import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { testApp } from '#harness/app.ts'
import { SETTINGS } from '../../packages/server/src/config.ts'

const read = (path: string) =>
  readFile(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

const settings = new Set(SETTINGS.flatMap(([name]) => [name, `${name}_FILE`]))
let exported: Set<string>

beforeAll(async () => {
  const t = await testApp()
  const text = await t.app.kernel.metrics.registry.metrics()
  exported = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? ''))
})

/** The metrics of an expression that the service must export. */
function metricsOf(expr: string, recorded: ReadonlySet<string>): string[] {
  const named = (expr.match(/\btouchstone_\w+/g) ?? []).filter((name) => !recorded.has(name))
  return named.map((name) => (exported.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')))
}

type Rule = { alert?: string; record?: string; expr: string; annotations?: Record<string, string> }

async function rules(): Promise<Rule[]> {
  const { groups } = parse(await read('deploy/prometheus/alerts.yaml'))
  return groups.flatMap((group: { rules: Rule[] }) => group.rules)
}

describe('alert rules', () => {
  it('ask for metrics that the service exports', async () => {
    const all = await rules()
    const recorded = new Set(all.map(({ record }) => record ?? ''))
    expect(all.length).toBeGreaterThan(10)
    for (const { alert, expr } of all) {
      const missing = metricsOf(expr, recorded).filter((name) => !exported.has(name))
      expect({ alert, missing }).toEqual({ alert, missing: [] })
    }
  })

  it('name a runbook that exists', async () => {
    const page = await read('docs/guide/runbooks.md')
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    )
    for (const { alert, annotations } of await rules()) {
      if (alert === undefined) continue
      expect(headings, alert).toContain(annotations?.['runbook']?.split('#')[1])
    }
  })
})

it('the dashboard for Grafana shows metrics that the service exports', async () => {
  const { panels } = JSON.parse(await read('deploy/grafana/touchstone.json'))
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      const missing = metricsOf(expr, new Set()).filter((name) => !exported.has(name))
      expect({ title, missing }).toEqual({ title, missing: [] })
    }
  }
})

it('units for systemd run commands and settings that exist, with time to stop', async () => {
  for (const name of await readdir(
    fileURLToPath(new URL('../../deploy/systemd', import.meta.url)),
  )) {
    const unit = await read(`deploy/systemd/${name}`)
    expect(/^ExecStart=\/usr\/bin\/touchstone (serve|db migrate)$/m.test(unit), name).toBe(true)
    const given = (/^Environment=(.*)$/m.exec(unit)?.[1] ?? '').split(' ')
    const values = Object.fromEntries(given.map((one) => one.split('=')))
    const { NODE_ENV: _, ...ours } = values
    for (const setting of Object.keys(ours)) expect(settings, name).toContain(setting)
    const stopSeconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1] ?? 90)
    expect(stopSeconds).toBeGreaterThanOrEqual(Number(values['SHUTDOWN_DELAY'] ?? 0) + 60)
  }
})

// biome-ignore lint/suspicious/noExplicitAny: manifests are read freely
type Manifest = any

const VERSIONS: Record<string, string> = {
  ConfigMap: 'v1',
  Service: 'v1',
  Job: 'batch/v1',
  Deployment: 'apps/v1',
  PodDisruptionBudget: 'policy/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  NetworkPolicy: 'networking.k8s.io/v1',
}

describe('manifests for Kubernetes', () => {
  let all: Manifest[]
  const ofKind = (kind: string) => all.filter((one) => one.kind === kind)
  const podsOf = () => [...ofKind('Deployment'), ...ofKind('Job')].map(({ spec }) => spec.template)

  beforeAll(async () => {
    const documents = parseAllDocuments(await read('deploy/kubernetes/touchstone.yaml'), {
      uniqueKeys: true,
    })
    all = documents.map((document) => {
      if ('errors' in document) expect(document.errors).toEqual([])
      return 'toJS' in document ? document.toJS() : undefined
    })
  })

  it('are of known kinds and have names', () => {
    expect(all).toHaveLength(8)
    for (const { apiVersion, kind, metadata } of all) {
      expect({ kind, apiVersion }).toEqual({ kind, apiVersion: VERSIONS[kind] })
      expect(metadata.name).toMatch(/^touchstone[a-z-]*$/)
    }
  })

  it('use settings that exist', () => {
    for (const { data } of ofKind('ConfigMap')) {
      const { NODE_ENV: _, ...ours } = data
      for (const [name, value] of Object.entries(ours)) {
        expect(settings).toContain(name)
        expect(typeof value).toBe('string')
      }
    }
  })

  it('select pods that exist', () => {
    const apps = podsOf().map(({ metadata }) => metadata.labels.app)
    for (const { spec } of ofKind('Deployment')) {
      expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels)
    }
    for (const { spec } of ofKind('Service')) expect(apps).toContain(spec.selector.app)
    for (const { spec } of ofKind('PodDisruptionBudget')) {
      expect(apps).toContain(spec.selector.matchLabels.app)
      const [api] = ofKind('Deployment')
      expect(spec.minAvailable).toBeLessThan(api.spec.replicas)
    }
    for (const { spec } of ofKind('NetworkPolicy')) {
      expect(spec.podSelector.matchExpressions[0].values.sort()).toEqual(apps.sort())
    }
    for (const { spec } of ofKind('HorizontalPodAutoscaler')) {
      const names = ofKind('Deployment').map(({ metadata }) => metadata.name)
      expect(names).toContain(spec.scaleTargetRef.name)
    }
  })

  const containersOf = () => podsOf().flatMap(({ spec }) => spec.containers)

  it('run without privileges', () => {
    for (const { spec } of podsOf()) expect(spec.securityContext.runAsNonRoot).toBe(true)
    for (const { securityContext } of containersOf()) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  it('mount volumes and probe ports that exist', () => {
    const namesOf = (list: { name: string }[] = []) => list.map(({ name }) => name)
    for (const { spec } of podsOf()) {
      for (const { volumeMounts } of spec.containers) {
        for (const name of namesOf(volumeMounts)) expect(namesOf(spec.volumes)).toContain(name)
      }
    }
    for (const { startupProbe, livenessProbe, readinessProbe, ports } of containersOf()) {
      const probes = [startupProbe, livenessProbe, readinessProbe].filter(Boolean)
      for (const { httpGet } of probes) expect(namesOf(ports)).toContain(httpGet.port)
    }
  })

  it('have time to stop, and leave the balancer before their listener closes', () => {
    const delay = Number(ofKind('ConfigMap')[0].data.SHUTDOWN_DELAY)
    for (const { spec } of ofKind('Deployment')) {
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(delay + 60)
      expect(spec.template.spec.containers[0].livenessProbe).toBeDefined()
    }
    const [api] = ofKind('Deployment')
    const { readinessProbe } = api.spec.template.spec.containers[0]
    expect(readinessProbe.periodSeconds * readinessProbe.failureThreshold).toBeLessThan(delay)
  })
})
