import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** So many records one project has in its files, at most. */
const mostRecords = 5_000

const FilesSource = Type.Object(
  {
    commit: Type.String({ pattern: '^[0-9a-f]{7,64}$', description: 'The commit.', examples: ['4f2a9c1'] }),
    url: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s/@]+(/\\S*)?$',
        maxLength: 2000,
        description: 'Where people see the commit.',
        examples: ['https://github.com/acme/shop/commit/4f2a9c1'],
      }),
    ),
  },
  { ...closed, description: 'What of a repository the files are; absent where they were applied from elsewhere.' },
)
export type FilesSource = Static<typeof FilesSource>

/** A kind, and a name with all that it is unique in, which are as long as names may be. */
const CalledInFiles = Type.String({ minLength: 1, maxLength: 2_500, description: 'What the files call it.' })

export const NoteAppliedFiles = Type.Object(
  {
    source: Type.Optional(FilesSource),
    records: Type.Record(
      Type.String({ pattern: '^[a-z0-9_]{1,100}$' }),
      Type.Union([CalledInFiles, Type.Array(CalledInFiles, { minItems: 1, maxItems: 10 })], {
        description: 'What the files call it; a list where several documents are about one record.',
      }),
      {
        additionalProperties: false,
        maxProperties: mostRecords,
        description: 'All of the project that stands in files, by id. None: nothing of it does.',
        examples: [{ mi_01m7: 'ModuleInstance production/web', prj_01m2: ['Project shop', 'EnvironmentOrder'] }],
      },
    ),
  },
  closed,
)
export type NoteAppliedFiles = Static<typeof NoteAppliedFiles>

const ChangeByHand = Type.Object(
  {
    at: UtcDateTime,
    by: Type.String({ description: 'Who made it.' }),
    fields: Type.Array(Type.String({ description: 'What of it was changed.' })),
    isRemoval: Type.Optional(Type.Boolean({ description: 'Whether it was removed.' })),
  },
  { ...closed, description: 'A change that came by no file.' },
)
export type ChangeByHand = Static<typeof ChangeByHand>

export const AppliedFiles = Type.Object(
  {
    appliedAt: Type.Optional({ ...UtcDateTime, description: 'When they were applied last; absent: never.' }),
    appliedBy: Type.Optional(Type.String({ description: 'Who applied them.' })),
    source: Type.Optional(FilesSource),
    records: Type.Array(
      Type.Object(
        {
          id: Id,
          name: Type.String({ description: 'What the files call it.' }),
          changes: Type.Array(ChangeByHand, { description: 'Since then, the latest first, a hundred of all at most.' }),
        },
        closed,
      ),
      {
        description:
          'What stands in files, as far as the caller sees it; one that several documents are about comes several times.',
      },
    ),
  },
  { ...closed, description: 'What of a project is managed by files, and was changed otherwise since.' },
)
export type AppliedFiles = Static<typeof AppliedFiles>
