import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const ModuleInstanceLogLine = Type.Object(
  {
    id: Type.String({
      description: 'ID of the line, unique within its source. Identifies lines that are returned twice.',
    }),
    timestamp: UtcDateTime,
    message: Type.String({ description: 'Log message.' }),
    logStream: Type.String({ description: 'Log stream that contains the line.' }),
  },
  { ...closed, description: 'Log line stored by the cloud.' },
)
export type ModuleInstanceLogLine = Static<typeof ModuleInstanceLogLine>

export const ModuleInstanceLogPage = Type.Object(
  {
    data: Type.Array(ModuleInstanceLogLine),
    meta: Type.Object(
      {
        limit: Type.Integer({ description: 'Page size that was applied.' }),
        nextCursor: Type.String({
          description:
            'Cursor of the next page with older lines. Empty on the last page. A page can be short or empty and still have a cursor, because the cloud limits the time of a search.',
        }),
      },
      { ...closed, description: 'Pagination metadata. There is no total count because the cloud does not return one.' },
    ),
  },
  { ...closed, description: 'Log lines, newest first.' },
)
export type ModuleInstanceLogPage = Static<typeof ModuleInstanceLogPage>

/** Parameters for reading and streaming a log. */
export const moduleInstanceLogParams = {
  sourceId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'ID of a log in `ui` of the module instance. Defaults to the first log.',
    }),
  ),
  filter: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description: "Filter pattern in the cloud's syntax. Replaces the pattern of the log source.",
      examples: ['?ERROR ?WARN'],
    }),
  ),
}
