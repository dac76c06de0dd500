import { type Static, Type } from 'typebox'
import { Description, Name } from '../modules/naming.ts'
import { GivenId, Id, NewGivenId } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const Stack = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    givenId: GivenId,
    name: Type.String({ description: 'Display name.' }),
    description: Type.Optional(Type.String({ description: 'Description.' })),
  },
  { ...closed, description: 'Unit of infrastructure that is planned and applied together.' },
)
export type Stack = Static<typeof Stack>

export const CreateStack = Type.Object(
  { projectId: Id, givenId: NewGivenId, name: Name, description: Type.Optional(Description) },
  { ...closed, description: 'Fields of a new stack.' },
)
export type CreateStack = Static<typeof CreateStack>

export const UpdateStack = Type.Object(
  { givenId: Type.Optional(NewGivenId), name: Type.Optional(Name), description: Type.Optional(Description) },
  { ...closed, description: 'Fields of a stack to change.' },
)
export type UpdateStack = Static<typeof UpdateStack>

export const StateLock = Type.Object(
  {
    operation: Type.String({ description: 'Operation for which the lock is held.' }),
    heldBy: Type.String({ description: "Name of the lock's holder." }),
    since: UtcDateTime,
    stepExecutionId: Type.Optional(Id),
  },
  { ...closed, description: 'Lock of a state. It ends with its step execution.' },
)
export type StateLock = Static<typeof StateLock>

export const StackWorkspace = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    stackId: Id,
    name: Type.String({ description: 'Name, unique within the stack.' }),
    lock: Type.Optional(StateLock),
  },
  { ...closed, description: 'Named state of a stack.' },
)
export type StackWorkspace = Static<typeof StackWorkspace>

export const CreateStackWorkspace = Type.Object(
  {
    stackId: Id,
    name: Type.String({
      pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$',
      description: 'Name of letters, digits, dots, hyphens and underscores, unique within the stack.',
      examples: ['shop-production-network'],
    }),
  },
  { ...closed, description: 'Fields of a new workspace.' },
)
export type CreateStackWorkspace = Static<typeof CreateStackWorkspace>
