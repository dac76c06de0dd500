import type { ProjectDocument, ProjectDocumentKind } from '@sluice/contract'

/** What documents name that is not made by files. */
export const outside = ['CloudAccount', 'CodeSource'] as const
export type Outside = (typeof outside)[number]

/**
 * What a document is about, in a word that no other document of the project has: its kind and its name, with all that
 * the name is unique in.
 */
export type Key = string

export const keyFor = (kind: ProjectDocumentKind | Outside, ...names: (string | undefined)[]): Key =>
  `${kind} ${names.filter((name) => name !== undefined).join('/')}`.trimEnd()

export function keyOf(document: ProjectDocument): Key {
  switch (document.kind) {
    case 'EnvironmentOrder':
      return keyFor(document.kind)
    case 'DefaultValue':
    case 'Domain':
    case 'ModuleInstance':
      return keyFor(document.kind, document.environment, document.name)
    case 'ModuleVersion':
      return keyFor(document.kind, `${document.name}@${document.version}`)
    case 'RoleGrant':
      return keyFor(document.kind, document.environment, `${document.principalType} ${document.name} ${document.role}`)
    case 'ExecutionAssignment':
      return keyFor(document.kind, document.environment)
    case 'ApprovalRule':
    case 'Freeze':
    case 'Policy':
      return keyFor(document.kind, document.environment, document.instance, document.name)
    case 'DriftSchedule':
      return keyFor(document.kind, document.stack, document.environment, document.instance)
    case 'PreviewTemplate':
      return keyFor(document.kind, document.environment, document.source)
    case 'PromotionRule':
      return keyFor(document.kind, document.from, document.to)
    default:
      return keyFor(document.kind, document.name)
  }
}

/** What a document says beyond which record it is about. */
export function fieldsOf(document: ProjectDocument): Record<string, unknown> {
  const { kind, ...fields } = document as ProjectDocument & Record<string, unknown>
  for (const name of identifying[kind] ?? ['name']) delete fields[name]
  return fields
}

const identifying: Partial<Record<ProjectDocumentKind, string[]>> = {
  EnvironmentOrder: [],
  ExecutionAssignment: ['environment'],
  Domain: ['name', 'environment'],
  ApprovalRule: ['name', 'environment', 'instance'],
  DefaultValue: ['name', 'environment'],
  ModuleVersion: ['name', 'version'],
  ModuleInstance: ['name', 'environment'],
  RoleGrant: ['name', 'environment', 'principalType', 'role'],
  Freeze: ['name', 'environment', 'instance'],
  Policy: ['name', 'environment', 'instance'],
  DriftSchedule: ['stack', 'environment', 'instance'],
  PreviewTemplate: ['environment', 'source'],
  PromotionRule: ['from', 'to'],
}

/** What of a record may be a secret that nobody is shown again. */
export type HiddenField = 'value' | 'url' | 'routingKey'

/** A record of the service as the files would say it. */
export type Present = {
  id: string
  document: ProjectDocument
  /** The field whose value the service never shows. */
  hidden?: HiddenField
  /** Of a record that all may use and the organization cannot change. */
  isForeign?: true
}

/** All that is in a project, and the ids of what its records name. */
export type Look = {
  /** Absent where there is no such project yet. */
  projectId?: string
  records: Map<Key, Present>
  /** The id of each record that can be named, those of the project included. */
  ids: Map<Key, string>
  /** Names that several records have, so that nobody knows which is meant. */
  ambiguous: Set<Key>
}
