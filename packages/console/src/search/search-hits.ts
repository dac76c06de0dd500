import type { RecordDescription, SearchResult, SearchType } from '@sluice/contract'
import type { LinkProps } from '@tanstack/react-router'
import { settingsPages } from '../settings/settings-pages.ts'
import { navigation } from '../shell/navigation.ts'
import { type Command, findPages } from './commands.ts'
import { hitOfRecord } from './record-reference.ts'
import { type Visit, visitablePages } from './visits.ts'

/** Result of a search. */
export type SearchHit = {
  key: string
  title: string
  detail?: string | undefined
  status?: string | undefined
  at?: string | undefined
  to: Pick<LinkProps, 'to' | 'params' | 'search'>
}

export type SearchHitGroup = { label: string; found: SearchHit[] }

const labels = {
  SERVICE: 'Services',
  DEPLOYMENT: 'Deployments',
  PIPELINE: 'Pipelines',
  RUN: 'Runs',
  RESOURCE: 'Resources',
  PROJECT: 'Projects',
  ENVIRONMENT: 'Environments',
  PERSON: 'People',
} as const satisfies Record<SearchType, string>

type Beside = {
  command: Command | undefined
  services: readonly SearchResult[]
  /** Record that the text identifies. */
  described: RecordDescription | undefined
}

/** Groups search results: exact matches, actions, records by type, and pages. */
export function groupHits(
  text: string,
  results: readonly SearchResult[],
  { command, services, described }: Beside,
): SearchHitGroup[] {
  const commands = command ? services.map((service) => asCommand(command, service)) : []
  const isNew = described !== undefined && !results.some(({ id }) => id === described.id)
  const byType = [...Map.groupBy(results, ({ type }) => type)].map(([type, some]) => ({
    label: labels[type],
    found: some.map(asFound),
  }))
  const pages = findPages(text, [...navigation, ...settingsPages]).map(({ to, label }) => ({
    key: to,
    title: label,
    to: { to },
  }))
  const exact = isNew ? [hitOfRecord(described)] : []
  const groups = [
    { label: 'Exact matches', found: exact },
    { label: 'Actions', found: commands },
    ...byType,
    { label: 'Pages', found: pages },
  ]
  return groups.filter(({ found }) => found.length > 0)
}

/** Recently viewed pages, shown before a search. */
export const recentGroups = (seen: readonly Visit[]): SearchHitGroup[] =>
  seen.length === 0 ? [] : [{ label: 'Recently viewed', found: seen.map(asSeen) }]

const asSeen = ({ kind, id, title }: Visit): SearchHit => ({
  key: `${kind} ${id}`,
  title,
  detail: singular[kind],
  to: { to: visitablePages[kind], params: { id } },
})

const singular = {
  projects: 'project',
  instances: 'service',
  deployments: 'deployment',
  pipelines: 'pipeline',
  runs: 'run',
} as const satisfies Record<Visit['kind'], string>

const asCommand = ({ label, tab }: Command, { id, title, detail }: SearchResult): SearchHit => ({
  key: `${label} ${id}`,
  title: `${label} ${title}`,
  detail,
  to: { to: '/console/instances/$id', params: { id }, search: { tab } },
})

const asFound = (result: SearchResult): SearchHit => {
  const { type, id, title, detail, status, at } = result
  return { key: `${type} ${id}`, title, detail, status, at, to: placeOf(result) }
}

/** Returns the page of a search result. */
function placeOf({ type, id, projectId = '', moduleInstanceId, pipelineRunId = '' }: SearchResult): SearchHit['to'] {
  switch (type) {
    case 'SERVICE':
      return { to: '/console/instances/$id', params: { id } }
    case 'DEPLOYMENT':
      return { to: '/console/deployments/$id', params: { id } }
    case 'PIPELINE':
      return { to: '/console/pipelines/$id', params: { id } }
    case 'RUN':
      return { to: '/console/runs/$id', params: { id } }
    case 'RESOURCE':
      if (moduleInstanceId === undefined) return { to: '/console/runs/$id', params: { id: pipelineRunId } }
      return { to: '/console/instances/$id', params: { id: moduleInstanceId }, search: { tab: 'infrastructure' } }
    case 'PROJECT':
      return { to: '/console/projects/$id', params: { id } }
    case 'ENVIRONMENT':
      return { to: '/console/projects/$id', params: { id: projectId } }
    case 'PERSON':
      return { to: '/console/settings/members' }
  }
}
