import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const executionAssignmentParentTypes = ['organization', 'project', 'environment', 'module-definition'] as const
export const ExecutionAssignmentParentType = Type.Enum(executionAssignmentParentTypes, {
  description:
    'Type of the assigned resource: the organization, a project, an environment, or all instances of a module.',
})
export type ExecutionAssignmentParentType = Static<typeof ExecutionAssignmentParentType>

const ParentId = Type.String({ minLength: 1, maxLength: 100, description: 'ID of the assigned resource.' })

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
  {
    ...closed,
    description:
      'Assignment of an execution environment to a resource. Steps use the assignment of the nearest resource.',
  },
)
export type ExecutionAssignment = Static<typeof ExecutionAssignment>

export const CreateExecutionAssignment = Type.Object(
  { parentType: ExecutionAssignmentParentType, parentId: ParentId, executionEnvironmentId: Id },
  { ...closed, description: 'Fields of a new assignment.' },
)
export type CreateExecutionAssignment = Static<typeof CreateExecutionAssignment>

export const UpdateExecutionAssignment = Type.Object(
  { executionEnvironmentId: Type.Optional(Id) },
  { ...closed, description: 'Execution environment to assign instead. If absent, nothing changes.' },
)
export type UpdateExecutionAssignment = Static<typeof UpdateExecutionAssignment>
