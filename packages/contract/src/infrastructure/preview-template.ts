import { type Static, type TSchema, Type } from 'typebox'
import { Id } from '../values/ids.ts'
import { UtcDateTime } from '../values/time.ts'

const closed = { additionalProperties: false } as const

const Globs = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 200, description: 'Glob pattern.' }), {
    minItems: 1,
    maxItems: 50,
    description,
    examples: [['main', 'release/*']],
  })

const given = {
  branches: Type.Optional(
    Globs('Glob patterns of target branches. Only pull requests into these branches match. If absent, all match.'),
  ),
  paths: Type.Optional(
    Globs('Glob patterns of files. Only pull requests that change a matching file match. If absent, all match.'),
  ),
  instances: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100, description: '`givenId` of a module instance.' }), {
      minItems: 1,
      maxItems: 50,
      description:
        'Module instances of the template environment to copy, with the instances that they reference. If absent, all are copied.',
    }),
  ),
  inputs: Type.Record(
    Type.String({ minLength: 1, maxLength: 100 }),
    Type.Record(Type.String(), Type.Unknown(), { description: 'Inputs of the instance.' }),
    {
      description:
        'Inputs that differ in a copy, keyed by the `givenId` of the instance. Templates can use `pull_request` (number, branch, commit) and `environment` (id, given_id).',
      examples: [{ web: { image_tag: '<< pull_request.commit >>' } }],
    },
  ),
  pipelineId: Type.Optional({
    ...Id,
    description: 'ID of a pipeline of the project that runs after the infrastructure is created, to build and release.',
  }),
  pipelineInputs: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Inputs of the pipeline run. Templates can use the same values as those of `inputs`.',
    examples: [{ environment: '<< environment.given_id >>', commit: '<< pull_request.commit >>' }],
  }),
  namePattern: Type.String({
    pattern: '^(?:[a-z0-9][a-z0-9-]{0,39})?\\{number\\}(?:[a-z0-9-]{0,9}[a-z0-9])?$',
    description: 'Name pattern of the environments. `{number}` is replaced by the number of the pull request.',
    examples: ['pr-{number}'],
  }),
  lifetimeHours: Type.Integer({
    minimum: 1,
    maximum: 2_160,
    description: 'Lifetime in hours after the latest push. Users can extend it.',
  }),
  maxPerProject: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: 'Maximum number of preview environments in the project. Further ones wait until one is destroyed.',
  }),
  allowsForks: Type.Boolean({
    description:
      'Whether pull requests from forks get preview environments. Anyone can open one, and its code runs with your secrets.',
  }),
}

export const PreviewTemplate = Type.Object(
  {
    id: Id,
    createdAt: UtcDateTime,
    updatedAt: UtcDateTime,
    organizationId: Id,
    projectId: Id,
    environmentId: { ...Id, description: 'ID of the template environment, which is copied.' },
    codeSourceId: { ...Id, description: 'ID of the repository whose pull requests get preview environments.' },
    ...given,
    updatedBy: Type.String({
      description: "Name of the author of the latest change. Sluice uses the author's permissions.",
    }),
  },
  { ...closed, description: "Template for preview environments of a repository's pull requests." },
)
export type PreviewTemplate = Static<typeof PreviewTemplate>

const optional = {
  ...given,
  inputs: Type.Optional({
    ...given.inputs,
    description: 'Inputs that differ in a copy, keyed by the `givenId` of the instance. Defaults to none.',
  }),
  pipelineInputs: Type.Optional({
    ...given.pipelineInputs,
    description: 'Inputs of the pipeline run. Defaults to none.',
  }),
  namePattern: Type.Optional({
    ...given.namePattern,
    description: 'Name pattern of the environments. Defaults to `pr-{number}`.',
  }),
  lifetimeHours: Type.Optional({
    ...given.lifetimeHours,
    description: 'Lifetime in hours after the latest push. Defaults to 72.',
  }),
  maxPerProject: Type.Optional({
    ...given.maxPerProject,
    description: 'Maximum number of preview environments in the project. Defaults to 10.',
  }),
  allowsForks: Type.Optional({
    ...given.allowsForks,
    description: 'Whether pull requests from forks get preview environments. Defaults to false.',
  }),
}

export const CreatePreviewTemplate = Type.Object(
  {
    projectId: Id,
    environmentId: { ...Id, description: 'ID of the template environment, in the same project.' },
    codeSourceId: Id,
    ...optional,
  },
  { ...closed, description: 'Fields of a new preview template.' },
)
export type CreatePreviewTemplate = Static<typeof CreatePreviewTemplate>

const orNull = <T extends TSchema>(schema: T, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }))

export const UpdatePreviewTemplate = Type.Object(
  {
    ...optional,
    branches: orNull(given.branches, 'Glob patterns of target branches. null matches all branches.'),
    paths: orNull(given.paths, 'Glob patterns of changed files. null matches all files.'),
    instances: orNull(given.instances, '`givenId`s of the module instances to copy. null copies all.'),
    pipelineId: orNull(Id, 'ID of the pipeline that builds and releases. null removes it.'),
  },
  {
    ...closed,
    description:
      'Fields of a preview template to change. Changes apply from the next push. Absent fields stay unchanged.',
  },
)
export type UpdatePreviewTemplate = Static<typeof UpdatePreviewTemplate>
