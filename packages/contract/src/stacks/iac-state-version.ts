import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

export const IacStateVersion = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    stackWorkspaceId: Id,
    sequence: Type.Integer({ minimum: 1, description: 'Its number; the highest one is the present state.' }),
    serial: Type.Integer({ minimum: 0, description: "The tool's own number of it." }),
    lineage: Type.String({ description: 'The same for all states of a workspace.' }),
    digest: Type.String({ description: 'SHA-256 of the state, hexadecimal.' }),
    sizeBytes: Type.Integer({ minimum: 0, description: 'How large the state is.' }),
    resourceCount: Type.Integer({ minimum: 0, description: 'How many resources it has.' }),
    stepExecutionId: Type.Optional(Id),
    createdBy: Type.String({ description: 'Who or what wrote it, for people.' }),
  },
  { ...closed, description: 'A state that a workspace has or had.' },
)
export type IacStateVersion = Static<typeof IacStateVersion>

/** The state itself is the tool's business: any object. */
export const IacState = Type.Object(
  {},
  { additionalProperties: true, description: 'A state as the tool wrote it, byte by byte. It may hold secrets.' },
)
export type IacState = Static<typeof IacState>
