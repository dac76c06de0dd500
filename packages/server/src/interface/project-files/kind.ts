import type { Client } from '@sluice/client'
import type {
  ModuleInstance,
  Pipeline,
  ProjectDocument,
  ProjectDocumentKind,
  ProjectDocumentOf,
  Stack,
} from '@sluice/contract'
import type { Key } from './key.ts'
import type { Reference } from './references.ts'

/** A field whose value the service does not return, because it may be a secret. */
export type SecretField = 'value' | 'url' | 'routingKey'

/** A record of the service, as a document. */
export type ProjectRecord = {
  id: string
  document: ProjectDocument
  /** The field that the service does not return. */
  hidden?: SecretField
  /** The record belongs to the operator of the service: all organizations use it, and none changes it. */
  isForeign?: true
}

/** The records of a project, and the ids of everything that its documents may name. */
export type ProjectState = {
  /** Absent if the project does not exist yet. */
  projectId?: string
  records: Map<Key, ProjectRecord>
  /** The ids of records that documents may name, those of the project included. */
  ids: Map<Key, string>
  /** Keys that several records share. */
  ambiguous: Set<Key>
}

/** What reading a project collects. */
export type Reader = {
  client: Client
  kinds: ReadonlySet<ProjectDocumentKind>
  /** The documents to compare with; without them, everything is read. */
  documents: readonly ProjectDocument[] | undefined
  state: ProjectState
  keyOf(document: ProjectDocument): Key
  /** The keys of records that free texts may name, by id. */
  keys: Map<string, Key>
  /** The names of environments, by id; without preview environments. */
  environments: Map<string, string>
  instances: readonly ModuleInstance[]
  stacks: readonly Stack[]
  pipelines: readonly Pipeline[]
}

/** What changes are applied with. */
export type ApplyContext = {
  client: Client
  project: string
  /** Receives the ids of created records. */
  state: ProjectState
  /** Whether a changed instance gets a run that changes its infrastructure. */
  runStacks: boolean
  say(line: string): void
  /** The idempotency key of one call of this change. */
  once(call: string): { idempotencyKey: string }
  /** Returns the record that a document is about if someone has created it since the plan was made. */
  findExisting(document: ProjectDocument): Promise<Applied | undefined>
}

/** A record that was created or changed. */
export type Applied = {
  id: string
  /** The run that changes the infrastructure of an instance; it may wait for approval. */
  runId?: string
}

/** How one kind of document is identified, read, checked and applied. */
export type Kind<K extends ProjectDocumentKind> = {
  /** The fields that identify the record, in the order of its key. */
  identity: readonly string[]
  /** Parts of the key of a document. By default the values of the fields in `identity`. */
  keyNames?(document: ProjectDocumentOf<K>): (string | undefined)[]
  /** The records that its fields name. */
  references?(document: ProjectDocumentOf<K>): Reference[]
  /** The fields that are lists without an order. */
  unordered?: readonly string[]
  /** Returns a value as the service stores it, with what it fills in. */
  normalize?(field: string, value: unknown): unknown
  /** Returns the existing fields that a document is compared with, if not all of them. */
  comparable?(existing: ProjectDocumentOf<K>, document: ProjectDocumentOf<K>): Record<string, unknown>
  /** The field that must name a variable instead of holding its secret. */
  secretField?(document: ProjectDocumentOf<K>, find: FindDocument): SecretField | undefined
  /** Faults that the schema cannot express, as lines that begin with the path. */
  faults?(document: ProjectDocumentOf<K>, existing: ProjectDocumentOf<K> | undefined): string[]
  /** Says why the service would reject a change of these fields. */
  rejectChange?(document: ProjectDocumentOf<K>, fields: readonly string[]): Rejection | undefined
  /** Further kinds whose documents need this one to be read. */
  readFor?: readonly ProjectDocumentKind[]
  /** Whether it is read even if the project does not exist: it belongs to the organization. */
  isShared?: true
  /** Adds the existing records to the state. */
  read(reader: Reader, projectId: string): Promise<void>
  create(document: ProjectDocumentOf<K>, context: ApplyContext): Promise<Applied>
  /** Absent if no field can change. */
  update?(
    id: string,
    document: ProjectDocumentOf<K>,
    fields: ReadonlySet<string>,
    context: ApplyContext,
  ): Promise<unknown>
  /** Absent if files never remove it. */
  remove?(id: string, context: ApplyContext): Promise<unknown>
}

/** Finds the document of a key in the files, or else in the service. */
export type FindDocument = (key: Key) => ProjectDocument[]

export type Rejection = { path: string; message: string }
