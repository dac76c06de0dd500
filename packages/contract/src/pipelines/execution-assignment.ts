import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const executionAssignmentParentTypes = ['organization', 'project', 'environment', 'module-definition'] as const
export const ExecutionAssignmentParentType = Type.Enum(executionAssignmentParentTypes, {
  description: 'What is assigned: all of the organization, a project, an environment, or the instances of a module.',
})
export type ExecutionAssignmentParentType = Static<typeof ExecutionAssignmentParentType>

const ParentId = Type.String({ minLength: 1, maxLength: 100, description: 'The id of what is assigned.' })

export const ExecutionAssignment = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    parentType: ExecutionAssignmentParentType,
    parentId: ParentId,
    executionEnvironmentId: Id,
  },
  { ...closed, description: 'Says in which execution environment the programs of steps run; the nearest one wins.' },
)
export type ExecutionAssignment = Static<typeof ExecutionAssignment>

export const CreateExecutionAssignment = Type.Object(
  { parentType: ExecutionAssignmentParentType, parentId: ParentId, executionEnvironmentId: Id },
  { ...closed, description: 'A new assignment.' },
)
export type CreateExecutionAssignment = Static<typeof CreateExecutionAssignment>

export const UpdateExecutionAssignment = Type.Object(
  { executionEnvironmentId: Type.Optional(Id) },
  { ...closed, description: 'Another execution environment; without one nothing changes.' },
)
export type UpdateExecutionAssignment = Static<typeof UpdateExecutionAssignment>
