import type { InboxItem, RecordDescription, SearchResult, SearchType } from '@sluice/contract'
import type { LinkProps } from '@tanstack/react-router'
import { requestCommand } from '../commands/page-commands.ts'
import { settingsPages } from '../settings/settings-pages.ts'
import { navigation } from '../shell/navigation.ts'
import { matchesWords } from './actions.ts'
import { type Command, findPages } from './commands.ts'
import { hitOfRecord } from './record-reference.ts'
import type { Action } from './use-actions.ts'
import { type Visit, visitablePages } from './visits.ts'

/** Result of a search. */
export type SearchHit = {
  key: string
  title: string
  detail?: string | undefined
  status?: string | undefined
  at?: string | undefined
  /** Key that does the same without the search. */
  shortcut?: string | undefined
  to?: Pick<LinkProps, 'to' | 'params' | 'search'> | undefined
  /** Runs an action. Called before the dialog leads to `to`. */
  run?: (() => unknown) | undefined
}

/** Page that is in the header and not in the main navigation. */
const inboxPage = { to: '/console/inbox', label: 'Inbox' } as const

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
  actions: { page: readonly Action[]; everywhere: readonly Action[] }
  /** What waits for the caller. */
  waiting: readonly InboxItem[]
  command: Command | undefined
  services: readonly SearchResult[]
  /** Record whose ID was entered. */
  described: RecordDescription | undefined
}

/** Groups search results: exact matches, actions, records by type, and pages. */
export function groupHits(
  text: string,
  results: readonly SearchResult[],
  { command, services, described, actions, waiting }: Beside,
): SearchHitGroup[] {
  const commands = command ? services.map((service) => asCommand(command, service)) : []
  const isNew = described !== undefined && !results.some(({ id }) => id === described.id)
  const byType = [...Map.groupBy(results, ({ type }) => type)].map(([type, some]) => ({
    label: labels[type],
    found: some.map(asFound),
  }))
  const pages = findPages(text, [...navigation, inboxPage, ...settingsPages]).map(({ to, label }) => ({
    key: to,
    title: label,
    to: { to },
  }))
  const isMatch = ({ label, keywords }: Action) => matchesWords(text, label, keywords)
  const isMatchingHit = ({ title, detail }: SearchHit) => matchesWords(text, title, detail)
  const exact = isNew ? [hitOfRecord(described)] : []
  const groups = [
    { label: 'Exact matches', found: exact },
    { label: 'On this page', found: actions.page.filter(isMatch).map(asAction) },
    { label: 'Waiting for you', found: waiting.map(asWaiting).filter(isMatchingHit) },
    { label: 'Actions', found: [...commands, ...actions.everywhere.filter(isMatch).map(asAction)] },
    ...byType,
    { label: 'Pages', found: pages },
  ]
  return groups.filter(({ found }) => found.length > 0)
}

/** Returns what is shown before a search: what the page and the caller's inbox offer, recent pages, and actions. */
export const suggestedGroups = (
  seen: readonly Visit[],
  { actions, waiting }: Pick<Beside, 'actions' | 'waiting'>,
): SearchHitGroup[] =>
  [
    { label: 'On this page', found: actions.page.map(asAction) },
    { label: 'Waiting for you', found: waiting.slice(0, maxWaiting).map(asWaiting) },
    { label: 'Recently viewed', found: seen.map(asSeen) },
    { label: 'Actions', found: actions.everywhere.map(asAction) },
  ].filter(({ found }) => found.length > 0)

/** The inbox itself shows the rest. */
const maxWaiting = 3

const asAction = ({ label, detail, shortcut, run }: Action): SearchHit => ({
  key: `action ${label}`,
  title: label,
  detail,
  shortcut,
  run,
})

const asWaiting = ({ type, id, title, pipelineRunId, project }: InboxItem): SearchHit => ({
  key: `waiting ${id}`,
  title: `${waitingVerbs[type]} ${title}`,
  detail: project,
  to: waitingPlace(type, pipelineRunId, id),
})

const waitingVerbs = {
  DEPLOYMENT_APPROVAL: 'Approve',
  STEP_APPROVAL: 'Approve',
  VERSION_APPROVAL: 'Approve',
  PAUSE: 'Continue',
  HOLD: 'Lift hold of',
  FAILED_DEPLOYMENT: 'View failed release',
  FAILED_RUN: 'View failed run',
} as const satisfies Record<InboxItem['type'], string>

function waitingPlace(type: InboxItem['type'], pipelineRunId: string | undefined, id: string): SearchHit['to'] {
  if (type === 'STEP_APPROVAL' || type === 'VERSION_APPROVAL')
    return { to: '/console/runs/$id', params: { id: pipelineRunId ?? '' } }
  if (type === 'HOLD') return { to: '/console/inbox' }
  return { to: '/console/deployments/$id', params: { id } }
}

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

const asCommand = ({ label, tab, command }: Command, { id, title, detail }: SearchResult): SearchHit => ({
  key: `${label} ${id}`,
  title: `${label} ${title}`,
  detail,
  run: command && (() => requestCommand(command, `/console/instances/${id}`)),
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
