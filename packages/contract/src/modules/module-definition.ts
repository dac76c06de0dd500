import { type Static, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'
import { ModuleVersionContent } from './module-version.ts'
import { Description, Name } from './naming.ts'

export const moduleDefinitionStatuses = ['DRAFT', 'ACTIVE'] as const
export type ModuleDefinitionStatus = (typeof moduleDefinitionStatuses)[number]

const closed = { additionalProperties: false } as const

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
  { ...closed, description: 'A deployable unit that instances are made of.' },
)
export type ModuleDefinition = Static<typeof ModuleDefinition>

const isGlobalPublished = Type.Boolean({
  description: 'Whether every organization sees and may use it; for superadmins, and service accounts that may.',
})

export const CreateModuleDefinition = Type.Object(
  {
    type: Type.String({
      pattern: '^[a-z][a-z0-9-]*$',
      maxLength: 100,
      description: 'What the module is, as a slug that never changes; unique for those who see it.',
      examples: ['container-service'],
    }),
    name: Name,
    description: Description,
    firstVersion: Type.Optional(ModuleVersionContent),
    isGlobalPublished: Type.Optional(isGlobalPublished),
  },
  { ...closed, description: 'A new module definition, and its first version where that is given.' },
)
export type CreateModuleDefinition = Static<typeof CreateModuleDefinition>

export const UpdateModuleDefinition = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    isGlobalPublished: Type.Optional(isGlobalPublished),
  },
  { ...closed, description: 'What to change.' },
)
export type UpdateModuleDefinition = Static<typeof UpdateModuleDefinition>
