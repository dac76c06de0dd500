import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** What can be found, in the order in which it is told. */
export const searchTypes = [
  'SERVICE',
  'DEPLOYMENT',
  'PIPELINE',
  'RUN',
  'RESOURCE',
  'PROJECT',
  'ENVIRONMENT',
  'PERSON',
] as const
export const SearchType = Type.Enum(searchTypes, {
  description:
    'SERVICE: a module instance in its environment. RUN: of a pipeline. RESOURCE: what a stack has now. PERSON: a member of the organization.',
})
export type SearchType = Static<typeof SearchType>

export const SearchResult = Type.Object(
  {
    type: SearchType,
    id: Id,
    title: Type.String({ description: 'What it is called, with where it is: `web · production · 2.1.0`.' }),
    detail: Type.Optional(Type.String({ description: 'What tells it from others of that name.' })),
    status: Type.Optional(Type.String({ description: 'Of a deployment or a run, where it stands.' })),
    at: Type.Optional({ ...UtcDateTime, description: 'When it was made, where that is what people go by.' }),
    projectId: Type.Optional({ ...Id, description: 'The project that it is in.' }),
    moduleInstanceId: Type.Optional({ ...Id, description: 'The module instance whose release or resource it is.' }),
    pipelineRunId: Type.Optional({ ...Id, description: 'Of a resource: the run that touched it last.' }),
  },
  { ...closed, description: 'Something that was searched for.' },
)
export type SearchResult = Static<typeof SearchResult>
