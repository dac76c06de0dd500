import type { NotificationType } from '@sluice/contract'

/** What the feed may be narrowed to, by what it is called; each with how the types begin that it is made of. */
const beginnings = {
  Releases: ['deployment.'],
  Runs: ['pipeline_run.'],
  Holds: ['hold.'],
  Infrastructure: ['stack.', 'preview.', 'files.'],
} as const

export type Kind = 'All' | keyof typeof beginnings
export const kinds = ['All', ...Object.keys(beginnings)] as Kind[]

/** Beside them, for who reads the audit log: what was changed in the configuration. */
export const configuration = 'Configuration'

export const kindNamed = (name: string | undefined): Kind => kinds.find((kind) => kind === name) ?? 'All'

/** The types of a kind, of those that there are. */
export const typesOf = <Type extends NotificationType>(kind: Kind, all: readonly Type[]): Type[] =>
  kind === 'All' ? [...all] : all.filter((type) => beginnings[kind].some((begin) => type.startsWith(begin)))
