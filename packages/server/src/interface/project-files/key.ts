import type { ProjectDocumentKind } from '@sluice/contract'

/** Kinds of records that documents name and files do not create. */
export const externalKinds = ['CloudAccount', 'CodeSource'] as const
export type ExternalKind = (typeof externalKinds)[number]

/** Identifies a record within a project: its kind and its name, with everything that the name is unique in. */
export type Key = string

export const keyFor = (kind: ProjectDocumentKind | ExternalKind, ...names: (string | undefined)[]): Key =>
  `${kind} ${names.filter((name) => name !== undefined).join('/')}`.trimEnd()
