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
