import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const StepLogChunk = Type.Object(
  {
    sequence: Type.Integer({ description: 'Number of the chunk, counted from 1 across all attempts.' }),
    attempt: Type.Integer({ description: '`attemptEpoch` of the attempt that wrote the chunk.' }),
    writtenAt: UtcDateTime,
    text: Type.String({ description: 'Complete lines including line breaks. Secrets are masked.' }),
  },
  { ...closed, description: "Chunk of a step's log." },
)
export type StepLogChunk = Static<typeof StepLogChunk>

export const StepLogPage = Type.Object(
  {
    data: Type.Array(StepLogChunk),
    meta: Type.Object(
      {
        limit: Type.Integer({ description: 'Page size that was applied.' }),
        nextCursor: Type.String({
          description: 'Cursor of the next page. It can also be used later to read lines written since.',
        }),
        isComplete: Type.Boolean({
          description: 'Whether the log is complete: the step has finished and this is the last page.',
        }),
      },
      { ...closed, description: 'Pagination metadata.' },
    ),
  },
  { ...closed, description: "Chunks of a step's log, oldest first." },
)
export type StepLogPage = Static<typeof StepLogPage>

/** Format of a cursor: the number of the last chunk that was read. */
const cursorFormat = {
  pattern: '^[0-9]{1,9}$',
  description: '`nextCursor` of the previous page, or the ID of an event.',
  examples: ['42'],
}

export const stepLogCursor = Type.Optional(Type.String(cursorFormat))
