import type { NotificationType } from '@sluice/contract'

/** Filters of the feed by name, each with the prefixes of its event types. */
const beginnings = {
  Releases: ['deployment.'],
  Runs: ['pipeline_run.'],
  Holds: ['hold.'],
  Infrastructure: ['stack.', 'preview.', 'files.'],
} as const

export type Kind = 'All' | keyof typeof beginnings
export const kinds = ['All', ...Object.keys(beginnings)] as Kind[]

/** Additional filter for members who can read the audit log. */
export const configuration = 'Configuration'

export const kindNamed = (name: string | undefined): Kind => kinds.find((kind) => kind === name) ?? 'All'

/** Returns the event types that belong to a filter. */
export const typesOf = <Type extends NotificationType>(kind: Kind, all: readonly Type[]): Type[] =>
  kind === 'All' ? [...all] : all.filter((type) => beginnings[kind].some((begin) => type.startsWith(begin)))
