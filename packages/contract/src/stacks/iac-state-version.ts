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
    sequence: Type.Integer({ minimum: 1, description: 'Number of the version. The highest one is the current state.' }),
    serial: Type.Integer({ minimum: 0, description: 'Serial of the state, set by the tool.' }),
    lineage: Type.String({ description: 'Lineage, shared by all states of a workspace.' }),
    digest: Type.String({ description: 'SHA-256 hash of the state in hexadecimal.' }),
    sizeBytes: Type.Integer({ minimum: 0, description: 'Size in bytes.' }),
    resourceCount: Type.Integer({ minimum: 0, description: 'Number of resources.' }),
    stepExecutionId: Type.Optional(Id),
    createdBy: Type.String({ description: 'Name of the user or run that wrote the state.' }),
  },
  { ...closed, description: "Version of a workspace's state." },
)
export type IacStateVersion = Static<typeof IacStateVersion>

/** State as written by the tool, which defines its fields. */
export const IacState = Type.Object(
  {},
  { additionalProperties: true, description: 'State exactly as the tool wrote it. It can contain secrets.' },
)
export type IacState = Static<typeof IacState>
