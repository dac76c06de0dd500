import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const ModuleInstanceLogLine = Type.Object(
  {
    id: Type.String({ description: 'Unique within its source: a line that comes twice can be told by it.' }),
    timestamp: UtcDateTime,
    message: Type.String({ description: 'What was written.' }),
    logStream: Type.String({ description: 'The stream of the log group that it was written to.' }),
  },
  { ...closed, description: 'A line that the cloud keeps.' },
)
export type ModuleInstanceLogLine = Static<typeof ModuleInstanceLogLine>

export const ModuleInstanceLogPage = Type.Object(
  {
    data: Type.Array(ModuleInstanceLogLine),
    meta: Type.Object(
      {
        limit: Type.Integer({ description: 'The page size that was applied.' }),
        nextCursor: Type.String({
          description:
            'What leads to older lines; empty where there are none. A page may be short, even empty, and have one: the cloud had to search long.',
        }),
      },
      { ...closed, description: 'Where this page lies. How many lines there are in all, the cloud cannot say.' },
    ),
  },
  { ...closed, description: 'Lines of a log, newest first.' },
)
export type ModuleInstanceLogPage = Static<typeof ModuleInstanceLogPage>

/** What both ways to read a log take. */
export const moduleInstanceLogParams = {
  sourceId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Id of one of the logs in the `ui` of the instance; the first one without it.',
    }),
  ),
  filter: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description: "Only lines that match, in the cloud's own pattern language; instead of the pattern of the source.",
      examples: ['?ERROR ?WARN'],
    }),
  ),
}
