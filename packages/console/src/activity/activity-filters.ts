import type { NotificationType } from '@sluice/contract'

/** Filters of the feed by name, each with the prefixes of its event types. */
const typePrefixes = {
  Releases: ['deployment.'],
  Runs: ['pipeline_run.'],
  Holds: ['hold.'],
  Infrastructure: ['stack.', 'preview.', 'files.'],
} as const

export type ActivityFilter = 'All' | keyof typeof typePrefixes
export const activityFilters = ['All', ...Object.keys(typePrefixes)] as ActivityFilter[]

/** Additional filter for members who can read the audit log. */
export const configurationFilter = 'Configuration'

export const activityFilterNamed = (name: string | undefined): ActivityFilter =>
  activityFilters.find((kind) => kind === name) ?? 'All'

/** Returns the event types that belong to a filter. */
export const eventTypesOf = <Type extends NotificationType>(kind: ActivityFilter, all: readonly Type[]): Type[] =>
  kind === 'All' ? [...all] : all.filter((type) => typePrefixes[kind].some((begin) => type.startsWith(begin)))

/** Filters of the activity, held in the address. */
export const activityNames = ['show', 'project', 'environment', 'service', 'by'] as const
export type ActivitySearch = Partial<Record<(typeof activityNames)[number], string>>

/** Converts the filters to a query of the API. Environments belong to a project, so the narrower one counts. */
export const activityQuery = ({ show, project, environment, service, by }: ActivitySearch, all: NotificationType[]) => {
  const kind = activityFilterNamed(show)
  return {
    ...(project && { projectId: project }),
    ...(environment && { environmentId: environment }),
    ...(service && { service }),
    ...(by && { triggeredBy: by }),
    ...(kind !== 'All' && { types: eventTypesOf(kind, all) }),
  }
}
