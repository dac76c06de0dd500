import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Maximum number of resources in the files of one project. */
const maxRecords = 5_000

const FilesSource = Type.Object(
  {
    commit: Type.String({ pattern: '^[0-9a-f]{7,64}$', description: 'Commit SHA.', examples: ['4f2a9c1'] }),
    url: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s/@]+(/\\S*)?$',
        maxLength: 2000,
        description: 'URL of the commit.',
        examples: ['https://github.com/acme/shop/commit/4f2a9c1'],
      }),
    ),
  },
  { ...closed, description: 'Commit of the files. Absent if the files were not applied from a repository.' },
)
export type FilesSource = Static<typeof FilesSource>

/** A kind and a name, including the names of its parents. Each can have its maximum length. */
const NameInFiles = Type.String({ minLength: 1, maxLength: 2_500, description: 'Name of the resource in the files.' })

export const RecordAppliedFiles = Type.Object(
  {
    source: Type.Optional(FilesSource),
    records: Type.Record(
      Type.String({ pattern: '^[a-z0-9_]{1,100}$' }),
      Type.Union([NameInFiles, Type.Array(NameInFiles, { minItems: 1, maxItems: 10 })], {
        description: 'Name of the resource in the files, or a list of names if several documents describe it.',
      }),
      {
        additionalProperties: false,
        maxProperties: maxRecords,
        description:
          'All resources of the project that are in files, keyed by ID. If empty, no resource is managed by files.',
        examples: [{ mi_01m7: 'ModuleInstance production/web', prj_01m2: ['Project shop', 'EnvironmentOrder'] }],
      },
    ),
  },
  closed,
)
export type RecordAppliedFiles = Static<typeof RecordAppliedFiles>

const ManualChange = Type.Object(
  {
    at: UtcDateTime,
    by: Type.String({ description: 'Name of the user or service account that made the change.' }),
    fields: Type.Array(Type.String({ description: 'Changed fields.' })),
    isDeletion: Type.Optional(Type.Boolean({ description: 'Whether the resource was deleted.' })),
  },
  { ...closed, description: 'Change made outside of the files.' },
)
export type ManualChange = Static<typeof ManualChange>

export const AppliedFiles = Type.Object(
  {
    appliedAt: Type.Optional({
      ...UtcDateTime,
      description: 'Time when files were last applied. Absent if they never were.',
    }),
    appliedBy: Type.Optional(
      Type.String({ description: 'Name of the user or service account that applied the files.' }),
    ),
    source: Type.Optional(FilesSource),
    records: Type.Array(
      Type.Object(
        {
          id: Id,
          name: Type.String({ description: 'Name of the resource in the files.' }),
          changes: Type.Array(ManualChange, {
            description: 'Changes since the files were applied, newest first, at most 100 in total.',
          }),
        },
        closed,
      ),
      {
        description:
          'Resources managed by files that the caller can see. A resource that several documents describe is listed several times.',
      },
    ),
  },
  {
    ...closed,
    description: 'Resources of a project that are managed by files, and changes made outside of the files since.',
  },
)
export type AppliedFiles = Static<typeof AppliedFiles>
