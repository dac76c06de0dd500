import { type Static, Type } from 'typebox'
import { Id } from './ids.ts'
import { UtcDateTime } from './time.ts'

export const moduleDefinitionStatuses = ['DRAFT', 'ACTIVE'] as const
export type ModuleDefinitionStatus = (typeof moduleDefinitionStatuses)[number]

export const ModuleDefinition = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Type.Optional(Id),
    name: Type.String({ description: 'Display name.' }),
    description: Type.String({ description: 'Display text.' }),
    status: Type.Enum(moduleDefinitionStatuses, { description: 'ACTIVE once a version is published.' }),
    type: Type.String({ description: 'What the module is, as a slug that never changes.' }),
    latestVersion: Type.Optional(Type.String({ description: 'Highest published version, by semantic versioning.' })),
    latestVersionId: Type.Optional(Id),
  },
  { additionalProperties: false, description: 'A deployable unit that instances are made of.' },
)
export type ModuleDefinition = Static<typeof ModuleDefinition>
