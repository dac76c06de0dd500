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
    description: Type.String({ description: 'Description.' }),
    status: Type.Enum(moduleDefinitionStatuses, {
      description: 'Status of the definition. ACTIVE once a version is published.',
    }),
    type: Type.String({ description: 'Type of the module, as an immutable slug.' }),
    latestVersion: Type.Optional(
      Type.String({ description: 'Highest published version by semantic versioning precedence.' }),
    ),
    latestVersionId: Type.Optional(Id),
  },
  { ...closed, description: 'Deployable unit from which module instances are created.' },
)
export type ModuleDefinition = Static<typeof ModuleDefinition>

const isGlobalPublished = Type.Boolean({
  description:
    'Whether every organization can see and use the definition. Only superadmins and permitted service accounts can set it.',
})

export const CreateModuleDefinition = Type.Object(
  {
    type: Type.String({
      pattern: '^[a-z][a-z0-9-]*$',
      maxLength: 100,
      description:
        'Type of the module, as an immutable slug. It must be unique among the definitions visible to the organization.',
      examples: ['container-service'],
    }),
    name: Name,
    description: Description,
    firstVersion: Type.Optional(ModuleVersionContent),
    isGlobalPublished: Type.Optional(isGlobalPublished),
  },
  { ...closed, description: 'Fields of a new module definition, optionally with its first version.' },
)
export type CreateModuleDefinition = Static<typeof CreateModuleDefinition>

export const UpdateModuleDefinition = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    isGlobalPublished: Type.Optional(isGlobalPublished),
  },
  { ...closed, description: 'Fields of a module definition to change. Absent fields stay unchanged.' },
)
export type UpdateModuleDefinition = Static<typeof UpdateModuleDefinition>
