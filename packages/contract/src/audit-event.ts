import { type Static, Type } from 'typebox'
import { FreeFormObject } from './free-form.ts'
import { Id } from './ids.ts'
import { principalTypes } from './principal.ts'
import { UtcDateTime } from './time.ts'

export const AuditEvent = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    organizationId: Id,
    actorType: Type.Enum(principalTypes, { description: 'What the actor is.' }),
    actorId: Type.String({ description: 'The membership or the service account.' }),
    actorName: Type.String({ description: "The actor's email or name at that time." }),
    action: Type.String({ description: '`<resource>.<verb>`, such as `projects.create`.' }),
    resourceType: Type.String({ description: 'What was changed.' }),
    resourceId: Type.String({ description: 'The id of what was changed.' }),
    details: Type.Optional(FreeFormObject),
    ipAddress: Type.Optional(Type.String({ description: 'Where the request came from.' })),
    userAgent: Type.Optional(Type.String({ description: 'What program made the request.' })),
    requestId: Type.Optional(Type.String({ description: 'Finds the request in the server log.' })),
  },
  { additionalProperties: false, description: 'Who changed what, when and from where.' },
)
export type AuditEvent = Static<typeof AuditEvent>
