import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

/** Types of search results, in display order. */
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
    'Type of the result. SERVICE: a module instance in its environment. RUN: a pipeline run. RESOURCE: a resource in the current state of a stack. PERSON: a member of the organization.',
})
export type SearchType = Static<typeof SearchType>

export const SearchResult = Type.Object(
  {
    type: SearchType,
    id: Id,
    title: Type.String({ description: 'Name of the result and its location, such as `web · production · 2.1.0`.' }),
    detail: Type.Optional(Type.String({ description: 'Detail that distinguishes results with the same name.' })),
    status: Type.Optional(Type.String({ description: 'Status of a deployment or run.' })),
    at: Type.Optional({ ...UtcDateTime, description: 'Creation time, for types that are identified by it.' }),
    projectId: Type.Optional({ ...Id, description: 'ID of the project.' }),
    moduleInstanceId: Type.Optional({ ...Id, description: 'ID of the module instance that the result belongs to.' }),
    pipelineRunId: Type.Optional({ ...Id, description: 'ID of the run that last changed a resource.' }),
  },
  { ...closed, description: 'Search result.' },
)
export type SearchResult = Static<typeof SearchResult>
