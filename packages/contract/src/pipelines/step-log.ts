import { type Static, Type } from 'typebox'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const StepLogChunk = Type.Object(
  {
    sequence: Type.Integer({ description: 'Counts the pieces of the log from 1, over all attempts.' }),
    attempt: Type.Integer({ description: 'The attemptEpoch of the attempt that wrote it.' }),
    writtenAt: UtcDateTime,
    text: Type.String({ description: 'Whole lines, each with its end; secrets are masked.' }),
  },
  { ...closed, description: 'A piece of what a step wrote.' },
)
export type StepLogChunk = Static<typeof StepLogChunk>

export const StepLogPage = Type.Object(
  {
    data: Type.Array(StepLogChunk),
    meta: Type.Object(
      {
        limit: Type.Integer({ description: 'The page size that was applied.' }),
        nextCursor: Type.String({
          description: 'What follows this page; also good later, for what has been written since.',
        }),
        isComplete: Type.Boolean({
          description: 'Whether nothing follows: the step is over and this is the last page.',
        }),
      },
      { ...closed, description: 'Where this page lies in the log.' },
    ),
  },
  { ...closed, description: 'Pieces of the log of a step, oldest first.' },
)
export type StepLogPage = Static<typeof StepLogPage>

/** What a cursor looks like: the number of the last piece that was read. */
const place = {
  pattern: '^[0-9]{1,9}$',
  description: 'The nextCursor of the page before, or the id of an event.',
  examples: ['42'],
}

export const stepLogCursor = Type.Optional(Type.String(place))
