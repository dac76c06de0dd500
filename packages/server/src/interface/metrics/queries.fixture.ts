import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

/** Directory with the configuration for Prometheus and Grafana. */
export const monitoringFolder = fileURLToPath(new URL('../../../../../deploy/monitoring', import.meta.url))
const read = (file: string) => readFileSync(`${monitoringFolder}/${file}`, 'utf8')

type Dashboard = { panels: { title: string; targets?: { expr: string }[] }[] }
type Rule = {
  alert?: string
  record?: string
  expr: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
}
type Rules = { groups: { rules: Rule[] }[] }

const rules = (): Rule[] => (parse(read('rules.yml')) as Rules).groups.flatMap((group) => group.rules)

/** Returns the alerting rules. */
export const alerts = () =>
  rules().flatMap((rule) => (rule.alert === undefined ? [] : [{ ...rule, alert: rule.alert }]))

/** Returns the queries of the dashboard by panel title, with Grafana's time variables replaced. */
export function queriesOfDashboard(): [string, string][] {
  const { panels } = JSON.parse(read('dashboard.json')) as Dashboard
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [title, expr.replaceAll('$__rate_interval', '1m')]),
  )
}

/** Returns the query of each rule without its threshold, so that it always has a result. */
export function queriesOfRules(): [string, string][] {
  return rules().flatMap(({ alert, record, expr }) =>
    expr.split(/\sand\s/).map((part): [string, string] => [alert ?? record ?? '', part.replace(/\s[<>]\s[\d.]+$/, '')]),
  )
}

export const scrapeConfig = (): { scrape_configs: Record<string, unknown>[] } => parse(read('prometheus.yml'))

/** Returns the labels of every metric in Prometheus' text format. */
export function labelsIn(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    const known = found.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    found.set(name, known)
  }
  return found
}

/** Returns the metrics and labels of a query, without labels that Prometheus adds. */
export function namedIn(query: string): { metrics: string[]; labels: string[] } {
  const bare = query.replaceAll(/"[^"]*"/g, '""')
  const metrics = [...bare.matchAll(/\b(?:sluice|process|nodejs)_\w+/g)].map(([name]) => name)
  const matched = [...bare.matchAll(/(\w+)[!=]=?~?""/g)].map(([, label = '']) => label)
  const grouped = [...bare.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/))
  return { metrics, labels: [...matched, ...grouped].filter((label) => label !== 'instance' && label !== 'job') }
}
