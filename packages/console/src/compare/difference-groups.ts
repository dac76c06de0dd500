import type { DeploymentDifference, DeploymentDifferences } from '@sluice/contract'

/** Difference with the words of the page. */
export type ComparedSetting = {
  /** Name of the setting. */
  name: string
  /** Container or other part that the setting belongs to. */
  part?: string | undefined
  before?: unknown
  after?: unknown
  isSecret?: boolean | undefined
}

export type ComparedGroup = { title: string; settings: ComparedSetting[] }

/** Titles of the groups in their order on the page. */
const titles = [
  'Version',
  'Commit',
  'Images',
  'Environment variables',
  'Secret references',
  'Configuration of the service',
  'Inputs of the deployment',
  'Module version',
  'Release settings',
] as const

type Title = (typeof titles)[number]

/** Groups differences by what they mean to a reader, most relevant group first. */
export function groupDifferences(differences: readonly DeploymentDifference[]): ComparedGroup[] {
  const byTitle = Map.groupBy(differences.map(toSetting), ({ title }) => title)
  return titles.flatMap((title) => {
    const settings = byTitle.get(title)?.map(({ title: _, ...setting }) => setting) ?? []
    return settings.length === 0 ? [] : [{ title, settings }]
  })
}

/** Describes the aspects that could not be compared; empty if all were. */
export const describeUnknown = (unknown: DeploymentDifferences['unknown']): string =>
  unknown.map((aspect) => wholeTitles[aspect].toLowerCase()).join(', ')

const wholeTitles = {
  VERSION: 'Version',
  SOURCE: 'Commit',
  MODULE_VERSION: 'Module version',
  IMAGE: 'Images',
  DEPLOYMENT_INPUT: 'Inputs of the deployment',
  INSTANCE_INPUT: 'Configuration of the service',
  RELEASE: 'Release settings',
} as const satisfies Record<DeploymentDifference['of'], Title>

function toSetting({ of, path, before, after, isSecret }: DeploymentDifference): ComparedSetting & { title: Title } {
  return { ...nameOf(of, path), before, after, isSecret }
}

function nameOf(of: DeploymentDifference['of'], path: string): { title: Title; name: string; part?: string } {
  const [, container, list, rest] = /^containerDefinitions\.([^.]+)\.(environment|secrets)\.(.+)$/.exec(path) ?? []
  if (of === 'RELEASE' && container !== undefined && rest !== undefined)
    return {
      title: list === 'secrets' ? 'Secret references' : 'Environment variables',
      name: rest,
      part: container,
    }
  const [, variable] = /^environment(?:\.variables)?\.(.+)$/i.exec(path) ?? []
  if (of === 'RELEASE' && variable !== undefined) return { title: 'Environment variables', name: variable }
  const [, inner, field] = /^containerDefinitions\.([^.]+)\.(.+)$/.exec(path) ?? []
  const title = wholeTitles[of]
  if (inner !== undefined && field !== undefined) return { title, name: field, part: inner }
  if (of === 'SOURCE') return { title, name: sourceNames[path] ?? path }
  return { title, name: path === '' ? title : path }
}

const sourceNames: Readonly<Record<string, string>> = {
  repository: 'Repository',
  branch: 'Branch',
  commit: 'Commit',
  committedAt: 'Time',
  author: 'Author',
  message: 'Message',
  url: 'Link',
  imageDigest: 'Image digest',
}
