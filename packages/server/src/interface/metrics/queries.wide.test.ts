import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { eventually } from '../../testing/eventually.ts'
import { freePort } from '../../testing/free-port.ts'
import { metricsToken, sharedWorld, type World } from '../../testing/world.ts'
import {
  alerts,
  labelsIn,
  monitoringFolder,
  namedIn,
  queriesOfDashboard,
  queriesOfRules,
  scrapeConfig,
} from './queries.fixture.ts'

const queries = [...queriesOfDashboard(), ...queriesOfRules()]
let world: World

beforeAll(async () => {
  world = await sharedWorld()
  const org = await world.organization()
  const { moduleInstanceId } = await org.service()
  await org.fault({ operation: 'DescribeServices', kind: 'throttle', times: 1 })
  await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'SUCCESS')
})

test('every query of the dashboard and the rules uses existing metrics and labels', async () => {
  const answer = await fetch(`${world.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  const known = labelsIn(await answer.text())
  const wrong = queries.filter(([, query]) => {
    const { metrics, labels } = namedIn(query)
    const there = new Set(metrics.flatMap((name) => [...(known.get(name) ?? [])]))
    return metrics.some((name) => !known.has(name)) || labels.some((label) => !there.has(label) && metrics.length > 0)
  })
  expect(queries.length).toBeGreaterThan(40)
  expect(wrong).toEqual([])
})

test('every alert has a severity, a summary and a heading of its own in docs/reference/alerts.md', () => {
  const page = readFileSync(new URL('../../../../../docs/reference/alerts.md', import.meta.url), 'utf8')
  const headings = new Set(Array.from(page.matchAll(/^## (\w+)$/gm), ([, heading]) => heading))
  const names = alerts().map(({ alert }) => alert)
  expect(
    names.filter((name) => !headings.has(name)),
    'alerts without a heading',
  ).toEqual([])
  const known = new Set([...names, 'Objectives'])
  expect(
    [...headings].filter((heading) => !known.has(heading ?? '')),
    'headings without an alert',
  ).toEqual([])
  for (const { alert, labels, annotations } of alerts()) {
    expect(labels?.severity, alert).toMatch(/^(warning|critical)$/)
    expect(annotations?.summary, alert).toMatch(/\w/)
    expect(annotations?.runbook_url, alert).toBe(
      `https://sluice.example.com/docs/guide/alerts.html#${alert.toLowerCase()}`,
    )
  }
})

test('Prometheus accepts the rules, scrapes the service, and has a result for every query', async ({ skip }) => {
  const hasPrometheus = ['prometheus', 'promtool'].every((program) => !spawnSync(program, ['--version']).error)
  skip(!hasPrometheus, 'skipped: prometheus')
  await promisify(execFile)('promtool', ['check', 'rules', join(monitoringFolder, 'rules.yml')])
  await using prometheus = await startPrometheus(new URL(world.url).host)

  // Rates need two samples, and the first has every series.
  const readings = () => prometheus.evaluate('count_over_time(up{job="sluice"}[1m])')
  await eventually('three readings', readings, ([count]) => Number(count) >= 3)
  const empty: [string, string][] = []
  for (const [title, query] of queries) {
    if ((await prometheus.evaluate(query)).length === 0) empty.push([title, query])
  }
  expect(empty).toEqual([])
  expect(await prometheus.evaluate('up{job="sluice"}')).toEqual(['1'])
})

/** Starts Prometheus with our configuration, and another target and interval. */
async function startPrometheus(target: string) {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-prometheus-'))
  const { scrape_configs, ...given } = scrapeConfig()
  const config = {
    ...given,
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [join(monitoringFolder, 'rules.yml')],
    scrape_configs: scrape_configs.map((one) => ({
      ...one,
      authorization: { credentials_file: join(directory, 'token') },
      static_configs: [{ targets: [target] }],
    })),
  }
  await writeFile(join(directory, 'token'), metricsToken)
  await writeFile(join(directory, 'prometheus.yml'), stringify(config))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const flags = [`--config.file=${directory}/prometheus.yml`, `--storage.tsdb.path=${directory}/data`]
  const child = spawn('prometheus', [...flags, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const isReady = async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok === true
  await eventually('Prometheus', isReady, (ready) => ready)
  return {
    /** Returns the current values of a query. */
    async evaluate(query: string): Promise<string[]> {
      const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query })}`)
      const { status, error, data } = (await answer.json()) as Evaluated
      if (status !== 'success') throw new Error(`${query}: ${error}`)
      return data.result.map(({ value }) => value[1])
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}

type Evaluated = { status: string; error?: string; data: { result: { value: [number, string] }[] } }
