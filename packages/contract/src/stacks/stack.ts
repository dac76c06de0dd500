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
    description: Type.Optional(Type.String({ description: 'Display text.' })),
  },
  { ...closed, description: 'Infrastructure that is changed together.' },
)
export type Stack = Static<typeof Stack>

export const CreateStack = Type.Object(
  { projectId: Id, givenId: NewGivenId, name: Name, description: Type.Optional(Description) },
  { ...closed, description: 'A new stack.' },
)
export type CreateStack = Static<typeof CreateStack>

export const UpdateStack = Type.Object(
  { givenId: Type.Optional(NewGivenId), name: Type.Optional(Name), description: Type.Optional(Description) },
  { ...closed, description: 'What to change.' },
)
export type UpdateStack = Static<typeof UpdateStack>

export const StateLock = Type.Object(
  {
    operation: Type.String({ description: 'What it is held for.' }),
    heldBy: Type.String({ description: 'Who holds it, for people.' }),
    since: UtcDateTime,
    stepExecutionId: Type.Optional(Id),
  },
  { ...closed, description: 'Who may write the state now. It ends with its step execution.' },
)
export type StateLock = Static<typeof StateLock>

export const StackWorkspace = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    stackId: Id,
    name: Type.String({ description: 'Unique within the stack.' }),
    lock: Type.Optional(StateLock),
  },
  { ...closed, description: 'A named state of a stack.' },
)
export type StackWorkspace = Static<typeof StackWorkspace>

export const CreateStackWorkspace = Type.Object(
  {
    stackId: Id,
    name: Type.String({
      pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$',
      description: 'Letters, digits, dots, hyphens and underscores; unique within the stack.',
      examples: ['shop-production-network'],
    }),
  },
  { ...closed, description: 'A new workspace.' },
)
export type CreateStackWorkspace = Static<typeof CreateStackWorkspace>
